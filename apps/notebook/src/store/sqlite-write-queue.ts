import type { DatabaseSync } from 'node:sqlite';
import type { Query, Steps } from './statement.ts';

export type Execute = (query: Query) => unknown[];

interface Waiting {
  readonly work: () => Steps<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface WriteQueue {
  add<Result>(work: () => Steps<Result>): Promise<Result>;
  /** Commits what waits; what comes after is refused. */
  end(): Promise<void>;
}

/** Bounds of one commit, so that nobody waits long and the event loop is not held. */
const maxWorks = 32;
const maxMillis = 10;

/**
 * Writes that arrive in the same turn of the event loop share one commit, because the wait for the disk is most of what a write
 * costs. Each has a savepoint of its own: one that fails takes nothing with it. Nobody is answered before the commit.
 */
export function createWriteQueue(database: DatabaseSync, execute: Execute): WriteQueue {
  const waiting: Waiting[] = [];
  let scheduled = false;
  let ended = false;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      if (waiting.length === 0) return;
      commitSome();
      if (waiting.length > 0) schedule();
    });
  }

  function commitSome(): void {
    const works: Waiting[] = [];
    const answers: (() => void)[] = [];
    try {
      database.exec('BEGIN IMMEDIATE');
      const started = performance.now();
      for (let work = waiting.shift(); work; work = nextInTime(works.length, started)) {
        works.push(work);
        answers.push(runOne(work));
      }
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      // Nothing of this commit is kept, and whoever was to be the first may not have been taken yet.
      const failed = works.length > 0 ? works : waiting.splice(0, 1);
      for (const { reject } of failed) reject(error);
      return;
    }
    for (const answer of answers) answer();
  }

  function nextInTime(done: number, started: number): Waiting | undefined {
    return done < maxWorks && performance.now() - started < maxMillis ? waiting.shift() : undefined;
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
      return () => reject(error);
    }
  }

  return {
    add: <Result>(work: () => Steps<Result>) =>
      new Promise<Result>((resolve, reject) => {
        // A rendering that was under way while the service stopped: its page is rendered again by the next process.
        if (ended) return reject(new Error('The store is closed.'));
        waiting.push({ work, resolve: resolve as Waiting['resolve'], reject });
        schedule();
      }),
    async end() {
      while (waiting.length > 0) commitSome();
      ended = true;
    },
  };
}

function runSteps<Result>(steps: Steps<Result>, execute: Execute): Result {
  let step = steps.next();
  while (!step.done) step = steps.next(execute(step.value));
  return step.value;
}
