import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import type { Steps } from '../statement.ts';
import { executeOn } from './sqlite-execute.ts';
import { createWriteQueue, type QueueOptions } from './sqlite-write-queue.ts';

let folder: string;
/** Connections of this process and of another one. */
let [own, other]: DatabaseSync[] = [];
/** The queue's clock: a machine that pauses between two writes would else end their commit. */
let now: number;
beforeEach(() => {
  now = 1_000;
  folder = mkdtempSync(join(tmpdir(), 'octavo-queue-'));
  [own, other] = [0, 1].map(() => new DatabaseSync(join(folder, 'one.db'), { timeout: 0 })) as [DatabaseSync, DatabaseSync];
  own!.exec('PRAGMA journal_mode = WAL; CREATE TABLE kept (turn INTEGER NOT NULL CHECK (turn <> 13))');
});
afterEach(() => {
  for (const one of [own, other]) if (one?.isOpen) one.close();
  rmSync(folder, { recursive: true });
});

function openQueue(options: QueueOptions = {}) {
  const faults: unknown[] = [];
  let commits = 0;
  const queue = createWriteQueue(own!, executeOn(own!), {
    onFault: error => faults.push(error),
    onCommit: () => (commits += 1),
    betweenTriesMillis: 1,
    now: () => now,
    ...options,
  });
  const add = (turn: number, then?: () => void) =>
    queue.add(function* (): Steps<number> {
      yield { sql: 'INSERT INTO kept VALUES (?)', values: [turn], isFixed: true };
      then?.();
      return turn;
    });
  return { queue, add, faults, commits: () => commits };
}

/** The rows as another process sees them. */
const kept = () =>
  other!
    .prepare('SELECT turn FROM kept ORDER BY rowid')
    .all()
    .map(({ turn }) => turn);

describe('writes of one turn', () => {
  it('share a commit, and one that fails takes nothing with it', async () => {
    const { add, faults, commits } = openQueue();
    const settled = await Promise.allSettled([add(1), add(13), add(2), add(3)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(kept()).toEqual([1, 2, 3]);
    expect([commits(), faults.length]).toEqual([1, 1]);
  });

  it('stay, the others of them, when the first one fails, or the last', async () => {
    const { add } = openQueue();
    const first = await Promise.allSettled([add(13), add(1), add(2)]);
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    const last = await Promise.allSettled([add(3), add(4), add(13)]);
    expect(last.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(kept()).toEqual([1, 2, 3, 4]);
  });

  it('begin in the next turn, and those after a full commit in the one behind it, without a timer', async () => {
    const { add, commits } = openQueue({ betweenTriesMillis: 60_000 });
    const writes = Array.from({ length: 33 }, (_, turn) => add(turn + 100));
    expect(commits()).toBe(0);
    for (let turns = 1; kept().length < writes.length; turns++) {
      await nextTurn();
      expect(commits()).toBe(turns);
    }
    expect(commits()).toBeGreaterThan(1);
    await Promise.all(writes);
  });

  it('are answered where nobody asked to be told of commits and faults', async () => {
    const insert = (turn: number) =>
      function* (): Steps<void> {
        yield { sql: 'INSERT INTO kept VALUES (?)', values: [turn], isFixed: true };
      };
    const queue = createWriteQueue(own!, executeOn(own!));
    await queue.add(insert(1));
    await expect(queue.add(insert(13))).rejects.toThrow('CHECK constraint');
    const unsynced = createWriteQueue(own!, executeOn(own!), { sync: () => Promise.reject(new Error('EIO')) });
    await expect(unsynced.add(insert(2))).rejects.toMatchObject({ uncertain: true });
    expect(kept()).toEqual([1, 2]);
  });

  it('are answered with what each of them made', async () => {
    const { add } = openQueue();
    expect(await Promise.all([1, 2, 3].map(turn => add(turn)))).toEqual([1, 2, 3]);
  });

  it('are at most 32 in a commit', async () => {
    const { add, commits } = openQueue();
    const turns = Array.from({ length: 65 }, (_, turn) => turn + 100);
    await Promise.all(turns.map(turn => add(turn)));
    expect(kept()).toEqual(turns);
    expect(commits()).toBeGreaterThanOrEqual(3);
  });

  it('end their commit after 10 ms, so that the event loop goes on', async () => {
    const { add, commits } = openQueue();
    const busy = (millis: number) => () => {
      now += millis;
    };
    await Promise.all([add(1, busy(10)), add(2, busy(11)), add(3, busy(9)), add(4)]);
    expect([kept(), commits()]).toEqual([[1, 2, 3, 4], 3]);
  });
});

describe('a write that fails alone', () => {
  it('is rejected with its own error, and the next one is kept', async () => {
    const { add, faults } = openQueue();
    const error = await add(13).catch(error => error);
    expect(error).not.toBeInstanceOf(DatabaseUnavailable);
    expect(String(error)).toContain('CHECK constraint');
    expect(faults).toEqual([error]);
    expect(own!.isTransaction).toBe(false);
    await add(1);
    expect(kept()).toEqual([1]);
  });

  it('is rejected as unavailable when the file has no room, with all that shared its transaction', async () => {
    const { add } = openQueue();
    await add(1);
    const pages = own!.prepare('PRAGMA page_count').get()!.page_count;
    own!.exec(`PRAGMA max_page_count = ${pages}`);
    const long = (turn: number) => add(turn, () => own!.exec(`CREATE TABLE t${turn} (a)`));
    const settled = await Promise.allSettled([long(2), long(3)]);
    for (const one of settled) expect(one).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailable) });
    expect(own!.isTransaction).toBe(false);
    own!.exec('PRAGMA max_page_count = 1000000');
    await add(4);
    expect(kept()).toEqual([1, 4]);
  });
});

describe("another process's transaction", () => {
  it('is waited for, and nothing is lost', async () => {
    const { add, faults } = openQueue();
    other!.exec('BEGIN IMMEDIATE');
    const writes = Promise.all([add(1), add(2)]);
    for (let turns = 0; turns < 20; turns++) await nextTurn();
    expect(kept()).toEqual([]);
    other!.exec('COMMIT');
    expect(await writes).toEqual([1, 2]);
    expect([kept(), faults]).toEqual([[1, 2], []]);
  });

  it('that takes too long makes each write unavailable; none of them is kept later', async () => {
    const { add, faults } = openQueue({ timeoutMillis: 20, now: () => performance.now() });
    other!.exec('BEGIN IMMEDIATE');
    const settled = await Promise.allSettled([add(1), add(2)]);
    for (const one of settled) expect(one).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailable) });
    expect(faults).toHaveLength(2);
    other!.exec('COMMIT');
    await add(3);
    expect(kept()).toEqual([3]);
  });

  it('is looked at again after a pause, and not in every turn', async () => {
    let tries = 0;
    const exec = (sql: string) => {
      if (sql.startsWith('BEGIN')) tries += 1;
      own!.exec(sql);
    };
    const counted: DatabaseSync = Object.create(own!, {
      exec: { value: exec },
      isTransaction: { get: () => own!.isTransaction },
    });
    const queue = createWriteQueue(counted, executeOn(own!), { betweenTriesMillis: 60_000 });
    const none = function* (): Steps<void> {};
    other!.exec('BEGIN IMMEDIATE');
    const writes = [queue.add(none)];
    await nextTurn();
    // Writes that arrive meanwhile wait for the same try.
    writes.push(queue.add(none), queue.add(none));
    for (let turns = 0; turns < 5; turns++) await nextTurn();
    expect(tries).toBe(1);
    other!.exec('COMMIT');
    await queue.end();
    await Promise.all(writes);
    expect(tries).toBe(2);
  });

  it('is waited for at the end, too; what comes after is refused', async () => {
    const { queue, add } = openQueue();
    other!.exec('BEGIN IMMEDIATE');
    const write = add(1);
    const ended = queue.end();
    await nextTurn();
    other!.exec('COMMIT');
    await ended;
    expect([await write, kept()]).toEqual([1, [1]]);
    await expect(add(2)).rejects.toThrow('The store is closed.');
    expect(kept()).toEqual([1]);
  });
});

it('a commit that cannot be made keeps nothing, and nobody is answered as saved', async () => {
  const { add, faults, commits } = openQueue();
  own!.exec('PRAGMA foreign_keys = ON; CREATE TABLE whole (id INTEGER PRIMARY KEY)');
  own!.exec('CREATE TABLE part (id INTEGER REFERENCES whole DEFERRABLE INITIALLY DEFERRED)');
  const settled = await Promise.allSettled([add(1), add(2, () => own!.exec('INSERT INTO part VALUES (7)'))]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([kept(), faults.length, commits(), own!.isTransaction]).toEqual([[], 2, 1, false]);
});

it('a disk that does not confirm what was committed leaves every write of it uncertain', async () => {
  const { add, faults } = openQueue({ sync: () => Promise.reject(new Error('EIO')) });
  const settled = await Promise.allSettled([add(1), add(2)]);
  for (const one of settled) expect(one).toMatchObject({ status: 'rejected', reason: { uncertain: true, code: 'unavailable' } });
  expect(faults).toHaveLength(1);
});

it('the end waits for the disk, of every commit, and for the answers', async () => {
  const syncs: PromiseWithResolvers<void>[] = [];
  const { queue, add } = openQueue({
    sync: () => {
      syncs.push(Promise.withResolvers());
      return syncs.at(-1)!.promise;
    },
  });
  const done: string[] = [];
  const note = (name: string) => () => void done.push(name);
  const first = add(1).then(note('first'));
  await nextTurn();
  const second = add(2).then(note('second'));
  const ended = queue.end().then(note('ended'));
  expect(kept()).toEqual([1, 2]);
  syncs[1]!.resolve();
  await second;
  await nextTurn();
  expect(done).toEqual(['second']);
  syncs[0]!.resolve();
  await Promise.all([first, ended]);
  expect(done).toEqual(['second', 'first', 'ended']);
});
