import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import threads from 'node:worker_threads';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { workFor } from '../../event-loop-turns.ts';
import type { Query } from '../statement.ts';
import { ReadAhead } from './sqlite-read-ahead.ts';

const { Worker } = threads;
const started: Thread[] = [];
/** Milliseconds of the reads that a thread is asked for. */
let threadMillis = 0;

/** A thread that answers when told to. */
class Thread extends EventEmitter {
  readonly asked: { readonly number: number; readonly request: string }[] = [];
  readonly settings: unknown;
  constructor(_: URL, settings: unknown) {
    super();
    this.settings = settings;
    started.push(this);
  }
  postMessage(message: { number: number; request: string }): void {
    this.asked.push(message);
    if (message.request === 'end') this.emit('exit');
  }
  answer(): void {
    const { number } = this.asked.shift()!;
    this.emit('message', { number, result: threadMillis });
  }
  ref(): void {}
  unref(): void {}
  terminate(): void {}
}

let now = 0;
let ahead: ReadAhead;
const query = (slug: string): Query => ({ sql: 'SELECT title FROM pages WHERE slug = ?', values: [slug], isFixed: true });
/** A read here that takes this long. */
const read = (millis: number, of = ahead) =>
  of.timed(() => {
    now += millis;
  });
const reads = (count: number, millis: number, of = ahead) => {
  for (let each = 0; each < count; each++) read(millis, of);
};
const nextTurn = () => new Promise(resolve => setImmediate(resolve));

describe('reads that wait for the disk', () => {
  beforeEach(() => {
    vi.stubEnv('OCTAVO_TEST_PROGRAMS', 'sources');
    started.length = 0;
    threadMillis = 1;
    now = 5_000;
    threads.Worker = Thread as unknown as typeof Worker;
    syncBuiltinESMExports();
    ahead = new ReadAhead('/data/octavo.db', () => now);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    threads.Worker = Worker;
    syncBuiltinESMExports();
  });

  it('are run first in threads once they take a quarter of the time', () => {
    reads(249, 1);
    expect(ahead.isOn).toBe(false);
    read(1);
    expect(ahead.isOn).toBe(true);
    expect(started).toEqual([]);
  });

  it('are not while they take less than that', () => {
    for (let second = 0; second < 5; second++) {
      reads(249, 1);
      now += 800;
    }
    expect(ahead.isOn).toBe(false);
  });

  it('are not where none takes a millisecond, however many there are', () => {
    reads(5_000, 0.99);
    expect(ahead.isOn).toBe(false);
  });

  it('return and throw here what they return and throw', () => {
    expect(ahead.timed(() => 'a row')).toBe('a row');
    const failing = () =>
      ahead.timed(() => {
        now += 250;
        throw new Error('the disk is broken');
      });
    expect(failing).toThrow('the disk is broken');
    expect(ahead.isOn).toBe(true);
  });

  const prefetch = (slug: string, client?: string) => workFor(client, () => ahead.prefetch(query(slug)));
  const asked = () => started.map(thread => thread.asked.map(({ request }) => JSON.parse(request).values[0]));

  it('go to four threads, and clients take turns at them', async () => {
    reads(250, 1);
    const prefetched: string[] = [];
    const all = ['a', 'b', 'c', 'd', 'e', 'f'].map(slug => prefetch(slug, 'many').then(() => prefetched.push(slug)));
    all.push(prefetch('g', 'one').then(() => prefetched.push('g')));
    expect(asked()).toEqual([['a'], ['b'], ['c'], ['d']]);
    expect(started[0]!.settings).toMatchObject({
      workerData: { path: '/data/octavo.db' },
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
    started[1]!.answer();
    await expect.poll(asked).toEqual([['a'], ['e'], ['c'], ['d']]);
    started[2]!.answer();
    await expect.poll(asked).toEqual([['a'], ['e'], ['g'], ['d']]);
    expect(prefetched).toEqual(['b', 'c']);
    started[3]!.answer();
    await expect.poll(asked).toEqual([['a'], ['e'], ['g'], ['f']]);
    for (const thread of started) thread.answer();
    await Promise.all(all);
  });

  it('are run once for all who wait for the same', async () => {
    reads(250, 1);
    const all = [prefetch('a', 'one'), prefetch('a', 'another'), prefetch('a', 'another')];
    await nextTurn();
    expect(asked()).toEqual([['a']]);
    started[0]!.answer();
    await Promise.all(all);
    // Who comes later may need what was written since.
    const later = prefetch('a', 'one');
    expect(asked()).toEqual([['a']]);
    started[0]!.answer();
    await later;
  });

  it('are run here alone again when threads find them in memory', async () => {
    reads(250, 1);
    const isOnAfter = async (millis: number) => {
      threadMillis = millis;
      const prefetched = prefetch('a');
      for (const thread of started) if (thread.asked.length > 0) thread.answer();
      await prefetched;
      return ahead.isOn;
    };
    now += 1_000;
    expect(await isOnAfter(99)).toBe(true);
    // A second with 99 ms of waits.
    now += 1_000;
    expect(await isOnAfter(0.9)).toBe(false);
    reads(250, 1);
    now += 1_000;
    expect(await isOnAfter(100)).toBe(true);
    now += 1_000;
    expect(await isOnAfter(0.9)).toBe(true);
    now += 1_000;
    expect(await isOnAfter(0.9)).toBe(false);
  });

  it('are not held up by a thread that cannot be started or fails', async () => {
    reads(250, 1);
    threads.Worker = class {
      constructor() {
        throw new Error('no more threads');
      }
    } as unknown as typeof Worker;
    syncBuiltinESMExports();
    await ahead.prefetch(query('a'));
    expect(ahead.isOn).toBe(false);
  });

  it('end their threads when the database is closed', async () => {
    reads(250, 1);
    const prefetched = prefetch('a');
    started[0]!.answer();
    await prefetched;
    await ahead.close();
    expect(started.map(thread => thread.asked.map(({ request }) => request))).toEqual([['end']]);
  });
});

describe('the thread that reads ahead', () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-ahead-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reads the rows of a file that is written meanwhile, and says how long that took', async () => {
    const path = join(folder, 'octavo.db');
    const database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE pages (slug TEXT, title TEXT); INSERT INTO pages VALUES ('a', 'A')");
    const real = new ReadAhead(path, () => now);
    reads(250, 1, real);
    expect(real.isOn).toBe(true);
    database.exec('BEGIN IMMEDIATE');
    // A small file comes from memory, on a busy machine not always at once.
    await expect
      .poll(async () => {
        now += 1_000;
        await real.prefetch(query('a'));
        return real.isOn;
      })
      .toBe(false);
    database.exec('COMMIT');
    await real.close();
    // What a connection leaves behind would keep the log from being emptied.
    expect(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 });
    database.close();
  });

  it('leaves it to the read here to say that there is no database', async () => {
    const none = new ReadAhead(join(folder, 'none.db'), () => now);
    reads(250, 1, none);
    await none.prefetch(query('a'));
    expect(none.isOn).toBe(false);
    await none.close();
  });
});
