import { describe, expect, test } from 'vitest';
import { acceptForms } from '../../src/fastify.ts';
import { type NodeRequest, nodeHeaders, readNodeRequest } from '../../src/frameworks/node-request.ts';
import { readRequest as readHonoRequest } from '../../src/hono.ts';
import { BrowserSignIn, PendingCookies } from '../../src/index.ts';
import { type NextApiRequest, readRequest, sendResponse } from '../../src/next.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const form = 'application/x-www-form-urlencoded';

function nodeRequest(chunks: readonly unknown[], more: Partial<NodeRequest> = {}): NodeRequest {
  return {
    method: 'POST',
    headers: { 'content-type': form },
    ...more,
    async *[Symbol.asyncIterator]() {
      yield* chunks;
    },
  };
}

const unreadable = {
  // biome-ignore lint/correctness/useYield: it must not be read
  async *[Symbol.asyncIterator]() {
    throw new Error('nobody may read this body');
  },
};

describe('a Node request', () => {
  test('keeps its method and address if it has no body', async () => {
    for (const method of ['GET', 'HEAD'])
      expect(await readNodeRequest({ ...unreadable, method, headers: {} }, '/cb?x=1', { stale: 'yes' })).toEqual({
        method,
        url: '/cb?x=1',
      });
    expect(await readNodeRequest({ ...unreadable, headers: {} }, '/cb', undefined)).toEqual({ method: 'GET', url: '/cb' });
  });

  test('is read from any chunks if no parser has read it', async () => {
    const bytes = new TextEncoder().encode('ä');
    const request = nodeRequest(['a=', bytes.subarray(0, 1), bytes.subarray(1), '&b=2']);
    const expected = { method: 'POST', url: '/cb', contentType: form, body: 'a=ä&b=2' };
    for (const parsed of [undefined, null]) expect(await readNodeRequest(request, '/cb', parsed)).toEqual(expected);
    const unread = { ...request, readableEnded: false };
    expect(await readNodeRequest(unread, '/cb', {})).toEqual(expected);
  });

  test.each([
    ['a form', { code: 'x' }, { code: 'x' }],
    ['a text', 'code=x', 'code=x'],
    ['an empty text', '', ''],
    ['bytes', new TextEncoder().encode('code=x'), 'code=x'],
  ])('uses what the parser left: %s', async (_what, parsed, body) => {
    for (const readableEnded of [true, false]) {
      const request = { ...nodeRequest([]), ...unreadable, readableEnded };
      expect(await readNodeRequest(request, '/cb', parsed)).toMatchObject({ body });
    }
  });

  test('has an empty form if the parser left one and the body has ended', async () => {
    const read = { ...nodeRequest([]), ...unreadable, readableEnded: true };
    expect(await readNodeRequest(read, '/cb', {})).toMatchObject({ body: {} });
  });

  test('is read up to 65,536 characters', async () => {
    const most = 'x'.repeat(65_536);
    expect(await readNodeRequest(nodeRequest([most]), '/cb', undefined)).toMatchObject({ body: most });
    expect(await errorOf(readNodeRequest(nodeRequest([most, 'x']), '/cb', undefined))).toMatchObject({
      code: 'OIDC_HTTP_TOO_LARGE',
      check: 'request.body',
      expected: 'at most 65536 bytes',
    });
  });

  test('is answered with one header per cookie, or none', () => {
    const response = new Response(null, { headers: { 'x-a': '1' } });
    expect(nodeHeaders(response)).toEqual({ 'x-a': '1' });
    for (const cookie of ['a=1', 'b=2']) response.headers.append('set-cookie', cookie);
    expect(nodeHeaders(response)).toEqual({ 'x-a': '1', 'set-cookie': ['a=1', 'b=2'] });
  });
});

test("Next: answers both a route handler's Request and a Node request of pages/api", async () => {
  const request = new Request('https://rp.example/cb', { method: 'POST', body: 'a=1' });
  expect(await readRequest(request)).toBe(request);
  const page: NextApiRequest = { ...nodeRequest([]), ...unreadable, url: '/api/cb', body: { a: '1' } };
  expect(await readRequest(page)).toEqual({ method: 'POST', url: '/api/cb', contentType: form, body: { a: '1' } });
  expect(await readRequest({ ...unreadable, headers: {} })).toEqual({ method: 'GET', url: '/' });
  const sent: unknown[] = [];
  const response = { writeHead: (...words: unknown[]) => sent.push(...words), end: (body: string) => sent.push(body) };
  await sendResponse(response, new Response('no', { status: 403, headers: { 'x-a': '1' } }));
  expect(sent).toEqual([403, expect.objectContaining({ 'x-a': '1' }), 'no']);
});

describe('a sign-in in the browser', () => {
  async function browser(changes: Partial<ConstructorParameters<typeof BrowserSignIn>[0]> = {}) {
    const op = await FakeOp.start();
    const failures: unknown[] = [];
    const signIn = new BrowserSignIn({
      relyingParty: op.relyingParty(),
      cookies: new PendingCookies({ keys: [new Uint8Array(32).fill(7)], now: () => new Date(op.nowMs) }),
      createSession: () => ['session=1'],
      onError: error => void failures.push(error),
      ...changes,
    });
    const finish = async (returnTo?: string) => {
      const started = await signIn.start(null, returnTo === undefined ? {} : { returnTo });
      const cookie = started.headers.getSetCookie()[0]?.split(';')[0];
      return signIn.finish(new Request(op.authorize(new URL(started.headers.get('location')!))), cookie);
    };
    return { op, signIn, finish, failures };
  }

  test('redirects to the requested page, or to the start page', async () => {
    const { finish } = await browser();
    expect((await finish('/n/1')).headers.get('location')).toBe('/n/1');
    expect((await finish()).headers.get('location')).toBe('/');
  });

  test('reports a sign-in that cannot begin and changes no cookie', async () => {
    const { op, signIn, failures } = await browser();
    op.faults.metadata = () => new Response('', { status: 503 });
    const answer = await signIn.start(null);
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.getSetCookie()]).toEqual([503, '5', []]);
    expect(await answer.json()).toMatchObject({ message: 'Sign-in is not possible at the moment. Please try again.' });
    expect(failures).toMatchObject([{ code: 'OIDC_HTTP_STATUS' }]);
  });

  test('says when to try again while the key cannot be fetched yet', async () => {
    const { op, finish } = await browser();
    op.faults.idTokenHeader = header => ({ ...header, kid: 'not there yet' });
    const once = async () => {
      const answer = await finish();
      return [answer.status, answer.headers.get('retry-after')];
    };
    expect([await once(), await once()]).toEqual([
      [403, null],
      [403, null],
    ]);
    op.advance(2);
    expect(await once()).toEqual([503, '3']);
  });

  test('answers a refusal in its own words, without a time to retry', async () => {
    const { op, finish } = await browser();
    op.faults.idTokenClaims = claims => ({ ...claims, aud: 'other' });
    const answer = await finish();
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([403, false]);
    expect(await answer.json()).toEqual({ code: 'OIDC_CLAIM_AUD', message: 'The sign-in did not succeed.' });
  });

  test('reports a session that cannot be created as an outage', async () => {
    const { finish, failures } = await browser({ createSession: () => Promise.reject(new Error('down')) });
    expect((await finish()).status).toBe(503);
    expect(failures).toMatchObject([{ code: 'OIDC_STORE_UNAVAILABLE', check: 'options.createSession' }]);
  });

  test('answers a refusal although the log fails, at once or later', async () => {
    const down = new Error('the log is down');
    const fail = (): never => {
      throw down;
    };
    for (const onError of [fail, () => Promise.reject(down)]) {
      const { op, finish } = await browser({ onError });
      op.faults.idTokenClaims = claims => ({ ...claims, aud: 'other' });
      const answer = await finish();
      expect([answer.status, answer.headers.getSetCookie().length]).toEqual([403, 1]);
    }
  });

  test('does not swallow a programming error', async () => {
    const mistake = new TypeError('a mistake');
    const { op, signIn, failures } = await browser();
    const relyingParty = Object.assign(Object.create(op.relyingParty()), { startSignIn: () => Promise.reject(mistake) });
    const broken = (await browser({ relyingParty })).signIn;
    await expect(broken.start(null)).rejects.toBe(mistake);
    expect([(await signIn.start(null)).status, failures]).toEqual([303, []]);
  });

  test.each([
    ['options', null],
    ['options.relyingParty', { relyingParty: null }],
    ['options.relyingParty', { relyingParty: 'me' }],
    ['options.cookies', { cookies: null }],
    ['options.cookies', { cookies: 7 }],
    ['options.createSession', { createSession: undefined }],
    ['options.onEror', { onEror: () => undefined }],
  ])('refuses %s by its path', async (check, changes) => {
    const refused = expect.objectContaining({ code: 'OIDC_CONFIG_INVALID', check });
    const { op } = await browser();
    const cookies = new PendingCookies({ keys: [new Uint8Array(32)] });
    const options = { relyingParty: op.relyingParty(), cookies, createSession: () => [] };
    expect(() => new BrowserSignIn((changes && { ...options, ...changes }) as never)).toThrow(refused);
  });
});

test('Fastify: adds a form parser once, and never a second one', () => {
  const added: string[] = [];
  const app = (has: boolean) => ({
    hasContentTypeParser: () => has,
    addContentTypeParser: (contentType: string) => added.push(contentType),
  });
  acceptForms(app(true));
  expect(added).toEqual([]);
  acceptForms(app(false));
  expect(added).toEqual([form]);
});

test('Hono: uses a form that middleware has already parsed', async () => {
  const formData = new FormData();
  formData.append('code', 'x');
  const req = {
    method: 'POST',
    url: 'https://rp.example/cb',
    raw: new Request('https://rp.example/cb'),
    header: () => form,
    text: () => Promise.reject(new Error('nobody may read this body')),
    bodyCache: { formData: Promise.resolve(formData) },
  };
  const { body } = (await readHonoRequest({ req })) as { body: URLSearchParams };
  expect(String(body)).toBe('code=x');
});

test('Hono: reads a body up to 65,536 bytes and leaves it to others', async () => {
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: controller => {
      pulled += 1;
      if (pulled > 100) return controller.error(new Error('nobody may read this far'));
      controller.enqueue(new Uint8Array(16_384).fill(120));
    },
  });
  const read = (raw: Request) => {
    const { method, url } = raw;
    const text = () => raw.text();
    return readHonoRequest({ req: { method, url, raw, header: () => form, text, bodyCache: {} } });
  };
  const post = (body: string | ReadableStream) =>
    new Request('https://rp.example/cb', { method: 'POST', body, duplex: 'half' } as RequestInit);
  const most = post('x'.repeat(65_536));
  expect(await read(most)).toMatchObject({ body: 'x'.repeat(65_536) });
  expect(await most.text()).toHaveLength(65_536);
  expect(await errorOf(read(post(endless)))).toMatchObject({
    code: 'OIDC_HTTP_TOO_LARGE',
    status: 413,
    check: 'request.body',
    expected: 'at most 65536 bytes',
  });
});
