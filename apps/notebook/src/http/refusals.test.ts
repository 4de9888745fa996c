import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refusal } from '../errors.ts';
import { ObjectStoreFailed } from '../objects/object-store.ts';
import { problemOf } from './answers/problem.ts';
import { readBodies } from './bodies/bodies.ts';
import { answerErrors, answerUnknownPaths, collectRoutes, refusalOf, statusOf } from './refusals.ts';

const failing = (fields: object) => Object.assign(new Error('inner words'), fields) as unknown as FastifyError;

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['title', 'pages'],
  properties: {
    title: { type: 'string', minLength: 2 },
    kind: { enum: ['note', 'book'] },
    size: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    'a/b~c': { type: 'string' },
    pages: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['markdown'],
        properties: { markdown: { type: 'string' } },
      },
    },
  },
};

let app: FastifyInstance;
const lines: Record<string, unknown>[] = [];

beforeEach(() => {
  lines.length = 0;
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const customOptions = { removeAdditional: false, coerceTypes: false, useDefaults: false, allErrors: true } as const;
  app = Fastify({ ajv: { customOptions }, bodyLimit: 2_000, logger: { level: 'error', stream, base: null } });
  const routes = collectRoutes(app);
  readBodies(app);
  answerErrors(app, (reply, code, detail) => reply.code(statusOf(code)).type('text/html').send(`page ${code} ${detail}`));
  app.post('/api/checked', { schema: { body: schema } }, async () => 'taken');
  const fail = async (request: { query: unknown }) => {
    const { code, ...extras } = request.query as { code: 'internal' };
    if (code === undefined) throw new Error('what nobody expected');
    throw new Refusal(code, extras);
  };
  for (const url of ['/api/fail', '/apiary', '/healthz', '/n/:slug/fail', '/e/:token', '/readyz']) app.get(url, fail);
  app.get('/lines', { config: { lines: true } }, fail);
  app.get('/api/lines', { config: { lines: true } }, fail);
  for (const url of ['/api/form', '/form']) app.post(url, { config: { accepts: 'form' } }, fail);
  const outage = () => {
    throw new Refusal(
      'unavailable',
      { retryAfterSeconds: 5 },
      { cause: new Refusal('unavailable', {}, { cause: new Error('no disk') }) },
    );
  };
  app.get('/api/outage', outage);
  app.get('/api/images-outage', () => {
    const cause = new ObjectStoreFailed('put: the store answered 403 AccessDenied');
    throw new Refusal('image_store_failed', {}, { cause });
  });
  app.get('/file.txt', async () => 'a file');
  app.get('/files/*', async () => 'a file');
  answerUnknownPaths(app, routes, (reply, code) => reply.code(statusOf(code)).send(`page ${code}`));
});
afterEach(async () => {
  vi.useRealTimers();
  await app.close();
});

async function errorsOf(body: unknown): Promise<[string, string][]> {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/checked',
    payload: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const { code, errors, detail } = answer.json();
  expect([answer.statusCode, code]).toEqual([422, 'invalid']);
  const pairs = (errors as { path: string; message: string }[]).map(({ path, message }): [string, string] => [path, message]);
  expect(detail).toBe(pairs.map(pair => pair.join(': ')).join('; '));
  return pairs;
}

describe('a body that is not valid', () => {
  it('is told by every place that is wrong', async () => {
    expect(
      await errorsOf({
        title: 'a',
        kind: 'x',
        size: 1.5,
        pages: [{ markdown: 'a' }, { markdown: 1, other: 2 }, {}],
        'a/b~c': 1,
        more: 1,
      }),
    ).toEqual([
      ['more', 'is not a known field'],
      ['title', 'must have at least 2 characters'],
      ['kind', 'must be one of note, book'],
      ['size', 'must be a whole number or null'],
      ['a/b~c', 'must be a string'],
      ['pages[1].other', 'is not a known field'],
      ['pages[1].markdown', 'must be a string'],
      ['pages[2].markdown', 'is missing'],
    ]);
  });

  it('is told by what is missing, and by its own kind', async () => {
    expect(await errorsOf({})).toEqual([
      ['title', 'is missing'],
      ['pages', 'is missing'],
    ]);
    expect(await errorsOf([])).toEqual([['body', 'must be an object']]);
  });

  it('is told by fifty places at most', async () => {
    const more = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}`, 1]));
    expect(await errorsOf({ title: 'ab', pages: [], ...more })).toHaveLength(50);
  });

  it('is told once a place: what it is, then what it lacks', () => {
    const type = (name: string) => ({ instancePath: '/a', keyword: 'type', params: { type: name }, message: '', schemaPath: '' });
    const validation = [
      type('string'),
      { ...type(''), keyword: 'maxLength', params: { limit: 3 } },
      ...['string', 'null', 'null'].map(type),
      { ...type(''), instancePath: '/b', keyword: 'anyOf', message: 'must match a schema in anyOf' },
      { ...type(''), instancePath: '/c/0/1', keyword: 'other', message: undefined },
    ];
    expect(refusalOf(failing({ validation }))?.extras.errors).toEqual([
      { path: 'a', message: 'must be a string or null' },
      { path: 'c[0][1]', message: 'is not valid' },
    ]);
  });

  it.each([
    ['type', { type: ['boolean', 'array'] }, 'must be true or false or a list'],
    ['type', { type: 'object' }, 'must be an object'],
    ['type', { type: 'number' }, 'must be a number'],
    ['maxLength', { limit: 500 }, 'must have at most 500 characters'],
    ['minLength', { limit: 1 }, 'must not be empty'],
    ['maxItems', { limit: 200 }, 'must have at most 200 items'],
    ['minItems', { limit: 1 }, 'must not be empty'],
    ['minItems', { limit: 2 }, 'must have at least 2 items'],
    ['maximum', { limit: 9 }, 'must be at most 9'],
    ['minimum', { limit: 1 }, 'must be at least 1'],
    ['pattern', { pattern: '^a$' }, 'does not have the expected form'],
    ['format', { format: 'date' }, 'must match format "date"'],
  ])('says in plain words what breaks %s %o', (keyword, params, words) => {
    const failure = { instancePath: '/a', keyword, params, message: 'must match format "date"', schemaPath: '' };
    expect(refusalOf(failing({ validation: [failure] }))?.extras.errors).toEqual([{ path: 'a', message: words }]);
  });
});

it('a problem holds what is known, and no empty place', () => {
  expect(Object.keys(problemOf('not_found'))).toEqual(['type', 'title', 'status', 'code']);
  const extras = { detail: 'because', errors: [{ path: 'a', message: 'b' }], page: { id: 'p' } };
  expect(problemOf('stale_revision', { ...extras, retryAfterSeconds: 1 })).toEqual({
    ...{ type: 'about:blank', title: 'The page has changed since you read it.', status: 412, code: 'stale_revision' },
    ...extras,
  });
});

describe('a refusal', () => {
  it('is a problem for programs', async () => {
    const answer = await app.inject('/api/fail?code=stale_revision&detail=because&retryAfterSeconds=7');
    expect([answer.statusCode, answer.headers['retry-after'], answer.headers['www-authenticate']]).toEqual([412, '7', undefined]);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(answer.json()).toEqual({
      type: 'about:blank',
      title: 'The page has changed since you read it.',
      status: 412,
      code: 'stale_revision',
      detail: 'because',
    });
    expect((await app.inject('/api/fail?code=not_found')).json()).toEqual({
      type: 'about:blank',
      title: 'There is nothing here.',
      status: 404,
      code: 'not_found',
    });
  });

  it('is a page for people', async () => {
    const answer = await app.inject('/n/a/fail?code=rate_limited&detail=slower&retryAfterSeconds=9');
    expect([answer.statusCode, answer.body, answer.headers['retry-after']]).toEqual([429, 'page rate_limited slower', '9']);
    expect((await app.inject('/apiary?code=not_found')).body).toBe('page not_found undefined');
    expect((await app.inject('/healthz?code=not_found')).headers['content-type']).toMatch(/problem/);
    expect((await app.inject('/readyz?code=not_found')).headers['content-type']).toMatch(/problem/);
    expect((await app.inject('/n/a/fail?code=not_found')).headers).not.toHaveProperty('retry-after');
  });

  it.each([
    ['edit_token_missing', 'X-Edit-Token realm="notebook"'],
    ['password_required', 'Notebook-Password realm="notebook"'],
    ['password_wrong', 'Notebook-Password realm="notebook"'],
  ])('%s says which credential would help', async (code, challenge) => {
    for (const url of ['/api/fail', '/n/a/fail', '/lines']) {
      const answer = await app.inject({ url: `${url}?code=${code}`, headers: { 'user-agent': 'curl/8.0' } });
      expect([url, answer.statusCode, answer.headers['www-authenticate']]).toEqual([url, 401, challenge]);
    }
    expect((await app.inject('/n/a/fail?code=forbidden')).headers).not.toHaveProperty('www-authenticate');
  });

  it('is a page where a page’s own form posts, a problem where a program does', async () => {
    const post = async (url: string, type: string) =>
      (await app.inject({ method: 'POST', url: `${url}?code=forbidden`, payload: 'a=1', headers: { 'content-type': type } }))
        .body;
    expect(await post('/api/form', 'application/x-www-form-urlencoded')).toBe('page forbidden undefined');
    expect(await post('/api/form', 'text/plain')).toContain('"code":"forbidden"');
    expect(await post('/api/checked', 'application/x-www-form-urlencoded')).toContain('"code":"unsupported_media_type"');
  });

  it('says what to do when a form is too large', async () => {
    const post = (url: string) =>
      app.inject({
        method: 'POST',
        url,
        payload: `body=${'x'.repeat(65_536)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    for (const url of ['/api/form', '/form'])
      expect((await post(url)).body).toBe(
        'page too_large The body may have at most 65536 bytes. Go back, shorten your text and send it again.',
      );
  });

  it('is answered when the body is drained', async () => {
    const answer = await app.inject({
      method: 'POST',
      url: '/api/checked',
      payload: 'x'.repeat(2_001),
      headers: { 'content-type': 'text/plain' },
    });
    expect([answer.statusCode, answer.json().code]).toEqual([413, 'too_large']);
  });
});

describe('a client of lines', () => {
  const ask = async (
    headers: Record<string, string>,
    url = '/lines?code=rate_limited&detail=not%20%20now%0A&retryAfterSeconds=3',
  ) => {
    const answer = await app.inject({ url, headers });
    return answer.headers['content-type'] === 'text/plain; charset=utf-8' ? answer.body : undefined;
  };
  const line = 'error rate_limited: not now\n';

  it.each([
    { 'user-agent': 'curl/8.0' },
    { 'user-agent': 'Wget/1.21', accept: '*/*' },
    { 'user-agent': 'curl/8.0', accept: ' */* ' },
    { accept: 'text/plain' },
    { accept: 'TEXT/PLAIN;q=0.5, text/html' },
    { accept: 'text/plain, application/json;q=0' },
  ])('is answered by a line: %j', async headers => expect(await ask({ ...headers } as Record<string, string>)).toBe(line));

  it.each([
    { 'user-agent': 'Mozilla/5.0' },
    { 'user-agent': 'libcurl/8.0 curl/8.0' },
    { 'user-agent': 'curl/8.0', accept: 'text/html' },
    { 'user-agent': 'curl/8.0', accept: 'application/json' },
    { accept: 'text/plain, application/problem+JSON' },
    { accept: 'text/plain;q=0, text/html' },
    { 'user-agent': 'curl/8.0', 'content-type': 'Application/JSON; charset=utf-8' },
  ])('is another: %j', async headers => expect(await ask({ ...headers } as Record<string, string>)).toBeUndefined());

  it('is told when to come back, and by the title where nothing else is said', async () => {
    const headers = { accept: 'text/plain' };
    const answer = await app.inject({ url: '/lines?code=rate_limited&retryAfterSeconds=3', headers });
    expect([answer.statusCode, answer.headers['retry-after'], answer.headers['cache-control']]).toEqual([429, '3', 'no-store']);
    expect(answer.body).toBe('error rate_limited: Too many requests. Please wait a little.\n');
    const other = await app.inject({ url: '/lines?code=forbidden', headers });
    expect(other.headers).not.toHaveProperty('retry-after');
    expect(other.headers).not.toHaveProperty('www-authenticate');
  });

  it('is one only where the route has lines', async () => {
    expect(await ask({ accept: 'text/plain' }, '/n/a/fail?code=forbidden')).toBeUndefined();
    expect(await ask({ accept: 'text/plain' }, '/api/lines?code=forbidden')).toMatch(/^error forbidden: /);
  });
});

describe('what nobody expected', () => {
  it('is 500 without a word of it, and a line of the log without slug or token', async () => {
    const answer = await app.inject('/n/secret-slug/fail?x=1');
    expect([answer.statusCode, answer.body]).toEqual([500, 'page internal undefined']);
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'request failed',
        method: 'GET',
        path: '/n/[slug]/fail',
        err: expect.objectContaining({ message: 'what nobody expected' }),
      }),
    ]);
    await app.inject('/api/fail?code=not_found');
    expect(lines).toHaveLength(1);
  });
});

it('an outage is one line a second, with the number of those left out', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const ask = async (times: number) => {
    for (let at = 0; at < times; at++) expect((await app.inject('/api/outage')).statusCode).toBe(503);
  };
  await ask(3);
  vi.advanceTimersByTime(999);
  await ask(1);
  vi.advanceTimersByTime(1);
  await ask(2);
  vi.advanceTimersByTime(1_000);
  await ask(1);
  const msg = 'the database is unavailable; requests are answered with 503';
  expect(lines.map(line => [line.msg, line.more, (line.err as Error).message])).toEqual([
    [msg, 0, 'no disk'],
    [msg, 3, 'no disk'],
    [msg, 1, 'no disk'],
  ]);
});

it('an image store that fails is logged with its reason, beside an outage of the database', async () => {
  await app.inject('/api/outage');
  const answer = await app.inject('/api/images-outage');
  expect([answer.statusCode, answer.body]).toEqual([502, expect.not.stringContaining('AccessDenied')]);
  expect(lines.map(line => [line.msg, (line.err as Error).message])).toEqual([
    ['the database is unavailable; requests are answered with 503', 'no disk'],
    ['the image store failed; the upload or image was refused', 'put: the store answered 403 AccessDenied'],
  ]);
});

describe('an address that is not there', () => {
  it.each([
    ['GET', '/unknown', 404, undefined, 'page not_found'],
    ['POST', '/lines', 405, 'GET, HEAD', 'page method_not_allowed'],
    ['GET', '/form?x=1', 405, 'POST', 'page method_not_allowed'],
    ['POST', '/n/a-slug/fail', 405, 'GET, HEAD', 'page method_not_allowed'],
    ['POST', '/n/a/b/fail', 404, undefined, 'page not_found'],
    ['POST', '/n//fail', 404, undefined, 'page not_found'],
    ['POST', '/fileXtxt', 404, undefined, 'page not_found'],
    ['POST', '/file.txt', 405, 'GET, HEAD', 'page method_not_allowed'],
    ['POST', '/files/a', 404, undefined, 'page not_found'],
    ['POST', '/x/lines', 404, undefined, 'page not_found'],
    ['POST', '/lines/x', 404, undefined, 'page not_found'],
  ] as const)('%s %s: %i', async (method, url, status, allow, body) => {
    const answer = await app.inject({ method, url });
    expect([answer.statusCode, answer.headers.allow, answer.body]).toEqual([status, allow, body]);
  });

  it.each([
    ['GET', '/lines/', '/lines'],
    ['HEAD', '/lines/?a=b', '/lines?a=b'],
    ['GET', '/n/a-slug/fail/', '/n/a-slug/fail'],
    ['GET', '/n/A-Slug/fail?code=not_found', '/n/a-slug/fail?code=not_found'],
  ] as const)('%s %s leads to the address that was meant', async (method, url, meant) => {
    const { statusCode, headers } = await app.inject({ method, url });
    expect([statusCode, headers.location, headers['cache-control']]).toEqual([303, meant, 'no-store']);
  });

  it.each([
    ['GET', '/unknown/', 404],
    ['GET', '//evil.example/', 404],
    ['DELETE', '/lines/', 404],
    ['GET', '/n/A-Slug/fail?code=read_only', 409],
    ['GET', '/n/a-slug/fail?code=not_found', 404],
  ] as const)('%s %s leads nowhere: %i', async (method, url, status) => {
    expect((await app.inject({ method, url })).statusCode).toBe(status);
  });

  it('is a problem below the API', async () => {
    const answer = await app.inject({ method: 'DELETE', url: '/api/checked' });
    expect([answer.statusCode, answer.headers.allow, answer.json().code]).toEqual([405, 'POST', 'method_not_allowed']);
    expect((await app.inject('/api/nothing')).json()).toMatchObject({ status: 404, code: 'not_found' });
    expect((await app.inject('/api?x')).json()).toMatchObject({ status: 404, code: 'not_found' });
  });
});
