import { availableParallelism } from 'node:os';
import { checkBounds } from './bounds.ts';
import { engineName } from './engine-name.ts';
import { normalise } from './normalise.ts';
import { renderPlain } from './plain.ts';
import type { RenderRequest } from './render-worker.ts';
import type { Rendered, Renderer, RenderOptions } from './rendered.ts';
import { WorkerSeat } from './worker-seat.ts';

export interface RendererLimits {
  /** Worker threads. Default: one less than the machine has cores, at least two (one slow text must not hold up all), at most four. */
  readonly threads?: number;
  /** For one text; then it is shown plain. Default 6,000: three times what a megabyte of ordinary text takes. */
  readonly timeMillis?: number;
  /** Heap of one thread; a text that needs more is shown plain. Default 512. */
  readonly memoryMegabytes?: number;
}

interface Waiting {
  readonly request: RenderRequest;
  readonly resolve: (rendered: Rendered) => void;
  readonly reject: (error: unknown) => void;
}

/** The server's renderer: every text is rendered in a worker thread, so that none keeps the event loop. */
export function createRenderer(limits: RendererLimits = {}): Renderer {
  return new PooledRenderer(limits);
}

class PooledRenderer implements Renderer {
  readonly engine = engineName;
  readonly #free: WorkerSeat[];
  readonly #seats: readonly WorkerSeat[];
  readonly #queue: Waiting[] = [];
  #closed = false;

  constructor({ threads, timeMillis = 6_000, memoryMegabytes = 512 }: RendererLimits) {
    const count = threads ?? Math.min(4, Math.max(2, availableParallelism() - 1));
    this.#seats = Array.from({ length: count }, () => new WorkerSeat({ timeMillis, memoryMegabytes }));
    this.#free = [...this.#seats];
  }

  render(markdown: string, options: RenderOptions = {}): Promise<Rendered> {
    if (this.#closed) return Promise.reject(new Error('the renderer is closed'));
    // Looked at here already: what is plain anyway need not wait for a thread.
    const over = checkBounds(normalise(markdown));
    if (over) return Promise.resolve(renderPlain(markdown, over));
    return new Promise((resolve, reject) => {
      this.#queue.push({ request: { markdown, options }, resolve, reject });
      this.#next();
    });
  }

  /** Ends the threads. What still waits is rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#queue.splice(0)) waiting.reject(new Error('the renderer is closed'));
    await Promise.all(this.#seats.map(seat => seat.close()));
  }

  #next(): void {
    const seat = this.#queue.length > 0 ? this.#free.pop() : undefined;
    const waiting = seat && this.#queue.shift();
    if (!seat || !waiting) return;
    seat
      .run(waiting.request)
      .then(waiting.resolve, waiting.reject)
      .finally(() => {
        this.#free.push(seat);
        this.#next();
      });
  }
}
