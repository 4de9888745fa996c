import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { openFiles } from '../../../test/support/open-files.ts';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import type { Query } from '../statement.ts';
import { executeOn } from './sqlite-execute.ts';
import { LogSync, openLog, type SyncedFile } from './sqlite-log-sync.ts';
import { createWriteQueue } from './sqlite-write-queue.ts';

/** A disk that answers when told to. */
class Disk implements SyncedFile {
  readonly #waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  asked = 0;
  closed = 0;

  sync(): Promise<void> {
    this.asked += 1;
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async close(): Promise<void> {
    this.closed += 1;
  }

  async answer(error?: Error): Promise<void> {
    const { resolve, reject } = this.#waiting.shift()!;
    if (error) reject(error);
    else resolve();
    await nextTurn();
  }
}

const unexpected = (error: unknown): void => expect.unreachable(String(error));
const nextTurn = () => new Promise(resolve => setImmediate(resolve));

function stateOf(promise: Promise<unknown>): { is: string } {
  const state = { is: 'waits' };
  promise.then(
    () => (state.is = 'done'),
    error => (state.is = String(error)),
  );
  return state;
}

describe('the sync of the log', () => {
  it('is of all that was committed before it: what comes while one is under way shares the next', async () => {
    const disk = new Disk();
    const log = new LogSync(() => disk, unexpected);
    const states = [log.sync(), log.sync(), log.sync()].map(stateOf);
    await nextTurn();
    expect(disk.asked).toBe(1);
    await disk.answer();
    expect(states.map(({ is }) => is)).toEqual(['done', 'waits', 'waits']);
    expect(disk.asked).toBe(2);
    const later = stateOf(log.sync());
    await disk.answer();
    expect([...states.map(({ is }) => is), later.is]).toEqual(['done', 'done', 'done', 'waits']);
    await disk.answer();
    expect([later.is, disk.asked]).toEqual(['done', 3]);
  });

  it('that failed once is never believed again', async () => {
    const disk = new Disk();
    const onLost = vi.fn();
    const log = new LogSync(() => disk, onLost);
    const states = [log.sync(), log.sync()].map(stateOf);
    await disk.answer(new Error('EIO'));
    expect(states.map(({ is }) => is)).toEqual(['Error: EIO', 'Error: EIO']);
    await expect(log.sync()).rejects.toThrow('EIO');
    expect([disk.asked, onLost.mock.calls.length]).toEqual([1, 1]);
  });

  it('is tried again where the file could not be opened', async () => {
    const disk = new Disk();
    const files = [undefined, disk];
    const onLost = vi.fn();
    const log = new LogSync(() => {
      const file = files.shift();
      if (!file) throw new Error('EMFILE');
      return file;
    }, onLost);
    await expect(log.sync()).rejects.toThrow('EMFILE');
    const again = stateOf(log.sync());
    await disk.answer();
    expect([again.is, onLost.mock.calls.length]).toEqual(['done', 0]);
  });

  it('ends before the file is closed', async () => {
    const disk = new Disk();
    const log = new LogSync(() => disk, unexpected);
    const states = [log.sync(), log.sync()].map(stateOf);
    const closed = stateOf(log.close());
    await disk.answer();
    expect([closed.is, disk.closed]).toEqual(['waits', 0]);
    await disk.answer();
    expect([...states.map(({ is }) => is), closed.is, disk.closed]).toEqual(['done', 'done', 'done', 1]);
  });
});

describe('the end of the sync', () => {
  it('comes at once where nothing was synced, and opens no file for it', async () => {
    const log = new LogSync(() => expect.unreachable(), unexpected);
    await log.close();
  });

  it.skipIf(process.platform !== 'linux' && 'only Linux lists the open files of a process')(
    'gives the log of a real database back',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'octavo-log-'));
      const path = join(folder, 'one.db');
      const database = new DatabaseSync(path);
      database.exec('PRAGMA journal_mode = WAL; CREATE TABLE kept (turn INTEGER)');
      const opened = openLog(path);
      const [open, close] = [vi.fn(() => opened), vi.spyOn(opened, 'close')];
      const log = new LogSync(open, unexpected);
      await Promise.all([log.sync(), log.sync()]);
      await log.sync();
      await log.close();
      expect([open.mock.calls.length, close.mock.calls.length]).toEqual([1, 1]);
      // Only SQLite's own handle of the log is left.
      expect(openFiles().filter(file => file === `${path}-wal`)).toHaveLength(1);
      database.close();
      rmSync(folder, { recursive: true });
    },
  );
});

describe('a write', () => {
  const insert = (turn: number): Query => ({ sql: 'INSERT INTO kept VALUES (?)', values: [turn], isFixed: true });
  function openQueue(onLost = unexpected) {
    const disk = new Disk();
    const log = new LogSync(() => disk, onLost);
    const database = new DatabaseSync(':memory:');
    database.exec('CREATE TABLE kept (turn INTEGER)');
    const queue = createWriteQueue(database, executeOn(database), { sync: () => log.sync() });
    const add = (turn: number) =>
      queue.add(function* () {
        yield insert(turn);
        return turn;
      });
    return { disk, queue, add, count: () => database.prepare('SELECT count(*) AS count FROM kept').get()?.count };
  }

  it('is answered when the disk has it, and others are committed meanwhile', async () => {
    const { disk, add, count } = openQueue();
    const first = stateOf(add(1));
    await nextTurn();
    expect([count(), first.is]).toEqual([1, 'waits']);
    const second = stateOf(add(2));
    await nextTurn();
    expect([count(), first.is, second.is]).toEqual([2, 'waits', 'waits']);
    await disk.answer();
    expect([first.is, second.is]).toEqual(['done', 'waits']);
    await disk.answer();
    expect(second.is).toBe('done');
  });

  it('that the disk did not keep is not answered as saved, and the process is told once', async () => {
    const onLost = vi.fn();
    const { disk, add } = openQueue(onLost);
    const writes = [add(1)];
    await nextTurn();
    writes.push(add(2));
    const settled = Promise.allSettled(writes);
    await nextTurn();
    await disk.answer(new Error('EIO'));
    for (const outcome of await settled) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { uncertain: true } });
      expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailable);
    }
    expect(onLost).toHaveBeenCalledOnce();
  });

  it('is waited for by the end of the queue', async () => {
    const { disk, queue, add } = openQueue();
    const write = stateOf(add(1));
    const ended = stateOf(queue.end());
    await nextTurn();
    expect([write.is, ended.is]).toEqual(['waits', 'waits']);
    await disk.answer();
    expect([write.is, ended.is]).toEqual(['done', 'done']);
  });
});
