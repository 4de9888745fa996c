import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailable } from '../../src/store/database-unavailable.ts';
import { createStore } from '../../src/store/open-store.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { openLog } from '../../src/store/sqlite/sqlite-log-sync.ts';
import { createWriteQueue } from '../../src/store/sqlite/sqlite-write-queue.ts';
import type { Query, Value } from '../../src/store/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { sqlite } from '../support/engines.ts';
import { openFiles } from '../support/open-files.ts';
import { aChange, indexAll, type Made, make, newId, noon } from './contract/subject.ts';
import { type OpenSubject, openSubject } from './open-subject.ts';

describe('the store on SQLite', () => {
  let subject: OpenSubject;
  beforeAll(async () => {
    subject = await openSubject(sqlite);
  });
  afterAll(() => subject.close());

  it('writes ahead', async () => {
    const file = new DatabaseSync(subject.url.slice('sqlite:'.length));
    expect({ ...file.prepare('PRAGMA journal_mode').get() }).toEqual({ journal_mode: 'wal' });
    file.close();
  });

  it('reads views first in a thread once reading them here takes long', async () => {
    const { url, remove } = await sqlite.createDatabase();
    const store = createStore(url);
    await store.migrate();
    const { notebook } = await make(store, {}, ['# read']);
    const view = [notebook.slug, undefined, 'a build'] as const;
    let now = 1_000_000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => ++now);
    try {
      for (let read = 0; read < 250; read++) {
        expect(store.sync!.isSlow()).toBe(false);
        expect(store.sync!.findViewed(...view)?.notebook).toEqual(notebook);
      }
    } finally {
      clock.mockRestore();
    }
    expect(store.sync!.isSlow()).toBe(true);
    await store.sync!.prefetchViewed(...view);
    expect((await store.findViewed(...view))?.notebook).toEqual(notebook);
    await store.close();
    const open = openFiles().filter(file => file.startsWith(url.slice('sqlite:'.length)));
    expect(open).toEqual([]);
    remove();
  });

  it('takes the words of a deleted notebook out of the bytes of its index', async () => {
    const { store, sql } = subject;
    const { owner } = await make(store, { visibility: 'public' }, ['jqxzvk']);
    const bytes = async () => JSON.stringify(await sql('SELECT block FROM search_text_data'));
    await indexAll(store);
    expect(await bytes()).toContain('jqx');
    await store.deleteNotebook(owner, noon);
    await indexAll(store);
    expect(await bytes()).not.toContain('jqx');
  });

  it('a long notebook is created in a thread, a short one without', async () => {
    const { store, remove } = await openAlone();
    const inserted = watchStatements(/^insert into "pages"/i);
    const { notebook, pages } = await make(store, {}, ['x'.repeat(262_145)]);
    expect(inserted()).toEqual([]);
    expect(await store.listPages(notebook.id)).toEqual(pages);
    await expect(make(store, { slug: notebook.slug }, ['x'.repeat(262_145)])).rejects.toThrow('slug_taken');
    const insertedHere = watchStatements(/^insert into "pages"/i);
    await make(store, {}, ['x'.repeat(262_144)]);
    expect(insertedHere()).toHaveLength(1);
    await store.close();
    remove();
  });

  describe('much that is deleted', () => {
    const long = 'Sternwarte '.repeat(24_000);
    const page = { revision: 1, variant: 'view', engine: '1' };
    const comment = { pageId: null, author: '', body: 'x'.repeat(2_000), createdAt: noon };
    const finished = { etag: 'one', frames: false, br: Buffer.alloc(long.length) };
    const heavy: Record<string, (store: Store, made: Made) => Promise<unknown>> = {
      text: (store, { owner, pages }) => store.changePage(owner, pages[0]!.id, aChange({ markdown: long }), noon),
      snapshots: async (store, { owner, pages }) => {
        for (const markdown of [long, 'short']) await store.changePage(owner, pages[0]!.id, aChange({ markdown }), noon);
      },
      'kept HTML': (store, { pages }) => store.keepRendering(pages[0]!.id, page, { json: long, packed: null }),
      'packed HTML': (store, { pages }) =>
        store.keepRendering(pages[0]!.id, page, { json: '{}', packed: Buffer.alloc(long.length) }),
      'a finished page': (store, { notebook, pages }) => store.keepFinishedPage(pages[0]!.id, notebook.version, 'one', finished),
    };
    const fill = async (store: Store, name: string) => {
      const made = await make(store, {}, ['# One', '# Two']);
      await heavy[name]!(store, made);
      return made;
    };

    it.each(Object.keys(heavy))('is deleted in a thread, with the notebook: %s', async name => {
      const { store, remove } = await openAlone();
      const { owner, notebook } = await fill(store, name);
      const statements = watchDeletions();
      expect(await store.deleteNotebook(owner, noon)).toBe(true);
      expect(statements()).toEqual([]);
      expect(await store.findNotebookBySlug(notebook.slug)).toBeUndefined();
      await store.close();
      remove();
    });

    it.each(Object.keys(heavy))('is deleted in a thread, with the page: %s', async name => {
      const { store, remove } = await openAlone();
      const { owner, notebook, pages } = await fill(store, name);
      const revision = (await store.findPage(notebook.id, pages[0]!.id))!.revision;
      const statements = watchDeletions();
      expect(await store.deletePage(owner, pages[0]!.id, noon, revision + 1)).toMatchObject({
        kind: 'stale',
        page: { revision },
      });
      expect(await store.deletePage(owner, pages[0]!.id, noon, revision)).toEqual({ kind: 'deleted' });
      expect(statements()).toEqual([]);
      expect((await store.listPageHeads(notebook.id)).map(({ id, position }) => [id, position])).toEqual([[pages[1]!.id, 0]]);
      await store.close();
      remove();
    });

    it('is counted with the comments', async () => {
      const { store, remove } = await openAlone();
      const { owner, notebook } = await make(store);
      for (let at = 0; at < 132; at++) await store.addComment({ ...comment, id: newId(), notebookId: notebook.id });
      const statements = watchDeletions();
      expect(await store.deleteNotebook(owner, noon)).toBe(true);
      expect(statements()).toEqual([]);
      await store.close();
      remove();
    });

    it('starts a thread only then: a short notebook, or page, is deleted without', async () => {
      const { store, remove } = await openAlone();
      const { owner, pages } = await make(store, {}, ['x'.repeat(120_000), 'x'.repeat(120_000)]);
      const statements = watchDeletions();
      expect(await store.deletePage(owner, pages[0]!.id, noon)).toEqual({ kind: 'deleted' });
      expect(await store.deleteNotebook(owner, noon)).toBe(true);
      expect(statements()).toEqual([expect.stringMatching(/"pages"/), expect.stringMatching(/"notebooks"/)]);
      await store.close();
      remove();
    });

    it('counts as a write that the rate limit sees', async () => {
      const { store, remove } = await openAlone();
      const { owner, pages } = await fill(store, 'text');
      const slot = { name: 'contentWrite', key: 'one', max: 1, windowSeconds: 600 };
      expect(await store.deletePage(owner, pages[0]!.id, noon, undefined, slot)).toEqual({ kind: 'deleted' });
      expect(await store.deletePage(owner, pages[0]!.id, noon, undefined, slot)).toEqual({
        kind: 'rate_limited',
        retryAfterSeconds: 600,
      });
      await store.close();
      remove();
    });
  });

  describe('the purge, in its thread', () => {
    const due = { expiredBefore: noon, openedBefore: 0, reportedBefore: 0 };
    const over = { expiresAt: noon - 1 };

    it('holds no event loop: nothing is deleted on the connection of the service', async () => {
      const { store, remove } = await openAlone();
      await make(store, over);
      const statements = watchDeletions();
      expect(await store.purgeNotebooks(due, noon, 5)).toEqual({ expired: 1, burned: 0 });
      expect(await store.deleteExpired(due, noon, 5)).toEqual({ rateWindows: 0, freedSlugs: 1, reports: 0 });
      expect(statements()).toEqual([]);
      await store.close();
      remove();
    });

    it('takes together what is light: a save beside it waits for no more than one large notebook', async () => {
      const { store, remove } = await openAlone();
      // Just what may go at once: nothing goes with it.
      const large = Array.from({ length: 4 }, () => 'x'.repeat(1_040_000));
      const light = ['x'.repeat(100_000)];
      for (const [at, texts] of [large, light, light, large, light].entries())
        await make(store, { expiresAt: noon - 10 + at }, texts);
      const gone: number[] = [];
      for (let turn = 0; turn < 5; turn++) gone.push((await store.purgeNotebooks(due, noon, 5)).expired);
      expect(gone).toEqual([1, 2, 1, 1, 0]);
      await store.close();
      remove();
    });

    it('writes over what it deletes', async () => {
      const { url, store, remove } = await openAlone();
      await make(store, { ...over, title: 'Mondlandschaft' }, ['Sternwarte '.repeat(2_000)]);
      await store.purgeNotebooks(due, noon, 5);
      await store.close();
      const bytes = readFileSync(url.slice('sqlite:'.length)).toString('latin1');
      for (const word of ['Mondlandschaft', 'Sternwarte']) expect(bytes.includes(word), word).toBe(false);
      remove();
    });

    it('says that the database does not work when it cannot be opened', async () => {
      const { url, store, remove } = await openAlone();
      await store.ping();
      const path = url.slice('sqlite:'.length);
      for (const part of ['', '-wal', '-shm']) renameSync(path + part, `${path}${part}.away`);
      writeFileSync(path, 'no database '.repeat(100));
      await expect(store.purgeNotebooks(due, noon, 5)).rejects.toThrow(DatabaseUnavailable);
      await store.close();
      remove();
    });
  });

  describe('a long notebook whose thread fails', () => {
    const long = ['x'.repeat(262_145)];
    const refusalOf = (made: Promise<unknown>) => made.then(() => undefined).catch((error: unknown) => error);

    it('may be there all the same where the thread died: nobody is told that nothing was changed', async () => {
      const { store, remove } = await openAlone();
      process.once('worker', (thread: Worker) => thread.terminate());
      const refusal = await refusalOf(make(store, {}, long));
      expect(refusal).toBeInstanceOf(DatabaseUnavailable);
      expect(refusal).toMatchObject({ uncertain: true, cause: { message: 'The thread of large writes exited.' } });
      // Another thread does the next one.
      const { notebook, pages } = await make(store, {}, long);
      expect(await store.listPages(notebook.id)).toEqual(pages);
      await store.close();
      remove();
    });

    it.each([true, false])('is refused as the thread says, uncertain or not: %s', async uncertain => {
      const { store, remove } = await openAlone();
      const failed = { message: 'EIO: i/o error, fdatasync', uncertain };
      process.once('worker', (thread: Worker) => thread.emit('message', { number: 1, failed }));
      const refusal = await refusalOf(make(store, {}, long));
      expect(refusal).toBeInstanceOf(DatabaseUnavailable);
      expect(refusal).toMatchObject({ uncertain, cause: { message: 'EIO: i/o error, fdatasync' } });
      await store.close();
      remove();
    });

    it('is refused as by a database that does not work where the thread cannot open the file, whatever the system says', async () => {
      const { url, store, remove } = await openAlone();
      const folder = dirname(url.slice('sqlite:'.length));
      renameSync(folder, `${folder}.away`);
      writeFileSync(folder, '');
      const refusal = await refusalOf(make(store, {}, long));
      expect(refusal).toBeInstanceOf(DatabaseUnavailable);
      expect(refusal).toMatchObject({ uncertain: false, cause: { message: expect.stringContaining('EEXIST') } });
      rmSync(folder);
      renameSync(`${folder}.away`, folder);
      await store.close();
      remove();
    });
  });

  it('leaves nothing of a deleted notebook in the bytes of its file', async () => {
    const { url, store, remove } = await openAlone();
    const words = ['Mondlandschaft', 'Sonnenfinsternis', 'Sternwarte'];
    const { owner, pages } = await make(store, { title: words[0]!, visibility: 'public' }, [`${words[1]} `.repeat(2000)]);
    await store.changePage(owner, pages[0]!.id, aChange({ markdown: words[2]! }), noon);
    await store.deleteNotebook(owner, noon);
    // The last one to close moves what was written ahead into the file.
    await store.close();
    const bytes = readFileSync(url.slice('sqlite:'.length)).toString('latin1').toLowerCase();
    for (const word of words) expect(bytes.includes(word.toLowerCase()), word).toBe(false);
    remove();
  });

  it.each([
    ['as one', 0, 1],
    ['as two when they take more than 10 ms', 4, 2],
  ])(
    'commits writes that come together %s, and one that fails takes none of the others with it',
    async (_, readingMillis, commits) => {
      const database = new DatabaseSync(':memory:');
      database.exec('CREATE TABLE kept (turn INTEGER)');
      const said: string[] = [];
      const exec = (sql: string) => {
        said.push(sql);
        database.exec(sql);
      };
      const watched = Object.assign(Object.create(database), { exec }) as DatabaseSync;
      const insert = (values: readonly Value[]): Query => ({ sql: 'INSERT INTO kept VALUES (?)', values, isFixed: true });
      const execute = ({ sql, values }: Query) => database.prepare(sql).all(...(values as number[]));
      Object.defineProperty(watched, 'isTransaction', { get: () => database.isTransaction });
      // The machine's own clock would part them where the machine is busy.
      let time = 0;
      const queue = createWriteQueue(watched, execute, { now: () => (time += readingMillis) });

      const writes = [0, 1, 2, 3, 4].map(turn =>
        queue.add(function* () {
          yield insert([turn]);
          if (turn === 3) throw new Error('no');
          return turn;
        }),
      );
      const results = await Promise.allSettled(writes);
      expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, false, true]);
      expect(said.filter(sql => sql === 'COMMIT')).toHaveLength(commits);
      expect(database.prepare('SELECT turn FROM kept').all()).toMatchObject([{ turn: 0 }, { turn: 1 }, { turn: 2 }, { turn: 4 }]);
      database.close();
    },
  );

  it('answers a change when the log beside the file has been synced since', async () => {
    const { url, store, remove } = await openAlone();
    await store.close();
    const path = url.slice('sqlite:'.length);
    const done: string[] = [];
    const engine = openSqlite(path, () => {
      const log = openLog(path);
      return { ...log, sync: () => log.sync().then(() => void done.push('synced')) };
    });
    await engine.write(function* () {}).then(() => done.push('answered'));
    expect(done).toEqual(['synced', 'answered']);
    await engine.close();
    remove();
  });

  it('ends the process, and answers nothing as saved, where the disk did not keep the log', async () => {
    const { url, store, remove } = await openAlone();
    await store.close();
    const program = `
      import { openSqlite } from ${JSON.stringify(new URL('../../src/store/sqlite/sqlite.ts', import.meta.url).href)};
      const log = { sync: async () => { throw new Error('EIO'); }, close: async () => {} };
      const engine = openSqlite(${JSON.stringify(url.slice('sqlite:'.length))}, () => log);
      await engine.write(function* () {}).then(() => console.log('saved'), error => console.log(error.code, error.uncertain));
      setInterval(() => {}, 1_000);
    `;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 30_000 });
    expect(child.stdout).toBe('unavailable true\n');
    expect(child.stderr).toContain('The disk did not confirm a write to the database.');
    expect(child.status).toBe(1);
    remove();
  });

  it('ends the process, too, where the disk did not keep what a thread wrote', async () => {
    const { url, store, remove } = await openAlone();
    await store.close();
    const importOf = (path: string) => JSON.stringify(new URL(`../../src/store/${path}`, import.meta.url).href);
    const program = `
      import { Worker } from 'node:worker_threads';
      import { createStore } from ${importOf('open-store.ts')};
      const store = createStore(${JSON.stringify(url)});
      // What the thread throws where its log is lost, as a thread tells it.
      const thrown = \`throw Object.assign(new Error('lost', { cause: new Error('EIO') }), { code: 'LOST_LOG' })\`;
      process.once('worker', thread => new Worker(thrown, { eval: true }).on('error', error => thread.emit('error', error)));
      const due = { expiredBefore: 0, openedBefore: 0, reportedBefore: 0 };
      await store.purgeNotebooks(due, 0, 1).then(() => {}, error => console.log(error.code));
      setInterval(() => {}, 1_000);
    `;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 30_000 });
    expect(child.stderr).toContain('The disk did not confirm a write to the database.');
    expect(child.stderr).toContain('EIO');
    expect(child.status).toBe(1);
    remove();
  });

  it('refuses a write that comes after the closing, and breaks nothing by it', async () => {
    const { store, remove } = await openAlone();
    const before = store.keepTime('late', 0);
    await store.close();
    await before;
    await expect(store.keepTime('late', 0)).rejects.toThrow('The store is closed.');
    // Whatever a late write scheduled would run in the next turns, where nobody could catch what it throws.
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
    remove();
  });
});

/** The statements of a kind that ran in this thread since. */
function watchStatements(kind: RegExp): () => string[] {
  const all = vi.spyOn(StatementSync.prototype, 'all');
  return () => {
    const found = (all.mock.contexts as StatementSync[]).map(({ sourceSQL }) => sourceSQL).filter(sql => kind.test(sql));
    all.mockRestore();
    return found;
  };
}
const watchDeletions = () => watchStatements(/^delete/i);

async function openAlone() {
  const { url, remove } = await sqlite.createDatabase();
  const store = createStore(url);
  await store.migrate();
  return { url, store, remove };
}
