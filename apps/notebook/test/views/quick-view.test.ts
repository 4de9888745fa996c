import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pressure } from '../../src/http/load/pressure.ts';
import { type Database, engines, sqlite } from '../support/engines.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { createThrough, startService } from '../support/service-process.ts';

interface Answer {
  readonly status: number;
  /** Without those of the connection and the moment. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

const ofTheConnection = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

function kept(headers: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !ofTheConnection.includes(name))
      .map(([name, value]) => [name, String(value)]),
  );
}

function read(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, response => {
      const parts: Buffer[] = [];
      response.on('data', part => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: kept(response.headers), body: Buffer.concat(parts) }),
      );
    }).on('error', reject);
  });
}

/** Drawn and kept by the time it is asked for often. */
async function readWarm(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  for (let turn = 0; turn < 3; turn++) await read(url, headers);
  return read(url, headers);
}

describe.each(engines)('a view in front of the framework, on $name', engine => {
  let app: NotebookApp;
  let origin: string;
  const pressure = new Pressure();
  beforeAll(async () => {
    app = await startNotebookApp({ engine, overrides: { pressure } });
    origin = await app.listen();
    // Its level is the test's to set: a look at this process would set it back.
    pressure.stop();
  });
  afterAll(() => app.close());

  const unpack = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes };

  describe.each([
    ['unlisted', { pages: [{ markdown: '# one\n\ntext' }, { markdown: 'two' }] }],
    ['public', { visibility: 'public', pages: [{ markdown: 'one' }, { markdown: 'two' }] }],
    ['one with a diagram', { pages: [{ markdown: '```mermaid\ngraph TD; a-->b\n```' }, { markdown: 'two' }] }],
  ])('of %s', (_kind, body) => {
    let made: CreatedNotebook;
    beforeAll(async () => {
      made = await app.create(body);
    });

    describe.each([
      ['its first page', () => `/n/${made.slug}`],
      ['a page', () => `/n/${made.slug}/p/${made.pages[1]!.id}`],
    ])('%s', (_page, path) => {
      it.each(['br', 'gzip', 'identity'] as const)('is answered in %s as the framework answers it', async coding => {
        const headers = { 'accept-encoding': coding };
        const quick = await readWarm(origin + path(), headers);
        const framework = await app.ask('GET', path(), { headers });
        expect(quick).toEqual({ status: 200, headers: kept(framework.headers), body: framework.rawPayload });
        expect(unpack[coding](quick.body).toString()).toContain('<html lang="en"');
      });

      it('and its 304', async () => {
        const { etag } = (await readWarm(origin + path())).headers;
        const headers = { 'if-none-match': String(etag), 'accept-encoding': 'br' };
        const quick = await readWarm(origin + path(), headers);
        const framework = await app.ask('GET', path(), { headers });
        expect(quick).toEqual({ status: 304, headers: kept(framework.headers), body: Buffer.alloc(0) });
      });
    });
  });

  it('is not for who brings a proof: the owner of a private notebook, the reader of a locked one', async () => {
    const { slug, editToken } = await app.create({ pages: [{ markdown: 'kept words' }] });
    await readWarm(`${origin}/n/${slug}`);
    const change = await app.ask('PATCH', `/api/notebooks/${slug}`, { token: editToken, body: { password: 'key' } });
    expect(change.statusCode).toBe(200);
    const unlocked = await app.ask('POST', `/api/notebooks/${slug}/unlock`, { body: { password: 'key' } });
    const cookie = String(unlocked.headers['set-cookie']).split(';')[0]!;
    for (const [headers, status, cacheControl] of [
      [{}, 401, 'no-store'],
      [{ cookie }, 200, 'no-store'],
      [{ 'x-edit-token': editToken }, 200, 'no-store'],
      [{ 'x-edit-token': 'x'.repeat(43) }, 403, undefined],
    ] as const) {
      const answer = await readWarm(`${origin}/n/${slug}`, headers as Record<string, string>);
      expect(answer.status).toBe(status);
      if (cacheControl) expect(answer.headers['cache-control']).toBe(cacheControl);
    }
  });

  it('answers what comes behind one another on a connection in its order, and closes where that was asked for', async () => {
    const { slug } = await app.create({ pages: [{ markdown: 'one' }] });
    const { etag } = (await readWarm(`${origin}/n/${slug}`)).headers;
    const { port } = new URL(origin);
    const socket = connect(Number(port), '127.0.0.1');
    const lines = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    socket.write(
      // The first is the framework's, and waits for the database.
      lines(`/n/${slug}?from=a-list`) +
        lines(`/n/${slug}`, `If-None-Match: ${etag}\r\n`) +
        lines(`/n/${slug}.md`) +
        lines(`/n/${slug}`, 'Connection: close\r\n'),
    );
    let text = '';
    socket.on('data', part => {
      text += part.toString('latin1');
    });
    await once(socket, 'close');
    expect([...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual(['200', '304', '200', '200']);
    expect(text).toMatch(/content-type: text\/markdown/);
    expect(text.trimEnd()).toMatch(/<\/html>$/);
  });

  it('is counted while it is answered, and answered when there is too much to do for anything else', async () => {
    const { slug } = await app.create({ pages: [{ markdown: 'one' }] });
    await readWarm(`${origin}/n/${slug}`);
    pressure.level = 'severe';
    try {
      expect((await read(`${origin}/n/${slug}`)).status).toBe(200);
      expect((await read(`${origin}/n/${slug}/print`)).status).toBe(503);
    } finally {
      pressure.level = 'none';
    }
    await expect.poll(() => pressure.requests).toBe(0);
  });
});

describe.each(engines)('the finished pages that are kept, on $name', engine => {
  let app: NotebookApp;
  let origin: string;
  let database: Database;
  beforeAll(async () => {
    database = await engine.createDatabase();
    app = await startNotebookApp({ env: { DATABASE_URL: database.url } });
    origin = await app.listen();
  });
  afterAll(async () => {
    await app.close();
    database.remove();
  });

  it('are there when a text was written, and after a restart nothing is drawn', async () => {
    const { slug } = await app.create({ pages: [{ markdown: '# ready before anybody came' }] });
    const { store } = app.parts;
    const first = await read(`${origin}/n/${slug}`);
    let listed = 0;
    const again = await startNotebookApp({
      env: { DATABASE_URL: database.url },
      overrides: {
        store: {
          ...store,
          close: async () => {},
          listPageHeads: async id => {
            listed += 1;
            return store.listPageHeads(id);
          },
        },
      },
    });
    const other = await again.listen();
    await expect
      .poll(async () => {
        listed = 0;
        await read(`${other}/n/${slug}?not-from-memory=${Math.random()}`);
        return listed;
      })
      .toBe(0);
    const answer = await read(`${other}/n/${slug}`, { 'accept-encoding': 'br' });
    expect(brotliDecompressSync(answer.body).toString()).toContain('ready before anybody came');
    expect(answer.headers.etag).toBe(first.headers.etag);
    await again.close();
    await expectInMemory(slug);
  });

  /** A page read once pushes nothing out of memory: it enters at its second view. */
  async function expectInMemory(slug: string): Promise<void> {
    const { store } = app.parts;
    let reads = 0;
    const counted = <Args extends unknown[], Result>(find: (...args: Args) => Result) => {
      return (...args: Args) => {
        reads += 1;
        return find(...args);
      };
    };
    const counting = {
      ...store,
      close: async () => {},
      findViewed: counted(store.findViewed),
      ...(store.sync ? { sync: { ...store.sync, findViewed: counted(store.sync.findViewed) } } : {}),
    };
    const fresh = await startNotebookApp({ env: { DATABASE_URL: database.url }, overrides: { store: counting } });
    const url = `${await fresh.listen()}/n/${slug}`;
    for (const readsSoFar of [1, 2, 2, 2]) {
      expect((await read(url, { 'accept-encoding': 'br' })).status).toBe(200);
      expect(reads).toBe(readsSoFar);
    }
    await fresh.close();
  }
});

it('shows what was committed while it waited for a slow disk', async () => {
  const database = await sqlite.createDatabase();
  const app = await startNotebookApp({ env: { DATABASE_URL: database.url } });
  const { store } = app.parts;
  const created = await app.create({ pages: [{ markdown: '# before' }] });
  const { slug } = created;
  const file = new DatabaseSync(database.url.slice('sqlite:'.length), { readOnly: true });
  /** Drawn with this text and stored. */
  const whenKept = async (text: string) => {
    await app.ask('GET', `/n/${slug}`);
    const stored = () => file.prepare('SELECT br FROM finished_pages').get()?.br as Uint8Array | undefined;
    await expect.poll(() => brotliDecompressSync(stored() ?? brotliCompressSync('nothing')).toString()).toContain(text);
  };
  const slow = await startNotebookApp({
    overrides: {
      store: {
        ...store,
        close: async () => {},
        sync: {
          ...store.sync!,
          isSlow: () => true,
          async prefetchViewed(...viewed) {
            expect(viewed.slice(0, 2)).toEqual([slug, undefined]);
            const page = `/api/notebooks/${slug}/pages/${created.pages[0]!.id}`;
            await app.ask('PATCH', page, { body: { markdown: '# after' }, token: created.editToken });
            await whenKept('after');
          },
        },
      },
    },
  });
  const url = `${await slow.listen()}/n/${slug}`;
  await whenKept('before');
  expect(brotliDecompressSync((await read(url, { 'accept-encoding': 'br' })).body).toString()).toContain('</a>after</h1>');
  file.close();
  await slow.close();
  await app.close();
  database.remove();
});

it('is written to the log as before, under a number of its own, and no line is made that is not wanted', async () => {
  const database = await sqlite.createDatabase();
  const service = await startService({ DATABASE_URL: database.url, LOG_LEVEL: 'info' });
  try {
    const { slug } = await createThrough(service.origin);
    for (let turn = 0; turn < 6; turn++) await read(`${service.origin}/n/${slug}`);
    await read(`${service.origin}/n/${slug}?through-the-framework`);
    const lines = () =>
      service
        .output()
        .split('\n')
        .filter(line => line.includes('"path":"/n/[slug]"'))
        .map(line => JSON.parse(line));
    await expect.poll(() => lines().length).toBe(7);
    const keys = new Set(lines().map(line => Object.keys(line).join()));
    expect([...keys]).toEqual(['level,time,reqId,method,path,status,ms,msg']);
    expect(new Set(lines().map(({ reqId }) => reqId)).size).toBe(7);
    expect(service.output()).not.toContain(slug);
  } finally {
    await service.kill();
    database.remove();
  }
});
