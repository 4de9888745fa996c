import { Worker } from 'node:worker_threads';
import { findOwnProgram } from '../../own-program.ts';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import type { Query } from '../statement.ts';
import type { PageToIndex } from './search-index.ts';
import type { FollowOrder } from './sqlite-search-writer.ts';

export type SearchOrder =
  | { readonly kind: 'grams'; readonly page: PageToIndex }
  | ({ readonly kind: 'follow' } & FollowOrder)
  | { readonly kind: 'read'; readonly query: Query };

export interface SearchWorkerData {
  /** The path of SQLite's database; unused on PostgreSQL. */
  readonly path: string;
  /** How far it steps back behind other threads where processors are short: 0 to 19, as `nice` counts. */
  readonly niceness: number;
}

export interface Failed {
  readonly message: string;
  readonly errcode?: number | undefined;
  /** The id of an index that must be made anew. */
  readonly lostIndex?: string | undefined;
}

export type SearchAnswer = { readonly number: number } & ({ readonly result: unknown } | { readonly failed: Failed });

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface ThreadLimits {
  /** Without work for so long, the thread ends and its memory is free. */
  readonly idleMillis: number;
  /** An order that takes longer costs the thread: even a page of random words takes a second or two. */
  readonly timeoutMillis: number;
}

const limits: ThreadLimits = { idleMillis: 60_000, timeoutMillis: 60_000 };
const endMillis = 5_000;

/** A thread that works for the text index, one order after the other. Started when first needed, and anew after it ended. */
export class SearchThread {
  readonly #data: SearchWorkerData;
  readonly #limits: ThreadLimits;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #orders = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(data: SearchWorkerData, given: Partial<ThreadLimits> = {}) {
    this.#data = data;
    this.#limits = { ...limits, ...given };
  }

  /**
   * @throws what the order threw, with its `errcode` and `lostIndex`
   * @throws DatabaseUnavailable when the thread ended or does not answer
   */
  ask(order: SearchOrder): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Error('The store is closed.'));
    const worker = this.#worker ?? this.#start();
    this.#orders += 1;
    const number = this.#orders;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      if (this.#waiting.size === 1) this.#watch();
      worker.ref();
      worker.postMessage({ number, order });
    });
  }

  /** What is under way is finished; what it waits for is not begun. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  #start(): Worker {
    const worker = new Worker(findOwnProgram('search-worker', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 },
      // Nothing of the process's environment is its business.
      env: {},
      workerData: this.#data,
      execArgv: [],
    });
    this.#worker = worker;
    worker.on('message', (answer: SearchAnswer) => this.#settle(worker, answer));
    worker.on('error', (error: unknown) => this.#lose(worker, error));
    worker.on('exit', () => this.#lose(worker, new Error('The text index thread exited.')));
    return worker;
  }

  #settle(worker: Worker, answer: SearchAnswer): void {
    const waiting = this.#waiting.get(answer.number);
    this.#waiting.delete(answer.number);
    if (worker === this.#worker) this.#watch();
    if ('failed' in answer) waiting?.reject(Object.assign(new Error(answer.failed.message), answer.failed));
    else waiting?.resolve(answer.result);
  }

  /** From the last answer on: the timeout of the next, or the time until an idle thread ends. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.size > 0) {
      this.#timer = setTimeout(() => this.#giveUp(), this.#limits.timeoutMillis);
      return;
    }
    // An idle thread keeps nobody from leaving.
    this.#worker?.unref();
    this.#timer = setTimeout(() => this.#end(), this.#limits.idleMillis).unref();
  }

  #giveUp(): void {
    const worker = this.#worker;
    if (!worker) return;
    this.#lose(worker, new Error(`The text index thread did not respond within ${this.#limits.timeoutMillis} ms.`));
    worker.terminate();
  }

  #lose(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    clearTimeout(this.#timer);
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of lost) reject(new DatabaseUnavailable(error));
  }

  /** Closed by its own hand, its files need no repair; one that is stuck is ended. */
  async #end(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    clearTimeout(this.#timer);
    worker.ref();
    const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()));
    worker.postMessage({ number: 0, order: 'end' });
    const timer = setTimeout(() => worker.terminate(), endMillis);
    // New orders go to a new thread.
    if (this.#waiting.size === 0) this.#worker = undefined;
    await ended;
    clearTimeout(timer);
  }
}
