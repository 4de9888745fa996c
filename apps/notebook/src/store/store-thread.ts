import { Worker } from 'node:worker_threads';
import { DatabaseUnavailable } from './database-unavailable.ts';

/** What is known of an error on this side of the thread. */
export interface Failed {
  readonly message: string;
  /** SQLite's own. */
  readonly errcode?: number | undefined;
  /** Of an outage: whether what was written may stand all the same. */
  readonly uncertain?: boolean | undefined;
  /** The id of an index that must be made anew. */
  readonly lostIndex?: string | undefined;
}

export type ThreadAnswer = { readonly number: number } & ({ readonly result: unknown } | { readonly failed: Failed });

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

const defaultLimits: ThreadLimits = { idleMillis: 60_000, timeoutMillis: 60_000 };
const endMillis = 5_000;

export interface ThreadProgram {
  readonly url: URL;
  /** As its errors call it: "The text index thread". */
  readonly name: string;
  /** What the program is handed at its start. */
  readonly data: unknown;
  readonly limits?: Partial<ThreadLimits>;
  /** Told what ended it, when it was not told to end. */
  readonly onError?: (error: unknown) => void;
}

/** A thread that works for the store, one order after the other. Started when first needed, and anew after it ended. */
export class StoreThread<Order> {
  readonly #program: ThreadProgram;
  readonly #limits: ThreadLimits;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #orders = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(program: ThreadProgram) {
    this.#program = program;
    this.#limits = { ...defaultLimits, ...program.limits };
  }

  /**
   * @param memory of the order, handed over instead of copied: nobody else has it afterwards
   * @throws what the order threw, with what `Failed` says of it
   * @throws DatabaseUnavailable when the thread ended or does not answer
   */
  ask(order: Order, memory: readonly ArrayBuffer[] = []): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Error('The store is closed.'));
    const worker = this.#worker ?? this.#start();
    this.#orders += 1;
    const number = this.#orders;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      if (this.#waiting.size === 1) this.#watch();
      worker.ref();
      worker.postMessage({ number, order }, memory);
    });
  }

  /** What is under way is finished; what it waits for is not begun. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  #start(): Worker {
    const worker = new Worker(this.#program.url, {
      resourceLimits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 },
      // Nothing of the process's environment is its business.
      env: {},
      workerData: this.#program.data,
      execArgv: [],
    });
    this.#worker = worker;
    worker.on('message', (answer: ThreadAnswer) => this.#settle(worker, answer));
    worker.on('error', (error: unknown) => {
      this.#program.onError?.(error);
      this.#lose(worker, error);
    });
    worker.on('exit', () => this.#lose(worker, new Error(`${this.#program.name} exited.`)));
    return worker;
  }

  #settle(worker: Worker, answer: ThreadAnswer): void {
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
    this.#lose(worker, new Error(`${this.#program.name} did not respond within ${this.#limits.timeoutMillis} ms.`));
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
