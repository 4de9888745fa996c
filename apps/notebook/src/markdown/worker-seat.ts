import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { renderPlain } from './plain.ts';
import type { RenderAnswer, RenderRequest } from './render-worker.ts';
import type { PlainReason, Rendered } from './rendered.ts';

export interface SeatLimits {
  readonly timeMillis: number;
  readonly memoryMegabytes: number;
}

/** The worker's program: beside us as source, or beside the bundle that we became part of. */
function workerUrl(): URL {
  const candidates = ['./render-worker.ts', './render-worker.js'].map(name => new URL(name, import.meta.url));
  const found = candidates.find(url => url.protocol === 'file:' && existsSync(url));
  if (!found) throw new Error(`render-worker is missing beside ${import.meta.url}`);
  return found;
}

/** One place for a worker thread. The thread is started when first needed, and anew after one had to be ended. */
export class WorkerSeat {
  readonly #limits: SeatLimits;
  #worker: Worker | undefined;
  #ready: Promise<void> = Promise.resolve();
  #ending: Promise<unknown> = Promise.resolve();

  constructor(limits: SeatLimits) {
    this.#limits = limits;
  }

  /** One text at a time; the caller sees to that. Never rejects for the text's sake. */
  async run(request: RenderRequest): Promise<Rendered> {
    // An ended thread may take a moment to stop; two at once would take two shares of the machine.
    await this.#ending;
    const worker = this.#worker ?? this.#start();
    await this.#ready;
    const answer = await this.#ask(worker, request);
    if (typeof answer === 'string') {
      this.#end();
      return renderPlain(request.markdown, answer);
    }
    if ('failed' in answer) throw new Error(`rendering failed: ${answer.failed}`);
    return answer.rendered;
  }

  async close(): Promise<void> {
    this.#end();
    await this.#ending;
  }

  #start(): Worker {
    const worker = new Worker(workerUrl(), {
      // A roomy nursery: trees of a page are short-lived, and collecting them was a third of the time of a long one.
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMegabytes, maxYoungGenerationSizeMb: 96, stackSizeMb: 4 },
      // Nothing of the process's environment is a renderer's business.
      env: {},
      execArgv: [],
    });
    this.#worker = worker;
    // An idle thread keeps nobody from leaving.
    worker.unref();
    this.#ready = loaded(worker);
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

  #ask(worker: Worker, request: RenderRequest): Promise<RenderAnswer | PlainReason> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        worker.unref();
        act();
      };
      const onMessage = (answer: RenderAnswer) => settle(() => resolve(answer));
      const onError = (error: Error & { code?: string }) =>
        settle(() => (error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve('memory') : reject(error)));
      const onExit = () => settle(() => resolve('memory'));
      const timer = setTimeout(() => settle(() => resolve('time')), this.#limits.timeMillis);
      worker.ref();
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.postMessage(request);
    });
  }
}

/** Resolves when the thread's program is loaded, rejects when it cannot be. */
async function loaded(worker: Worker): Promise<void> {
  worker.ref();
  const gone = new AbortController();
  worker.once('exit', () => gone.abort());
  try {
    // The program's first message says only that it is there.
    await once(worker, 'message', { signal: gone.signal });
  } finally {
    worker.unref();
  }
}
