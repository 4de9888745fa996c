import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import threads, { type WorkerOptions } from 'node:worker_threads';

// Replaces the threads of some programs while mutants run: their code runs in this process, where it is mutated. The purpose of a
// thread, not to block the event loop, is not tested here.

const { Worker, parentPort, workerData } = threads;

type End = EventEmitter & { postMessage(message: unknown): void; close(): void };

/** The programs start one after the other: while one loads, its start data is set for the whole process. */
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
      // Each thread has its own state of the program; modules that it imports are shared.
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
    // Messages sent before still arrive.
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

/** @param names of programs, without extensions */
export function runThreadsHere(names: readonly string[]): void {
  if (names.length === 0) return;
  const isHere = (program: string | URL): program is URL =>
    program instanceof URL && names.some(name => program.pathname.endsWith(`/${name}.ts`));
  const Either = new Proxy(Worker, {
    construct: (_, [program, options]: [string | URL, WorkerOptions?]) =>
      isHere(program) ? new ThreadHere(program, options) : new Worker(program, options),
  });
  // A thread lowers its priority; here that would lower the process's own.
  Object.assign(os, { setPriority: () => undefined });
  Object.assign(threads, { Worker: Either });
  syncBuiltinESMExports();
}
