import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const trace = `java.lang.IllegalStateException: no seat left
\tat org.example.Hall.seat(Hall.java:41)
\tat org.example.Main.main(Main.java:9)
`;

let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp();
});
afterAll(() => app.close());

/** The Markdown that a paste was stored as. */
async function stored(body: string, type: string | undefined, path = '/api/quick'): Promise<string> {
  const answer = await app.server.inject({
    method: 'POST',
    url: path,
    payload: body,
    headers: { accept: 'application/json', ...(type === undefined ? {} : { 'content-type': type }) },
  });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json().notebook.pages[0].markdown;
}

describe('quick paste keeps a text as its sender means it', () => {
  it.each([
    ['text/markdown', trace],
    ['text/plain', `\`\`\`\n${trace}\`\`\`\n`],
    ['application/x-www-form-urlencoded', `\`\`\`\n${trace}\`\`\`\n`],
    [undefined, `\`\`\`\n${trace}\`\`\`\n`],
  ])('a stack trace sent as %s', async (type, expected) => {
    expect(await stored(trace, type)).toBe(expected);
  });

  it.each(['# Plan\n\nFirst we *read*, then we write.\n', 'Dear reader, this is only a letter.\nIt has two lines.\n'])(
    'plain text that is plainly Markdown or prose stays as it is: %j',
    async text => {
      expect(await stored(text, 'text/plain')).toBe(text);
      expect(await stored(text, undefined)).toBe(text);
    },
  );

  it('?as= overrules the type and the guess', async () => {
    expect(await stored(trace, 'text/plain', '/api/quick?as=markdown')).toBe(trace);
    expect(await stored('# Plan', 'text/markdown', '/api/quick?as=code')).toBe('```\n# Plan\n```\n');
    expect(await stored('# Plan', 'text/markdown', '/api/quick?as=text')).toBe('```text\n# Plan\n```\n');
  });

  it('refuses another ?as= by name', async () => {
    const answer = await app.ask('POST', '/api/quick?as=poem', { body: { markdown: 'x' } });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors).toEqual([{ path: 'as', message: 'must be one of markdown, code, text' }]);
  });

  it('reads a real form with the field markdown', async () => {
    expect(await stored('markdown=%23+Plan%0A%0Atext', 'application/x-www-form-urlencoded')).toBe('# Plan\n\ntext');
  });

  it('refuses a form whose percents spell no UTF-8, and keeps percents in a text that is no form', async () => {
    const type = 'application/x-www-form-urlencoded';
    const answer = await app.server.inject({
      method: 'POST',
      url: '/api/quick',
      payload: 'markdown=gr%FC%DFe',
      headers: { 'content-type': type },
    });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'bad_request']);
    expect(await stored('# Plan\n\n100%FC of it', type)).toBe('# Plan\n\n100%FC of it');
  });

  it('takes a file longer than a form of ours may be', async () => {
    const long = `${'A line of prose that goes on. '.repeat(5_000)}\n`;
    expect(await stored(long, 'application/x-www-form-urlencoded')).toBe(long);
  });

  it.each(['application/octet-stream', 'multipart/form-data; boundary=x', 'image/png'])('refuses %s', async type => {
    const answer = await app.ask('POST', '/api/quick', { body: 'x', headers: { 'content-type': type } });
    expect(answer.statusCode).toBe(415);
    expect(answer.json().code).toBe('unsupported_media_type');
  });

  it('refuses a text of more than 1 MiB under the name that it was sent with', async () => {
    const fits = '漢'.repeat(349_525);
    for (const headers of [{}, { 'content-type': 'text/markdown', accept: 'application/json' }]) {
      const send = (text: string) =>
        app.ask('POST', '/api/quick', { body: 'accept' in headers ? text : { markdown: text }, headers });
      const [just, over] = [await send(`${fits}a`), await send(`${fits}ab`)];
      expect([just.statusCode, over.statusCode]).toEqual([201, 413]);
      const message = 'is longer than 1048576 bytes of UTF-8';
      expect(over.json()).toMatchObject({ detail: `markdown ${message}`, errors: [{ path: 'markdown', message }] });
    }
  });

  it('a text without a heading has its first line as title', async () => {
    const answer = await app.ask('POST', '/api/quick', { body: trace, headers: { 'content-type': 'text/plain' } });
    expect(answer.json().notebook.title).toBe('java.lang.IllegalStateException: no seat left');
    const heading = await app.ask('POST', '/api/quick', { body: { markdown: 'first\n\n# Heading' } });
    expect(heading.json().notebook.title).toBe('Heading');
  });
});

describe('a first line that is too long for a title', () => {
  it.each([
    ['by its length', `x${' '.repeat(399)}😀 and more`, 'x'],
    ['just behind the character', `x${' '.repeat(398)}😀 and more`, 'x 😀'],
    ['where the search for it ends', `${' '.repeat(9_999)}😀 and more`, 'Untitled notebook'],
  ])('is cut between characters, not in one: %s', async (_, text, title) => {
    for (const body of [text, { markdown: text }]) {
      const headers = { accept: 'application/json', ...(body === text ? { 'content-type': 'text/plain' } : {}) };
      const answer = await app.ask('POST', '/api/quick?as=text', { body, headers });
      expect(answer.statusCode, answer.body).toBe(201);
      expect(answer.json().notebook.title).toBe(title);
    }
  });
});

describe('quick paste answers a terminal in lines', () => {
  const post = (headers: Record<string, string>, body = '# Note') =>
    app.ask('POST', '/api/quick', { body, headers: { 'content-type': 'text/markdown', ...headers } });

  it.each([
    ['Accept: text/plain', { accept: 'text/plain' }],
    ['curl', { accept: '*/*', 'user-agent': 'curl/8.14.1' }],
  ])('%s: two lines, the links and nothing else', async (_, headers) => {
    const answer = await post(headers);
    expect(answer.statusCode).toBe(201);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toMatch(/^view http:\/\/localhost\/n\/[a-z0-9]{16}\nedit http:\/\/localhost\/e\/[\w-]{43}\n$/);
  });

  it.each([
    ['curl that asks for JSON', { accept: 'application/json', 'user-agent': 'curl/8.14.1' }],
    ['a program that says */*', { accept: '*/*', 'user-agent': 'node' }],
  ])('%s: JSON', async (_, headers) => {
    expect((await post(headers)).json()).toMatchObject({ viewUrl: expect.any(String), editUrl: expect.any(String) });
  });

  it('curl that sends JSON gets JSON', async () => {
    const answer = await app.ask('POST', '/api/quick', {
      body: { markdown: 'x' },
      headers: { accept: '*/*', 'user-agent': 'curl/8' },
    });
    expect(answer.json()).toMatchObject({ editToken: expect.any(String) });
  });

  it('a refusal is one line there, with its status', async () => {
    const answer = await post({ accept: 'text/plain' }, 'a\0b');
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toBe('error bad_request: The body holds a NUL character.\n');
    const type = await post({ accept: 'text/plain', 'content-type': 'application/zip' });
    expect(type.statusCode).toBe(415);
    expect(type.body).toMatch(/^error unsupported_media_type: [^\n]+\n$/);
  });

  it('curl --data-binary @- needs no header', async context => {
    const run = promisify(execFile);
    const there = await run('curl', ['--version']).catch(() => undefined);
    if (!there) return context.skip('curl is not installed');
    const address = await app.listen();
    const child = run('curl', ['-s', '--data-binary', '@-', `${address}/api/quick`]);
    child.child.stdin?.end(trace);
    expect((await child).stdout).toMatch(/^view \S+\nedit \S+\n$/);
  });
});
