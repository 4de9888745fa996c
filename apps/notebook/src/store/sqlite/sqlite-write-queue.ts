import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { turnTaker } from '../../event-loop-turns.ts';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import type { Steps } from '../statement.ts';
import { isBusy, sqliteFault } from './sqlite-errors.ts';
import type { Execute } from './sqlite-execute.ts';

interface Waiting {
  readonly work: () => Steps<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** When the write was requested, in the milliseconds of the queue's clock. */
  readonly since: number;
}

export interface QueueOptions {
  /** Called for every write that was refused. */
  readonly onFault?: (error: unknown) => void;
  /** Called after every transaction, before any write is answered: something may have been written. */
  readonly onCommit?: () => void;
  /** Resolves when everything committed is on the disk. Without it, COMMIT itself waits for the disk. */
  readonly sync?: () => Promise<void>;
  /** How long a write waits for another process's transaction. */
  readonly timeoutMillis?: number;
  readonly betweenTriesMillis?: number;
  /** A monotonic clock in milliseconds, `performance.now` by default. */
  readonly now?: () => number;
}

export interface WriteQueue {
  add<Result>(work: () => Steps<Result>): Promise<Result>;
  /** Commits what is waiting; writes that come later are refused. */
  end(): Promise<void>;
}

/** Limits of one commit, so that nobody waits long and the event loop is not blocked. */
const maxWorks = 32;
const maxMillis = 10;

/**
 * Writes that arrive in the same turn of the event loop share one commit, because the wait for the disk is most of what a write costs. Each
 * has its own savepoint, so one that fails does not affect the others. No write is answered before the commit is on the disk.
 */
export function createWriteQueue(database: DatabaseSync, execute: Execute, options: QueueOptions = {}): WriteQueue {
  // Another process's transaction is waited for with the event loop free; after this long, the answer is 503.
  const { onFault, onCommit, sync, timeoutMillis = 5_000, betweenTriesMillis = 5, now = () => performance.now() } = options;
  const waiting: Waiting[] = [];
  let scheduled = false;
  let ended = false;
  let answering = Promise.resolve();

  function faultOf(error: unknown): unknown {
    onFault?.(error);
    return sqliteFault(error);
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    askForRound();
  }

  const askForRound = turnTaker(round);

  function round(): void {
    scheduled = false;
    if (waiting.length === 0) return;
    const outcome = commitSome();
    if (waiting.length === 0 || scheduled) return;
    scheduled = true;
    if (outcome === 'done') askForRound();
    // SQLite's own wait would block everybody who only reads.
    else setTimeout(round, betweenTriesMillis);
  }

  function commitSome(): 'done' | 'busy' {
    const begun = begin();
    if (begun !== 'begun') return begun;
    const works: Waiting[] = [];
    const answers: (() => void)[] = [];
    try {
      const started = now();
      for (let work = waiting.shift(); work; work = nextInTime(works.length, started)) {
        works.push(work);
        // A single write needs no savepoint: there is nothing else for a failure to undo.
        answers.push(works.length === 1 && waiting.length === 0 ? runAlone(work) : runOne(work));
      }
      database.exec('COMMIT');
    } catch (error) {
      rollBack();
      onCommit?.();
      // Nothing of this commit is kept.
      for (const { reject } of works) reject(faultOf(error));
      return 'done';
    }
    onCommit?.();
    if (sync) answerAfter(sync(), works, answers);
    else for (const answer of answers) answer();
    return 'done';
  }

  function answerAfter(synced: Promise<void>, works: readonly Waiting[], answers: readonly (() => void)[]): void {
    const answered = synced.then(
      () => {
        for (const answer of answers) answer();
      },
      error => {
        onFault?.(error);
        for (const { reject } of works) reject(new DatabaseUnavailable(error, true));
      },
    );
    answering = Promise.all([answering, answered]).then(() => {});
  }

  /** `done`: the transaction cannot begin, and the waiting writes were rejected. */
  function begin(): 'begun' | 'busy' | 'done' {
    try {
      database.exec('BEGIN IMMEDIATE');
      return 'begun';
    } catch (error) {
      const given = isBusy(error) ? now() - timeoutMillis : Number.POSITIVE_INFINITY;
      while (waiting[0] && waiting[0].since <= given) waiting.shift()?.reject(faultOf(error));
      return waiting.length > 0 ? 'busy' : 'done';
    }
  }

  /** A failing disk may fail here too; the next BEGIN then reports it. */
  function rollBack(): void {
    try {
      if (database.isTransaction) database.exec('ROLLBACK');
    } catch {}
  }

  function nextInTime(done: number, started: number): Waiting | undefined {
    return done < maxWorks && now() - started < maxMillis ? waiting.shift() : undefined;
  }

  function runAlone({ work, resolve }: Waiting): () => void {
    const result = runSteps(work(), execute);
    return () => resolve(result);
  }

  function runOne({ work, resolve, reject }: Waiting): () => void {
    database.exec('SAVEPOINT work');
    try {
      const result = runSteps(work(), execute);
      database.exec('RELEASE work');
      return () => resolve(result);
    } catch (error) {
      // A full disk ends the whole transaction: there is no savepoint left to go back to.
      if (!database.isTransaction) throw error;
      database.exec('ROLLBACK TO work; RELEASE work');
      return () => reject(faultOf(error));
    }
  }

  return {
    add: <Result>(work: () => Steps<Result>) =>
      new Promise<Result>((resolve, reject) => {
        // For example a rendering that was under way when the service stopped: the next process renders the page again.
        if (ended) return reject(new Error('The store is closed.'));
        waiting.push({ work, resolve: resolve as Waiting['resolve'], reject, since: now() });
        schedule();
      }),
    async end() {
      while (waiting.length > 0) if (commitSome() === 'busy') await sleep(betweenTriesMillis);
      ended = true;
      await answering;
    },
  };
}

function runSteps<Result>(steps: Steps<Result>, execute: Execute): Result {
  let step = steps.next();
  while (!step.done) step = steps.next(execute(step.value));
  return step.value;
}
