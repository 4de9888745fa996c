import { Worker } from 'node:worker_threads';
import { findOwnProgram } from '../../own-program.ts';
import type { Query } from '../statement.ts';

/** What the thread is started with. */
export interface CheckpointData {
  readonly path: string;
}

/** Pages of the log that wait for the file: SQLite's own bound. */
const pagesWaiting = 1_000;
/** A log of 16 MiB is written from its start again: the thread keeps writers away for the moment that this takes. */
export const pagesBeforeRestart = 4_000;
/**
 * Where SQLite itself brings over what the thread has not, in the middle of a commit: 128 MiB of log. The event loop would stand still for
 * that copy and two waits for the disk, so it comes only when the thread cannot.
 */
export const pagesBeforeOwnCheckpoint = 32_000;
const pageBytes = 4_096;
/** A statement that writes changes about so many besides its long values: rows and indexes. */
const pagesOfStatement = 2;
/** Without work for so long, the thread ends. */
const idleMillis = 60_000;

/**
 * Brings the write-ahead log into the database file in a thread of its own. SQLite would do so in the commit that fills the log, and copy
 * megabytes and wait for the disk twice while the event loop stands still (https://sqlite.org/wal.html, "Checkpointing").
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

  /** Counts what a statement may add to the log. Once that is long, the thread is asked, after the transaction of this turn. */
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
    this.#worker ??= this.#start();
    this.#worker.postMessage('checkpoint');
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  #start(): Worker {
    const worker = new Worker(findOwnProgram('checkpoint-worker', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
      // Nothing of the process's environment is its business.
      env: {},
      workerData: { path: this.#path } satisfies CheckpointData,
      execArgv: [],
    });
    // An idle thread keeps nobody from leaving.
    worker.unref();
    worker.on('message', () => {
      this.#isUnderWay = false;
      this.#idle = setTimeout(() => this.#end(), idleMillis).unref();
      this.#askSoon();
    });
    // A log that is not brought over is longer and no less safe; the next commits try again.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (worker !== this.#worker) return;
      this.#worker = undefined;
      this.#isUnderWay = false;
    });
    return worker;
  }

  /** Closed by its own hand: a connection that is torn off leaves its locks to the process. */
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

/** As the builder begins it; anything else counts as a write. */
function isReading(sql: string): boolean {
  return sql.startsWith('select ');
}
