import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { findOwnProgram } from '../own-program.ts';
import type { RenderAnswer, RenderRequest, RenderWorkerData } from './render-worker.ts';
import type { PlainReason, Rendered } from './rendered.ts';

export interface RenderThreadLimits {
  /** Processor time for one text, so that other load on the machine does not reduce it. */
  readonly timeMillis: number;
  /** Wall-clock limit, for when the machine gives the thread no processor. Default ten times the processor time. */
  readonly waitMillis?: number;
  readonly memoryMegabytes: number;
  /** After this time without work the thread ends and frees its memory. */
  readonly idleMillis: number;
  /** How far the thread yields to others when processors are short: 0 to 19, as for `nice`. */
  readonly niceness: number;
}

/** The result for a text. A string is the reason why it must be shown plain. */
export interface RenderThreadAnswer {
  readonly outcome: Rendered | PlainReason;
  /** Processor time used, including that of a new thread if the old one had to be ended. */
  readonly usedMillis: number;
}

/** Processor time after which nobody should have to wait any longer. */
const lateMillis = 1_000;

/** The rough cost of starting a thread and loading the program. */
const startMillis = 300;

/** The folder for compiled code of this version of the engine. */
const compiledBefore = getCompileCacheDir();

/** Holds one worker thread. It is started when first needed, and again after it had to be ended. */
export class RenderThread {
  readonly #limits: RenderThreadLimits;
  #worker: Worker | undefined;
  #ready: Promise<void> = Promise.resolve();
  #ending: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  /** The thread's total processor time at its last answer. */
  #usedBefore = 0;

  constructor(limits: RenderThreadLimits) {
    this.#limits = limits;
  }

  /** Renders one text. The caller must wait for it before the next. Never rejects because of the text. */
  async run(request: RenderRequest, onLate: () => void): Promise<RenderThreadAnswer> {
    clearTimeout(this.#idle);
    // An ended thread may take a moment to stop, and two at once would take two shares of the machine.
    await this.#ending;
    const worker = this.#worker ?? this.#start();
    await this.#ready;
    const answer = await this.#ask(worker, request, onLate);
    if ('outcome' in answer) {
      this.#end();
      return answer;
    }
    this.#idle = setTimeout(() => this.#end(), this.#limits.idleMillis).unref();
    const usedMillis = Math.max(0, answer.usedMillis - this.#usedBefore);
    this.#usedBefore = answer.usedMillis;
    if ('failed' in answer) throw new Error(`rendering failed: ${answer.failed}`);
    return { outcome: answer.rendered, usedMillis };
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#end();
    await this.#ending;
  }

  #start(): Worker {
    const worker = new Worker(findOwnProgram('render-worker', import.meta.url), {
      resourceLimits: {
        maxOldGenerationSizeMb: this.#limits.memoryMegabytes,
        // A large young generation for long texts: their trees are short-lived, and collecting them took a third of the time.
        maxYoungGenerationSizeMb: Math.min(64, Math.max(16, this.#limits.memoryMegabytes / 4)),
        stackSizeMb: 4,
      },
      // The renderer needs nothing else from the process's environment.
      env: compiledBefore ? { NODE_COMPILE_CACHE: dirname(compiledBefore) } : {},
      workerData: { niceness: this.#limits.niceness } satisfies RenderWorkerData,
      execArgv: [],
    });
    this.#worker = worker;
    this.#usedBefore = 0;
    // A thread whose text was given up may still run out of memory, and an error event without a listener would end the process.
    worker.on('error', () => {});
    // An idle thread must not keep the process alive.
    worker.unref();
    this.#ready = loaded(worker).then(({ usedMillis }) => {
      this.#usedBefore = usedMillis;
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker) this.#ending = worker.terminate();
  }

  #ask(worker: Worker, request: RenderRequest, onLate: () => void): Promise<RenderAnswer | RenderThreadAnswer> {
    const started = performance.now();
    const { timeMillis, waitMillis = timeMillis * 10 } = this.#limits;
    return new Promise((resolve, reject) => {
      let settled = false;
      const settle = (act: () => void) => {
        settled = true;
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        worker.unref();
        act();
      };
      const giveUp = (outcome: PlainReason, used: number) =>
        settle(() => resolve({ outcome, usedMillis: Math.min(used, timeMillis) + startMillis }));
      const wallMillis = () => performance.now() - started;
      const onMessage = (answer: RenderAnswer) => settle(() => resolve(answer));
      const onError = (error: Error & { code?: string }) =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? giveUp('memory', wallMillis()) : settle(() => reject(error));
      // An exit without an error means that the service is stopping.
      const onExit = () => giveUp('busy', 0);
      const checkTime = async () => {
        const used = (await usedMillisOf(worker)) - this.#usedBefore;
        if (settled) return;
        if (used >= timeMillis) giveUp('time', used);
        else if (wallMillis() >= waitMillis) giveUp('busy', used);
        else {
          if (used >= lateMillis) onLate();
          timer = setTimeout(checkTime, Math.max(10, (used < lateMillis ? Math.min(lateMillis, timeMillis) : timeMillis) - used));
        }
      };
      let timer = setTimeout(checkTime, Math.min(lateMillis, timeMillis));
      worker.ref();
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.postMessage(request);
    });
  }
}

/** Asks the thread in the middle of its work. The engine answers even inside a regular expression. */
async function usedMillisOf(worker: Worker): Promise<number> {
  // Node 24.0 to 24.5 has no `cpuUsage`. The time the thread was not idle comes closest.
  if (typeof worker.cpuUsage !== 'function') return worker.performance.eventLoopUtilization().active;
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, 1_000);
  const usage = await Promise.race([worker.cpuUsage().catch(() => undefined), late]);
  clearTimeout(timer);
  return usage ? (usage.user + usage.system) / 1_000 : 0;
}

/** Resolves when the thread's program is loaded, and rejects when that fails. */
async function loaded(worker: Worker): Promise<{ readonly usedMillis: number }> {
  worker.ref();
  const gone = new AbortController();
  worker.once('exit', () => gone.abort());
  try {
    // The program's first message says only that it is loaded and how long that took.
    const [ready] = (await once(worker, 'message', { signal: gone.signal })) as [{ usedMillis: number }];
    return ready;
  } finally {
    worker.unref();
  }
}
