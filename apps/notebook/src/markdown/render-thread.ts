import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { findOwnProgram } from '../own-program.ts';
import type { RenderAnswer, RenderRequest, RenderWorkerData } from './render-worker.ts';
import type { PlainReason, Rendered } from './rendered.ts';

export interface RenderThreadLimits {
  /** Processor time for one text. A machine that is busy with other things takes nothing away from it. */
  readonly timeMillis: number;
  /** By the clock, when the machine gives the thread no processor for so long. Default ten times the processor time. */
  readonly waitMillis?: number;
  readonly memoryMegabytes: number;
  /** Without work for so long, the thread ends and its memory is free. */
  readonly idleMillis: number;
  /** How far it steps back behind other threads where processors are short: 0 to 19, as `nice` counts. */
  readonly niceness: number;
}

/** What became of a text; a word says why it has to be shown plain. */
export interface RenderThreadAnswer {
  readonly outcome: Rendered | PlainReason;
  /** Processor time that it took, a new thread included when it cost the old one. */
  readonly usedMillis: number;
}

/** Processor time after which whoever waits need not wait longer. */
const lateMillis = 1_000;

/** What it costs to start a thread and load the program, roughly. */
const startMillis = 300;

/** Where compiled code is kept, in a folder for this version of the engine. */
const compiledBefore = getCompileCacheDir();

/** One place for a worker thread. The thread is started when first needed, and anew after one had to be ended. */
export class RenderThread {
  readonly #limits: RenderThreadLimits;
  #worker: Worker | undefined;
  #ready: Promise<void> = Promise.resolve();
  #ending: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  /** Processor time in the thread's life, as its last answer told. */
  #usedBefore = 0;

  constructor(limits: RenderThreadLimits) {
    this.#limits = limits;
  }

  /** One text at a time; the caller sees to that. Never rejects for the text's sake. */
  async run(request: RenderRequest, onLate: () => void): Promise<RenderThreadAnswer> {
    clearTimeout(this.#idle);
    // An ended thread may take a moment to stop; two at once would take two shares of the machine.
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
        // A roomy nursery for long texts: their trees are short-lived, and collecting them was a third of the time.
        maxYoungGenerationSizeMb: Math.min(64, Math.max(16, this.#limits.memoryMegabytes / 4)),
        stackSizeMb: 4,
      },
      // Nothing else of the process's environment is a renderer's business.
      env: compiledBefore ? { NODE_COMPILE_CACHE: dirname(compiledBefore) } : {},
      workerData: { niceness: this.#limits.niceness } satisfies RenderWorkerData,
      execArgv: [],
    });
    this.#worker = worker;
    this.#usedBefore = 0;
    // A thread whose text was given up may still run out of memory: an error that nobody listens to would end the process.
    worker.on('error', () => {});
    // An idle thread keeps nobody from leaving.
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
      const give = (outcome: PlainReason, used: number) =>
        settle(() => resolve({ outcome, usedMillis: Math.min(used, timeMillis) + startMillis }));
      const wallMillis = () => performance.now() - started;
      const onMessage = (answer: RenderAnswer) => settle(() => resolve(answer));
      const onError = (error: Error & { code?: string }) =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? give('memory', wallMillis()) : settle(() => reject(error));
      // Without an error before it: the service stops.
      const onExit = () => give('busy', 0);
      const look = async () => {
        const used = (await usedMillisOf(worker)) - this.#usedBefore;
        if (settled) return;
        if (used >= timeMillis) give('time', used);
        else if (wallMillis() >= waitMillis) give('busy', used);
        else {
          if (used >= lateMillis) onLate();
          timer = setTimeout(look, Math.max(10, (used < lateMillis ? Math.min(lateMillis, timeMillis) : timeMillis) - used));
        }
      };
      let timer = setTimeout(look, Math.min(lateMillis, timeMillis));
      worker.ref();
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.postMessage(request);
    });
  }
}

/** Asked of the thread in the middle of its work: engines stop for it even inside a regular expression. */
async function usedMillisOf(worker: Worker): Promise<number> {
  // Node 24.0 to 24.5 cannot say; the time the thread was not idle is then the nearest.
  if (typeof worker.cpuUsage !== 'function') return worker.performance.eventLoopUtilization().active;
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, 1_000);
  const usage = await Promise.race([worker.cpuUsage().catch(() => undefined), late]);
  clearTimeout(timer);
  return usage ? (usage.user + usage.system) / 1_000 : 0;
}

/** Resolves when the thread's program is loaded, rejects when it cannot be. */
async function loaded(worker: Worker): Promise<{ readonly usedMillis: number }> {
  worker.ref();
  const gone = new AbortController();
  worker.once('exit', () => gone.abort());
  try {
    // The program's first message says only that it is there, and what loading it took.
    const [ready] = (await once(worker, 'message', { signal: gone.signal })) as [{ usedMillis: number }];
    return ready;
  } finally {
    worker.unref();
  }
}
