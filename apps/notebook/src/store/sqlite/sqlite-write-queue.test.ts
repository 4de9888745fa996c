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
/** Of this process, and of another one. */
let [own, other]: DatabaseSync[] = [];
beforeEach(() => {
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

/** As another process sees it. */
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
    const busy = () => {
      for (const until = performance.now() + 11; performance.now() < until; );
    };
    await Promise.all([add(1, busy), add(2, busy), add(3)]);
    expect([kept(), commits()]).toEqual([[1, 2, 3], 3]);
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
    const { add, faults } = openQueue({ timeoutMillis: 20 });
    other!.exec('BEGIN IMMEDIATE');
    const settled = await Promise.allSettled([add(1), add(2)]);
    for (const one of settled) expect(one).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailable) });
    expect(faults).toHaveLength(2);
    other!.exec('COMMIT');
    await add(3);
    expect(kept()).toEqual([3]);
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
