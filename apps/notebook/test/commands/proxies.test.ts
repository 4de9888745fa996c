import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { useCommandLine } from '../support/command-line.ts';

/** What a proxy in front of the service does. */
interface Ways {
  /** Headers of requests that it takes away. */
  readonly strips?: readonly string[];
  /** Past it, a body is refused with a page of its own, as nginx does (`client_max_body_size`). */
  readonly maxBodyBytes?: number;
  /** It compresses, so that strong tags become weak. */
  readonly weakens?: boolean;
}

describe('behind a proxy', () => {
  const line = useCommandLine();
  const fetchReally = fetch;
  let proxy: Server;
  let ways: Ways = {};
  let through = '';
  const bodies: number[] = [];

  beforeAll(async () => {
    proxy = createServer((request, response) => {
      const { strips = [], maxBodyBytes = Number.POSITIVE_INFINITY, weakens } = ways;
      if (request.method === 'POST') bodies.push(Number(request.headers['content-length']));
      if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) {
        request.resume();
        response.writeHead(413, { 'content-type': 'text/html' }).end('<html><h1>413 Request Entity Too Large</h1></html>');
        return;
      }
      const headers = { ...request.headers };
      for (const name of strips) delete headers[name];
      if (weakens && headers['if-match']) headers['if-match'] = `W/${headers['if-match']}`;
      const [host, port] = line.address.split(':');
      request.pipe(
        send({ host, port, path: request.url, method: request.method, headers }, answer => {
          const { etag } = answer.headers;
          response.writeHead(answer.statusCode!, {
            ...answer.headers,
            ...(weakens && etag && !etag.startsWith('W/') && { etag: `W/${etag}` }),
          });
          answer.pipe(response);
        }),
      );
    });
    await new Promise<void>(listening => proxy.listen(0, '127.0.0.1', listening));
    through = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    line.address = new URL(await line.app.listen()).host;
  });
  afterAll(() => proxy.close());
  beforeEach(() => {
    bodies.length = 0;
    // The command's, and the browser's, whose addresses are paths.
    vi.stubGlobal('fetch', (url: string, init?: RequestInit) =>
      fetchReally(new URL(url.replace('http://localhost', ''), through), init),
    );
  });
  afterEach(() => {
    ways = {};
  });

  const changeElsewhere = async (markdown: string) => {
    const { id } = (await line.pages())[0]!;
    await line.app.ask('PATCH', `/api/notebooks/${line.slug}/pages/${id}`, { token: line.token, body: { markdown } });
    return id;
  };

  it.each<[string, Ways]>([
    ['takes If-Match away', { strips: ['if-match'] }],
    ['takes it away and weakens tags', { strips: ['if-match'], weakens: true }],
    ['makes tags weak', { weakens: true }],
    ['takes away what says the revision a second time', { strips: ['x-page-revision'] }],
  ])('that %s, nobody’s words are replaced unasked', async (_, given) => {
    ways = given;
    const file = line.write('one.md', '# One\n');
    expect(await line.octavo('push', file)).toBe(0);
    line.write('one.md', '# Two\n');
    expect(await line.octavo('push', file)).toBe(0);
    const id = await changeElsewhere('theirs');
    line.write('one.md', '# Mine\n');
    expect(await line.octavo('push', file)).toBe(1);
    expect(line.said.at(-2)).toContain('changed on the server since');
    expect((await line.pages())[0]?.markdown).toBe('theirs');
    // The editor's client, too: for a save, and for a deletion.
    const { ask } = await import('../../src/browser/api/api-client.ts');
    const { changePage, deletePage, addPage } = await import('../../src/api/calls.ts');
    const owner = { editToken: line.token };
    await ask(addPage, [line.slug], { ...owner, body: { markdown: 'another' } });
    const save = ask(changePage, [line.slug, id], { ...owner, body: { markdown: 'mine' }, ifMatch: 2 });
    await expect(save).rejects.toMatchObject({ status: 412 });
    await expect(ask(deletePage, [line.slug, id], { ...owner, ifMatch: 2 })).rejects.toMatchObject({ status: 412 });
    expect((await line.pages()).map(({ markdown }) => markdown)).toEqual(['theirs', 'another']);
    await ask(changePage, [line.slug, id], { ...owner, body: { markdown: 'mine, after all' }, ifMatch: 3 });
    expect((await line.pages())[0]?.markdown).toBe('mine, after all');
  });

  it('that takes a mebibyte at most, many files are pushed in parts', async () => {
    ways = { maxBodyBytes: 1_048_576 };
    const files = Array.from({ length: 10 }, (_, at) =>
      line.write(`file-${at}.md`, `# File ${at}\n\n${'word '.repeat(40_000)}\n`),
    );
    expect(await line.octavo('push', ...files)).toBe(0);
    expect((await line.pages()).map(({ markdown }) => markdown.slice(0, 8))).toEqual(files.map((_, at) => `# File ${at}`));
    expect(line.said.at(-1)).toContain('Made a notebook of 10 pages');
    expect(bodies.filter(bytes => bytes > 1_048_576).length).toBeLessThan(3);
  });

  it('that takes less than one of the files, that file is named with what to do, and the others are pushed', async () => {
    ways = { maxBodyBytes: 100_000 };
    const long = `# Long\n\n${'word '.repeat(40_000)}\n`;
    const files = ['# One\n', long, '# Three\n'].map((text, at) => line.write(`file-${at}.md`, text));
    expect(await line.octavo('push', ...files)).toBe(1);
    expect((await line.pages()).map(({ markdown }) => markdown)).toEqual(['# One\n', '# Three\n']);
    const said = line.said.find(text => text.includes('file-1.md'));
    expect(said).toContain('a proxy in front of the server takes no request of 200 kB');
    // The first file alone is too long for a notebook to begin with.
    expect(await line.octavo('push', '--new', files[1]!)).toBe(1);
    expect(line.said.at(-1)).toContain('a proxy in front of the server takes no request of 200 kB');
  });
});
