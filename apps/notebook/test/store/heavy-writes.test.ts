import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { getPriority } from 'node:os';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HeavyWriteWorkerData } from '../../src/store/heavy-writes.ts';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Database, sqlite } from '../support/engines.ts';
import { aChange, aNotebook, aPage, make, newId, noon } from './contract/subject.ts';

// Which writes SQLite's threads do, which thread each of them, and what the service learns of it.

const { Worker } = threads;
const started: { readonly data: HeavyWriteWorkerData; readonly thread: InstanceType<typeof Worker> }[] = [];

/** A thread as any other; the test knows of it. */
class Watched extends Worker {
  constructor(program: URL, options: WorkerOptions) {
    super(program, options);
    if (program.pathname.includes('heavy-write-worker')) started.push({ data: options.workerData, thread: this });
  }
}

const budget = { maxNotebookBytes: 5_000_000 };
let database: Database;
let path: string;
let store: Store;
let isOpen: boolean;
beforeEach(async () => {
  started.length = 0;
  threads.Worker = Watched as typeof Worker;
  syncBuiltinESMExports();
  database = await sqlite.createDatabase();
  path = database.url.slice('sqlite:'.length);
  store = createStore(database.url, budget);
  isOpen = true;
  await store.migrate();
});
afterEach(async () => {
  if (isOpen) await store.close();
  threads.Worker = Worker;
  syncBuiltinESMExports();
  database.remove();
});

/** The most that is written without a thread. */
const mostHere = 262_144;
const long = 'x'.repeat(mostHere + 1);
const due = { expiredBefore: noon, openedBefore: 0, reportedBefore: 0 };

describe('what takes long on SQLite', () => {
  const acts: [what: string, niceness: number, act: () => Promise<unknown>][] = [
    ['a long notebook is created', 5, () => make(store, {}, [long])],
    [
      'a long notebook is deleted',
      5,
      async () => {
        const { owner, pages } = await make(store);
        await store.changePage(owner, pages[0]!.id, aChange({ markdown: long }), noon);
        expect(await store.deleteNotebook(owner, noon)).toBe(true);
      },
    ],
    [
      'a long page is deleted',
      5,
      async () => {
        const { owner, pages } = await make(store, {}, ['one', 'two']);
        await store.changePage(owner, pages[0]!.id, aChange({ markdown: long }), noon);
        expect(await store.deletePage(owner, pages[0]!.id, noon)).toEqual({ kind: 'deleted' });
      },
    ],
    [
      'notebooks are purged',
      10,
      async () => {
        await make(store, { expiresAt: noon - 1 });
        expect(await store.purgeNotebooks(due, noon, 5)).toEqual({ expired: 1, burned: 0 });
      },
    ],
    [
      'what is over is deleted',
      10,
      async () => {
        await store.takeRateSlot({ name: 'test', key: 'one', max: 1, windowSeconds: 1 }, noon - 1_000);
        expect(await store.deleteExpired(due, noon, 5)).toEqual({ rateWindows: 1, freedSlugs: 0, reports: 0 });
      },
    ],
  ];

  it.each(acts)('is done by a thread that knows how far it stands back: %s', async (_, niceness, act) => {
    await act();
    expect(started.map(({ data }) => data)).toEqual([{ path, budget, niceness }]);
  });

  it('has one thread for owners, and another for the purge, each started once', async () => {
    const { owner } = await make(store, {}, [long]);
    await Promise.all([store.purgeNotebooks(due, noon, 5), store.deleteNotebook(owner, noon)]);
    await store.deleteExpired(due, noon, 5);
    await make(store, {}, [long]);
    expect(started.map(({ data }) => data.niceness).sort()).toEqual([10, 5]);
  });
});

describe.skipIf(process.platform === 'linux' ? undefined : 'only Linux tells the priority of a thread')(
  'a thread that writes',
  () => {
    const tasks = '/proc/self/task';
    /** Behind the name in parentheses, proc_pid_stat(5). */
    const nicenessOf = (id: string) =>
      Number(
        readFileSync(`${tasks}/${id}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')[16],
      );

    it.each([
      [5, () => make(store, {}, [long])],
      [10, () => store.purgeNotebooks(due, noon, 5)],
    ])('steps back behind those that answer requests, by %i', async (niceness, act) => {
      const before = new Set(readdirSync(tasks));
      await act();
      const since = readdirSync(tasks).filter(id => !before.has(id));
      expect(since.map(nicenessOf)).toContain(Math.max(niceness, getPriority()));
    });
  },
);

describe('a write of 262,144 bytes, the most that is done without a thread', () => {
  it('is the creation of a notebook', async () => {
    await make(store, {}, ['x'.repeat(mostHere)]);
    expect(started).toEqual([]);
    await make(store, {}, [long]);
    expect(started).toHaveLength(1);
  });

  it('is the deletion of a page, with its snapshot', async () => {
    const six = 'before';
    const { owner, pages } = await make(store, {}, [six, six, 'stays']);
    for (const [at, bytes] of [mostHere, mostHere + 1].entries()) {
      const change = aChange({ markdown: 'x'.repeat(bytes - six.length) });
      await store.changePage(owner, pages[at]!.id, change, noon);
      expect(await store.deletePage(owner, pages[at]!.id, noon)).toEqual({ kind: 'deleted' });
      expect(started).toHaveLength(at);
    }
  });

  it('is the deletion of a notebook, with a comment', async () => {
    for (const [at, body] of ['', 'x'].entries()) {
      const { owner, notebook } = await make(store, {}, ['x'.repeat(mostHere / 2), 'x'.repeat(mostHere / 2)]);
      const comment = { id: newId(), notebookId: notebook.id, pageId: null, author: 'not counted', body, createdAt: noon };
      expect(await store.addComment(comment)).toBe('added');
      expect(await store.deleteNotebook(owner, noon)).toBe(true);
      expect(started).toHaveLength(at);
    }
  });
});

describe('the patch of the file that a page was imported from counts', () => {
  it('where a notebook is created', async () => {
    for (const [at, chars] of [mostHere / 2 - 1, mostHere / 2].entries()) {
      const notebook = aNotebook({ markdownBytes: 2 });
      const pages = [0, 1].map(position => ({
        ...aPage(notebook.id, position, { markdown: 'x' }),
        file: { path: `${position}.md`, patch: 'x'.repeat(chars) },
      }));
      expect(await store.createNotebook(notebook, pages)).toBe('created');
      expect(started).toHaveLength(at);
    }
  });

  it('where a notebook is deleted', async () => {
    const { owner, pages } = await make(store);
    const file = { path: 'a.md', patch: 'x'.repeat(mostHere) };
    await store.changePage(owner, pages[0]!.id, aChange({ markdown: 'x', file }), noon);
    expect(await store.deleteNotebook(owner, noon)).toBe(true);
    expect(started).toHaveLength(1);
  });
});

describe('the end of a store', () => {
  it.each([
    ['of owners', () => make(store, {}, [long])],
    ['of the purge', () => store.purgeNotebooks(due, noon, 5)],
  ])('ends the thread %s: its connection is closed, and the last one takes the log with it', async (_, act) => {
    await act();
    expect(existsSync(`${path}-wal`)).toBe(true);
    isOpen = false;
    await store.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });
});

describe('a thread that fails', () => {
  it.each([
    ['The thread of large writes', () => make(store, {}, [long])],
    ['The thread of the purge', () => store.purgeNotebooks(due, noon, 5)],
  ])('is called by its name: %s', async (name, act) => {
    const asked = act().catch((error: unknown) => error);
    await expect.poll(() => started.length).toBe(1);
    await started[0]!.thread.terminate();
    // What it had begun it may have done.
    expect(await asked).toMatchObject({ code: 'unavailable', uncertain: true, cause: { message: `${name} exited.` } });
  });

  it('to start has changed nothing, and that is said', async () => {
    threads.Worker = class {
      constructor() {
        throw Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
      }
    } as unknown as typeof Worker;
    syncBuiltinESMExports();
    await expect(make(store, {}, [long])).rejects.toMatchObject({
      code: 'unavailable',
      uncertain: false,
      extras: { detail: expect.stringContaining('Nothing was changed.') },
      cause: { message: 'EAGAIN' },
    });
    threads.Worker = Watched as typeof Worker;
    syncBuiltinESMExports();
    await expect(make(store, {}, [long])).resolves.toBeDefined();
  });

  const refuse = (message: string, errcode: number) =>
    started[0]!.thread.emit('message', { number: 1, failed: { message, errcode } });

  it('for want of room is believed: the service is not ready to write either', async () => {
    await store.proveWrite(noon);
    const asked = store.purgeNotebooks(due, noon, 5);
    refuse('database or disk is full', 13);
    await expect(asked).rejects.toMatchObject({ code: 'unavailable', cause: { message: 'database or disk is full' } });
    await expect(store.proveWrite(noon)).rejects.toMatchObject({ code: 'unavailable', cause: { errcode: 13 } });
  });

  it.each([true, false])('says whether it may have done what it was asked: %s', async uncertain => {
    const asked = store.purgeNotebooks(due, noon, 5);
    const failed = { message: 'disk I/O error', errcode: 10, uncertain };
    started[0]!.thread.emit('message', { number: 1, failed });
    await expect(asked).rejects.toMatchObject({ code: 'unavailable', uncertain, cause: { message: 'disk I/O error' } });
  });

  it('by a fault of ours is no fault of the database', async () => {
    const asked = store.deleteExpired(due, noon, 5);
    refuse('no such table: nowhere', 1);
    await expect(asked).rejects.toMatchObject({ message: 'no such table: nowhere', errcode: 1 });
    await expect(store.proveWrite(noon)).resolves.toBeUndefined();
  });
});
