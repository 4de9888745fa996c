import { Worker } from 'node:worker_threads';
import { findOwnProgram } from '../../own-program.ts';
import type { Query } from '../statement.ts';

/** The data that the thread is started with. */
export interface CheckpointData {
  readonly path: string;
}

/** Log pages that trigger a checkpoint: SQLite's own default. */
const pagesWaiting = 1_000;
/** At 16 MiB, the log is restarted: the thread makes writers wait for the moment that this takes. */
export const pagesBeforeRestart = 4_000;
/**
 * At 128 MiB of log, SQLite itself copies what the thread has not, in the middle of a commit. That copy and two waits for the disk would
 * block the event loop, so it only happens when the thread cannot keep up.
 */
export const pagesBeforeOwnCheckpoint = 32_000;
const pageBytes = 4_096;
/** Pages that a writing statement changes besides its long values: rows and indexes. */
const pagesOfStatement = 2;
/** The thread ends when it is idle for this long. */
const idleMillis = 60_000;

/**
 * Copies the write-ahead log into the database file in its own thread. SQLite would do so in the commit that fills the log: it would copy
 * megabytes and wait for the disk twice while the event loop is blocked (https://sqlite.org/wal.html, "Checkpointing").
 */
export class Checkpoints {
  readonly #path: string;
  #worker: Worker | undefined;
  #pages = 0;
  #isUnderWay = false;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Counts what a statement may add to the log. Once the log is long, the thread is asked to run after the transaction of this turn. */
  count({ sql, values }: Query): void {
    if (isReading(sql)) return;
    this.#pages += pagesOfStatement;
    for (const value of values) {
      if (typeof value === 'string') this.#pages += value.length / pageBytes;
      else if (value instanceof Uint8Array) this.#pages += value.byteLength / pageBytes;
    }
    this.#askSoon();
  }

  #askSoon(): void {
    if (this.#pages < pagesWaiting || this.#isUnderWay || this.#closed) return;
    this.#isUnderWay = true;
    setImmediate(() => this.#ask());
  }

  #ask(): void {
    if (this.#closed) return;
    this.#pages = 0;
    clearTimeout(this.#idle);
    try {
      this.#worker ??= this.#start();
    } catch {
      // The system allows no more threads just now: as after an error of the thread, the next commits try again.
      this.#isUnderWay = false;
      return;
    }
    this.#worker.postMessage('checkpoint');
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  #start(): Worker {
    const worker = new Worker(findOwnProgram('checkpoint-worker', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
      // The thread needs nothing from the process's environment.
      env: {},
      workerData: { path: this.#path } satisfies CheckpointData,
      execArgv: [],
    });
    // An idle thread does not keep the process alive.
    worker.unref();
    worker.on('message', () => {
      this.#isUnderWay = false;
      this.#idle = setTimeout(() => this.#end(), idleMillis).unref();
      this.#askSoon();
    });
    // A log that was not checkpointed is longer but no less safe; the next commits try again.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (worker !== this.#worker) return;
      this.#worker = undefined;
      this.#isUnderWay = false;
    });
    return worker;
  }

  /** Lets the thread close its connection itself: one that is torn down leaves its locks to the process. */
  async #end(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#worker = undefined;
    this.#isUnderWay = false;
    clearTimeout(this.#idle);
    worker.ref();
    const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()));
    worker.postMessage('end');
    await ended;
  }
}

/** Matches how the builder begins a query; anything else counts as a write. */
function isReading(sql: string): boolean {
  return sql.startsWith('select ');
}
