import { type ResourceLimits, Worker } from 'node:worker_threads';
import { DatabaseUnavailable } from './database-unavailable.ts';

/** An error in the thread, as far as this side knows it. */
export interface ThreadFailure {
  readonly message: string;
  /** SQLite's own code. */
  readonly errcode?: number | undefined;
  /** For an outage: whether the write may have been committed all the same. */
  readonly uncertain?: boolean | undefined;
  /** The id of an index that must be rebuilt. */
  readonly lostIndex?: string | undefined;
}

export type ThreadAnswer = { readonly number: number } & ({ readonly result: unknown } | { readonly failed: ThreadFailure });

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface ThreadLimits {
  /** The thread ends and its memory is freed after this long without work. */
  readonly idleMillis: number;
  /** The thread is ended when a request takes longer than this; even a page of random words takes only a second or two. */
  readonly timeoutMillis: number;
}

const defaultLimits: ThreadLimits = { idleMillis: 60_000, timeoutMillis: 60_000 };
const defaultMemory: ResourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 };
const endMillis = 5_000;

export interface ThreadProgram {
  readonly url: URL;
  /** Its name in errors: "The text index thread". */
  readonly name: string;
  /** The data that the program is started with. */
  readonly data: unknown;
  readonly limits?: Partial<ThreadLimits>;
  /** The limits of its heap. */
  readonly memory?: ResourceLimits;
  /** It changes the database: what it was doing when it was lost may have been done all the same. */
  readonly writes?: boolean;
  /** Called with the error when the thread ends without being told to. */
  readonly onError?: (error: unknown) => void;
}

/** A thread that works for the store, one request after the other. It starts when first needed and again after it ended. */
export class StoreThread<Request> {
  readonly #program: ThreadProgram;
  readonly #limits: ThreadLimits;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #requests = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(program: ThreadProgram) {
    this.#program = program;
    this.#limits = { ...defaultLimits, ...program.limits };
  }

  /**
   * @param memory of the request, transferred instead of copied: unusable for the caller afterwards
   * @throws what the request threw, with the fields of `ThreadFailure`
   * @throws DatabaseUnavailable when the thread cannot be started, ended or does not answer
   */
  async ask(request: Request, memory: readonly ArrayBuffer[] = []): Promise<unknown> {
    if (this.#closed) throw new Error('The store is closed.');
    const worker = this.#worker ?? this.#tryToStart();
    this.#requests += 1;
    const number = this.#requests;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      if (this.#waiting.size === 1) this.#watch();
      worker.ref();
      worker.postMessage({ number, request }, memory);
    });
  }

  /** Finishes the requests already given; later ones are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  #tryToStart(): Worker {
    try {
      return this.#start();
    } catch (error) {
      // For example, the system allows no more threads.
      throw new DatabaseUnavailable(error);
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#program.url, {
      resourceLimits: this.#program.memory ?? defaultMemory,
      // The thread needs nothing from the process's environment.
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

  /** Starts at the last answer: the timeout of the next request, or the time until an idle thread ends. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.size > 0) {
      this.#timer = setTimeout(() => this.#giveUp(), this.#limits.timeoutMillis);
      return;
    }
    // An idle thread does not keep the process alive.
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
    for (const { reject } of lost) reject(new DatabaseUnavailable(error, this.#program.writes));
  }

  /** Lets the thread close itself, so that its files need no repair; one that is stuck is terminated. */
  async #end(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    clearTimeout(this.#timer);
    worker.ref();
    const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()));
    worker.postMessage({ number: 0, request: 'end' });
    const timer = setTimeout(() => worker.terminate(), endMillis);
    // New requests go to a new thread.
    if (this.#waiting.size === 0) this.#worker = undefined;
    await ended;
    clearTimeout(timer);
  }
}
