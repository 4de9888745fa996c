import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import threads, { type WorkerOptions } from 'node:worker_threads';

// Stands for the threads of some programs while mutants run: their code runs in this process, where it is changed. What a thread is for,
// that it does not hold the event loop, is not seen here.

const { Worker, parentPort, workerData } = threads;

type End = EventEmitter & { postMessage(message: unknown): void; close(): void };

/** The programs begin one after the other: what they are handed at their start is the process's while they load. */
let starting: Promise<unknown> = Promise.resolve();
let started = 0;

class ThreadHere extends EventEmitter {
  readonly #port: End;
  readonly #ready: Promise<unknown>;
  #isOver = false;

  constructor(program: URL, { workerData: data }: WorkerOptions = {}) {
    super();
    const postMessage = (message: unknown): void => this.#deliver(this, message);
    this.#port = Object.assign(new EventEmitter(), { postMessage, close: () => this.#end(0) });
    this.#ready = starting.then(() => this.#start(program, structuredClone(data)));
    starting = this.#ready.catch((error: unknown) => this.emit('error', error));
  }

  async #start(program: URL, data: unknown): Promise<void> {
    Object.assign(threads, { parentPort: this.#port, workerData: data });
    syncBuiltinESMExports();
    try {
      // Each thread has its own state of the program; what that imports is shared.
      await import(`${program.href}?thread=${++started}`);
    } finally {
      Object.assign(threads, { parentPort, workerData });
      syncBuiltinESMExports();
    }
  }

  #deliver(to: EventEmitter, message: unknown): void {
    const copy: unknown = structuredClone(message);
    setImmediate(() => {
      if (!this.#isOver) to.emit('message', copy);
    });
  }

  #end(code: number): void {
    if (this.#isOver) return;
    // What was said before is still heard.
    setImmediate(() => {
      this.#isOver = true;
      this.emit('exit', code);
    });
  }

  postMessage(message: unknown): void {
    this.#ready.then(
      () => this.#deliver(this.#port, message),
      () => undefined,
    );
  }

  async terminate(): Promise<number> {
    this.#end(1);
    return 1;
  }

  ref(): void {}
  unref(): void {}
}

/** @param names of programs, without their endings */
export function runThreadsHere(names: readonly string[]): void {
  if (names.length === 0) return;
  const isHere = (program: string | URL): program is URL =>
    program instanceof URL && names.some(name => program.pathname.endsWith(`/${name}.ts`));
  const Either = new Proxy(Worker, {
    construct: (_, [program, options]: [string | URL, WorkerOptions?]) =>
      isHere(program) ? new ThreadHere(program, options) : new Worker(program, options),
  });
  // A thread steps back behind others; this one is the process's own.
  Object.assign(os, { setPriority: () => undefined });
  Object.assign(threads, { Worker: Either });
  syncBuiltinESMExports();
}
