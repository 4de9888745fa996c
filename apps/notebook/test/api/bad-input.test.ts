import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
let own: CreatedNotebook;
const wrongToken = 'A'.repeat(43);

beforeAll(async () => {
  app = await startNotebookApp();
  own = await app.create({ slug: 'bad-input', pages: [{ markdown: '# One' }, { markdown: '# Two' }] });
});
afterAll(() => app.close());

interface Case {
  readonly what: string;
  readonly status: number;
  readonly code: string;
  readonly ask: () => ReturnType<NotebookApp['ask']>;
  readonly path: string | undefined;
}

const create =
  (body: unknown, headers: Record<string, string> = {}) =>
  () =>
    app.ask('POST', '/api/notebooks', { body, headers });
const patchPage = (body: unknown) => () =>
  app.ask('PATCH', `/api/notebooks/bad-input/pages/${own.pages[0]!.id}`, { body, token: own.editToken });
const settings =
  (body: unknown, token = own?.editToken) =>
  () =>
    app.ask('PATCH', '/api/notebooks/bad-input', { body, token: token ?? own.editToken });
const at =
  (method: 'PATCH' | 'POST', path: string, { isOwn = false, ...options }: { body?: unknown; isOwn?: boolean } = {}) =>
  () =>
    app.ask(method, `/api/notebooks${path}`, { ...options, ...(isOwn ? { token: own.editToken } : {}) });
const anyPage = (body: unknown) => () => app.ask('PATCH', `/api/notebooks/bad-input/pages/${own.pages[0]!.id}`, { body });
const slug = (text: string) => create({ slug: text });
const mebibytes = (count: number) => 'x'.repeat(count * 1024 * 1024);

type Row = readonly [what: string, status: number, code: string, ask: Case['ask'], path?: string];

const rows: readonly Row[] = [
  ['JSON that ends too soon', 400, 'bad_request', create('{"title": "x"')],
  ['JSON with a trailing comma', 400, 'bad_request', create('{"title": "x",}')],
  ['no JSON at all', 400, 'bad_request', create('title=x')],
  ['bytes that are not UTF-8', 400, 'bad_request', create(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]))],
  [
    'overlong UTF-8',
    400,
    'bad_request',
    create(Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])),
  ],
  ['UTF-16', 400, 'bad_request', create(Buffer.from('\ufeff{"title":"x"}', 'utf16le'))],
  ['NUL in a title', 400, 'bad_request', create('{"title":"a\\u0000b"}')],
  ['NUL in markdown', 400, 'bad_request', create({ pages: [{ markdown: 'a\0b' }] })],
  ['NUL in a field name', 400, 'bad_request', create('{"ti\\u0000tle":"x"}')],
  ['a lone high surrogate', 400, 'bad_request', create('{"title":"\\ud83d"}')],
  ['a lone low surrogate in markdown', 400, 'bad_request', create('{"pages":[{"markdown":"x \\ude00 y"}]}')],
  ['a text for a body', 415, 'unsupported_media_type', create('{}', { 'content-type': 'text/plain' })],
  ['markdown for a body', 415, 'unsupported_media_type', create('# x', { 'content-type': 'text/markdown' })],
  ['an empty body', 422, 'invalid', create('')],
  ['an array for a body', 422, 'invalid', create([])],
  ['a string for a body', 422, 'invalid', create('"notebook"')],
  ['null for a body', 422, 'invalid', create('null')],
  ['an unknown field', 422, 'invalid', create({ titel: 'x' }), 'titel'],
  ['an unknown field in a page', 422, 'invalid', create({ pages: [{ markdown: '', id: 'x' }] }), 'pages[0].id'],
  ['__proto__ as a field', 422, 'invalid', create('{"__proto__": {"title": "x"}}'), '__proto__'],
  ['constructor as a field', 422, 'invalid', create('{"constructor": {"prototype": 1}}'), 'constructor'],
  ['a number for a title', 422, 'invalid', create({ title: 7 }), 'title'],
  ['null for a title', 422, 'invalid', create({ title: null }), 'title'],
  ['a title of 201 characters', 422, 'invalid', create({ title: 'x'.repeat(201) }), 'title'],
  ['a string for a boolean', 422, 'invalid', create({ readOnly: 'true' }), 'readOnly'],
  ['a page without markdown', 422, 'invalid', create({ pages: [{ title: 'x' }] }), 'pages[0].markdown'],
  ['a page that is a string', 422, 'invalid', create({ pages: ['# x'] }), 'pages[0]'],
  ['201 pages', 422, 'invalid', create({ pages: Array.from({ length: 201 }, () => ({ markdown: '' })) }), 'pages'],
  ['20,000 values', 413, 'too_large', create({ pages: Array.from({ length: 20_000 }, () => ({ markdown: '' })) })],
  ['an unknown visibility', 422, 'invalid', create({ visibility: 'hidden' }), 'visibility'],
  ['an unknown paper', 422, 'invalid', create({ paper: 'papyrus' }), 'paper'],
  ['an empty password', 422, 'invalid', create({ password: '' }), 'password'],
  ['a password of 73 bytes', 422, 'invalid', create({ password: 'x'.repeat(73) }), 'password'],
  ['a password of 25 three-byte characters', 422, 'invalid', create({ password: '語'.repeat(25) }), 'password'],
  ['an expiry in the past', 422, 'invalid', create({ expiresAt: '2020-01-01T00:00:00Z' }), 'expiresAt'],
  ['an unknown duration', 422, 'invalid', create({ expiresIn: '2w' }), 'expiresIn'],
  ['markdown of 1 MiB and a byte', 413, 'too_large', create({ pages: [{ markdown: `${mebibytes(1)}x` }] }), 'pages[0].markdown'],
  [
    'markdown of 1 MiB in three-byte characters',
    413,
    'too_large',
    create({ pages: [{ markdown: '語'.repeat(349_526) }] }),
    'pages[0].markdown',
  ],
  ['a 2 MiB page', 413, 'too_large', create({ pages: [{ markdown: mebibytes(2) }] }), 'pages[0].markdown'],
  ['a 9 MiB body', 413, 'too_large', create({ pages: [{ markdown: mebibytes(9) }] })],
  ['no Content-Type', 415, 'unsupported_media_type', create('{}', { 'content-type': '' })],
  ['a form', 415, 'unsupported_media_type', create('title=x', { 'content-type': 'application/x-www-form-urlencoded' })],
  ['JSON in Latin-1', 415, 'unsupported_media_type', create('{}', { 'content-type': 'application/json; charset=iso-8859-1' })],
  ['a compressed body', 415, 'unsupported_media_type', create('{}', { 'content-encoding': 'gzip' })],
  [
    'an image that says it is compressed',
    415,
    'unsupported_media_type',
    () => {
      const headers = { 'content-type': 'image/png', 'content-length': '1', 'content-encoding': 'deflate' };
      return app.ask('POST', '/api/notebooks/bad-input/images', { body: 'x', headers, token: own.editToken });
    },
  ],
  [
    'quick paste of a text that says it is compressed',
    415,
    'unsupported_media_type',
    () => app.ask('POST', '/api/quick', { body: 'text', headers: { 'content-type': 'text/plain', 'content-encoding': 'br' } }),
  ],
  ['a slug of two characters', 422, 'invalid', slug('ab'), 'slug'],
  ['a slug of 65 characters', 422, 'invalid', slug('a'.repeat(65)), 'slug'],
  ['an upper-case slug', 422, 'invalid', slug('My-Notes'), 'slug'],
  ['a slug with a Cyrillic letter', 422, 'invalid', slug('p\u0430ypal'), 'slug'],
  ['a slug with an umlaut', 422, 'invalid', slug('m\u00fcsli'), 'slug'],
  ['a slug in full-width letters', 422, 'invalid', slug('\uff4e\uff4f\uff54\uff45'), 'slug'],
  ['a slug with a hyphen in front', 422, 'invalid', slug('-notes'), 'slug'],
  ['a slug with a hyphen behind', 422, 'invalid', slug('notes-'), 'slug'],
  ['a slug with two hyphens', 422, 'invalid', slug('my--notes'), 'slug'],
  ['a slug with a dot', 422, 'invalid', slug('notes.md'), 'slug'],
  ['a slug with a slash', 422, 'invalid', slug('notes/print'), 'slug'],
  ['a slug that climbs', 422, 'invalid', slug('../etc'), 'slug'],
  ['a slug with an escape', 422, 'invalid', slug('a%2fb'), 'slug'],
  ['a slug with a line break', 422, 'invalid', slug('notes\n'), 'slug'],
  ['an empty slug', 422, 'invalid', slug(''), 'slug'],
  ['the slug new', 422, 'slug_reserved', slug('new'), 'slug'],
  ['the slug quick', 422, 'slug_reserved', slug('quick'), 'slug'],
  ['the slug api', 422, 'slug_reserved', slug('api'), 'slug'],
  ['the slug search', 422, 'slug_reserved', slug('search'), 'slug'],
  ['the slug healthz', 422, 'slug_reserved', slug('healthz'), 'slug'],
  ['a slug that is taken', 409, 'slug_taken', slug('bad-input'), 'slug'],
  [
    'a change without the edit token',
    401,
    'edit_token_missing',
    () => app.ask('PATCH', '/api/notebooks/bad-input', { body: { title: 'x' } }),
  ],
  ['a change with a wrong token', 403, 'edit_token_invalid', settings({ title: 'x' }, wrongToken)],
  ['a change with half a token', 403, 'edit_token_invalid', settings({ title: 'x' }, 'abc')],
  [
    'a change of an unknown notebook',
    404,
    'not_found',
    () => app.ask('PATCH', '/api/notebooks/nobody-here', { body: { title: 'x' }, token: wrongToken }),
  ],
  // A caller who may not change it hears just that, whatever else is wrong with the request.
  ['an unknown field without the edit token', 401, 'edit_token_missing', at('PATCH', '/bad-input', { body: { titel: 'x' } })],
  ['an unknown field with a wrong token', 403, 'edit_token_invalid', settings({ titel: 'x' }, wrongToken)],
  ['a new page without a body and a token', 401, 'edit_token_missing', at('POST', '/bad-input/pages')],
  ['a number for the markdown without the token', 401, 'edit_token_missing', anyPage({ markdown: 7 })],
  ['a new page without a body in an unknown notebook', 404, 'not_found', at('POST', '/nobody-here/pages')],
  ['a comment without a body on an unknown notebook', 404, 'not_found', at('POST', '/nobody-here/comments')],
  ['a report without a body of an unknown notebook', 404, 'not_found', at('POST', '/nobody-here/reports')],
  ['a new page without a body', 422, 'invalid', at('POST', '/bad-input/pages', { isOwn: true }), 'body'],
  ['a comment without a body', 422, 'invalid', at('POST', '/bad-input/comments'), 'body'],
  ['a deletion without the token', 401, 'edit_token_missing', () => app.ask('DELETE', '/api/notebooks/bad-input')],
  [
    'a deletion with a wrong token',
    403,
    'edit_token_invalid',
    () => app.ask('DELETE', '/api/notebooks/bad-input', { token: wrongToken }),
  ],
  [
    'a deletion with an empty token',
    401,
    'edit_token_missing',
    () => app.ask('DELETE', '/api/notebooks/bad-input', { headers: { 'x-edit-token': '' } }),
  ],
  ['GET /api/notebook without a token', 401, 'edit_token_missing', () => app.ask('GET', '/api/notebook')],
  ['GET /api/notebook with an unknown token', 404, 'not_found', () => app.ask('GET', '/api/notebook', { token: wrongToken })],
  ['an unknown setting', 422, 'invalid', () => settings({ color: 'red' })(), 'color'],
  ['slug among the settings', 422, 'invalid', () => settings({ slug: 'other' })(), 'slug'],
  ['a page order with a page missing', 422, 'invalid', () => settings({ pageOrder: [own.pages[0]!.id] })(), 'pageOrder'],
  [
    'a page order with a page twice',
    422,
    'invalid',
    () => settings({ pageOrder: [own.pages[0]!.id, own.pages[0]!.id] })(),
    'pageOrder',
  ],
  [
    'an unknown page',
    404,
    'not_found',
    () => app.ask('PATCH', '/api/notebooks/bad-input/pages/nopage', { body: { markdown: '' }, token: own.editToken }),
  ],
  ['an unknown field in a page change', 422, 'invalid', () => patchPage({ text: 'x' })(), 'text'],
  ['a number for markdown', 422, 'invalid', () => patchPage({ markdown: 5 })(), 'markdown'],
  ['a page change of 2 MiB', 413, 'too_large', () => patchPage({ markdown: mebibytes(2) })(), 'markdown'],
  [
    'a page after none',
    422,
    'invalid',
    () => app.ask('POST', '/api/notebooks/bad-input/pages', { body: { after: 'nopage' }, token: own.editToken }),
    'after',
  ],
  [
    'an unknown snapshot',
    404,
    'not_found',
    () => app.ask('GET', '/api/notebooks/bad-input/snapshots/none', { token: own.editToken }),
  ],
  [
    'snapshots without the token',
    401,
    'edit_token_missing',
    () => app.ask('GET', `/api/notebooks/bad-input/pages/${own.pages[0]!.id}/snapshots`),
  ],
  ['quick paste without a body', 422, 'invalid', () => app.ask('POST', '/api/quick', { body: '' })],
  [
    'quick paste without a body or a type',
    422,
    'invalid',
    () => app.ask('POST', '/api/quick', { headers: { accept: 'application/json' } }),
    'body',
  ],
  [
    'quick paste of bytes that are not UTF-8',
    400,
    'bad_request',
    () => app.ask('POST', '/api/quick', { body: Buffer.from([0xff, 0xff]), headers: { 'content-type': 'text/markdown' } }),
  ],
  [
    'quick paste with a NUL',
    400,
    'bad_request',
    () => app.ask('POST', '/api/quick', { body: 'a\0b', headers: { 'content-type': 'text/markdown' } }),
  ],
  ['an unknown API path', 404, 'not_found', () => app.ask('GET', '/api/nothing')],
  [
    'a method that a path does not know',
    405,
    'method_not_allowed',
    () => app.ask('PUT', '/api/notebooks/bad-input', { body: {} }),
  ],
  ['a path that escapes', 404, 'not_found', () => app.ask('GET', '/api/notebooks/..%2f..%2fetc')],
  ['a path with broken escapes', 404, 'not_found', () => app.ask('GET', '/api/notebooks/%zz')],
  ['a slug in a path with a NUL', 404, 'not_found', () => app.ask('GET', '/api/notebooks/a%00b')],
];

const cases: readonly Case[] = rows.map(([what, status, code, ask, path]) => ({ what, status, code, ask, path }));

describe('bad input is refused with its exact status and code', () => {
  it.each(cases)('$what: $status $code', async ({ status, code, ask, path }) => {
    const answer = await ask();
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    const problem = answer.json();
    expect(problem).toMatchObject({ type: 'about:blank', status, code });
    expect(problem.title).not.toBe('');
    expect(answer.body).not.toMatch(/node_modules|\.ts:\d|\bat .*\(/);
    if (code === 'invalid') expect(problem.errors.length).toBeGreaterThan(0);
    if (path !== undefined) expect(problem.errors.map((error: { path: string }) => error.path)).toContain(path);
    if (status === 401) expect(answer.headers['www-authenticate']).toBeTruthy();
  });

  it('leaves the notebook as it was', async () => {
    const answer = await app.ask('GET', '/api/notebook', { token: own.editToken });
    expect(answer.json()).toEqual(own.notebook);
  });
});

describe('a slug in a page path', () => {
  it.each(['/n/bad-input.', '/n/bad-input%20', '/n/..%2fbad-input', '/n/bad-input%00', '/n//bad-input', '/n/%zz'])(
    '%s is not there',
    async path => {
      const answer = await app.ask('GET', path);
      expect(answer.statusCode).toBe(404);
      expect(answer.headers['content-type']).toContain('text/html');
      expect(answer.body).not.toContain('One');
    },
  );

  it.each([
    ['/n/BAD-INPUT', '/n/bad-input'],
    ['/n/bad-input/?a=b', '/n/bad-input?a=b'],
    // Nothing is told about what exists.
    ['/n/NOT-There/', '/n/not-there'],
  ])('%s leads to %s', async (path, right) => {
    const answer = await app.ask('GET', path);
    expect([answer.statusCode, answer.headers.location, answer.body]).toEqual([303, right, '']);
  });
});
