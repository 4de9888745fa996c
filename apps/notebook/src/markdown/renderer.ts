import { availableParallelism } from 'node:os';
import { type Turn, TurnQueue } from '../model/turn-queue.ts';
import { renderBounds } from './bounds.ts';
import { engineName } from './engine-name.ts';
import { plainWithoutText, renderPlain } from './plain.ts';
import { RenderThread } from './render-thread.ts';
import type { RenderRequest } from './render-worker.ts';
import type { PlainReason, Rendered, Renderer, RenderOptions, RenderTurn } from './rendered.ts';

export interface RendererLimits {
  /**
   * Threads for quick texts. Default: one less than the machine has cores, at least two, at most four. There is one more for slow
   * texts.
   */
  readonly threads?: number;
  /** Processor time in these threads. A text that takes longer goes to the long queue. Default 1,000. */
  readonly quickMillis?: number;
  /** Processor time in the long queue. After it a text is shown plain. Default `renderBounds.timeMillis`. */
  readonly timeMillis?: number;
  /** Wall-clock limit, for when the machine gives a thread no processor. Default ten times the processor time. */
  readonly waitMillis?: number;
  /** Heap of the long queue's thread. A text that needs more is shown plain. Default 256, and 96 for the others. */
  readonly memoryMegabytes?: number;
  /** How many texts may wait. Default 256, with at most 32 million characters. */
  readonly maxWaiting?: number;
  /** Processor time in the last minutes. A payer that used more leaves the last free thread to others. Default 3,000. */
  readonly heavyMillis?: number;
}

/** Longer texts go directly to the long queue, because most would not be finished quickly. */
const quickChars = 262_144;
/** Processor time in the last minutes. A payer that used more gets nothing rendered in advance. */
const spentMillis = 20_000;
/** Charged to a payer while its text is rendered, so that others get their turn. */
const guessMillis = 100;

interface Waiting extends Turn {
  readonly request: RenderRequest;
  /** Whether it is for the long queue. */
  long: boolean;
  readonly turn: RenderTurn;
  readonly resolve: (outcome: Rendered | PlainReason) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates the server's renderer. Every text is rendered in a worker thread, so that none blocks the event loop. */
export function createRenderer(limits: RendererLimits = {}): Renderer {
  return new PooledRenderer(limits);
}

function plain(markdown: string, reason: PlainReason, { background }: RenderTurn): Rendered {
  return background ? plainWithoutText(reason) : renderPlain(markdown, reason);
}

/** One kind of threads: all of them, and those that are free. */
interface ThreadPool {
  readonly long: boolean;
  readonly threads: readonly RenderThread[];
  readonly free: RenderThread[];
  /** The bills of the texts being rendered there. */
  readonly paying: Set<Turn>;
}

function createThreadPool(long: boolean, count: number, limits: ConstructorParameters<typeof RenderThread>[0]): ThreadPool {
  const threads = Array.from({ length: count }, () => new RenderThread(limits));
  return { long, threads, free: [...threads], paying: new Set() };
}

class PooledRenderer implements Renderer {
  readonly engine = engineName;
  readonly #queue: TurnQueue<Waiting>;
  readonly #quick: ThreadPool;
  readonly #long: ThreadPool;
  readonly #heavyMillis: number;
  #closed = false;

  constructor({
    threads,
    quickMillis = 1_000,
    timeMillis = renderBounds.timeMillis,
    waitMillis,
    memoryMegabytes = 256,
    ...rest
  }: RendererLimits) {
    const byTheClock = waitMillis === undefined ? {} : { waitMillis };
    const { maxWaiting = 256, heavyMillis = 3_000 } = rest;
    this.#heavyMillis = heavyMillis;
    const count = threads ?? Math.min(4, Math.max(2, availableParallelism() - 1));
    const quickMegabytes = Math.min(96, memoryMegabytes);
    this.#quick = createThreadPool(false, count, {
      timeMillis: Math.min(quickMillis, timeMillis),
      ...byTheClock,
      memoryMegabytes: quickMegabytes,
      idleMillis: 600_000,
      niceness: 5,
    });
    this.#long = createThreadPool(true, 1, { timeMillis, ...byTheClock, memoryMegabytes, idleMillis: 30_000, niceness: 10 });
    this.#queue = new TurnQueue({ maxTurns: maxWaiting, maxBytes: 32_000_000 });
  }

  render(markdown: string, options: RenderOptions = {}, turn: RenderTurn = { payers: [], background: false }): Promise<Rendered> {
    if (this.#closed) return Promise.reject(new Error('the renderer is closed'));
    if (markdown.length > renderBounds.sourceChars) return Promise.resolve(renderPlain(markdown, 'output'));
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        // Read when a thread is free, not now, because a reader may have come since.
        get payers() {
          return turn.payers;
        },
        get background() {
          return turn.background;
        },
        ...(turn.name === undefined ? {} : { name: turn.name }),
        bytes: markdown.length,
        request: { markdown, options },
        turn,
        long: markdown.length > quickChars,
        resolve: outcome => resolve(typeof outcome !== 'string' ? outcome : plain(markdown, outcome, turn)),
        reject,
      };
      this.#enter(waiting);
    });
  }

  /** Ends the threads and rejects all waiting texts. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#queue.clear()) waiting.reject(new Error('the renderer is closed'));
    await Promise.all([...this.#quick.threads, ...this.#long.threads].map(thread => thread.close()));
  }

  #enter(waiting: Waiting): void {
    if (waiting.background && this.#queue.usedBy(waiting) > spentMillis) {
      waiting.resolve('busy');
      return;
    }
    for (const dropped of this.#queue.add(waiting)) dropped.resolve('busy');
    this.#next();
  }

  #next(): void {
    if (this.#closed) return;
    for (const pool of [this.#quick, this.#long]) {
      while (pool.free.length > 0) {
        const waiting = this.#queue.take(turn => turn.long === pool.long && this.#mayTakeThread(turn, pool));
        if (!waiting) break;
        void this.#run(waiting, pool, pool.free.pop()!);
      }
    }
  }

  /** The last free thread is for payers that used little time recently and have no text in a thread now. */
  #mayTakeThread(turn: Waiting, { threads, free, paying }: ThreadPool): boolean {
    if (free.length > 1 || threads.length === 1) return true;
    const hasRunningText = [...paying].some(({ payers }) => payers.some(payer => turn.payers.includes(payer)));
    return !hasRunningText && this.#queue.usedBy(turn) <= this.#heavyMillis;
  }

  async #run(waiting: Waiting, pool: ThreadPool, thread: RenderThread): Promise<void> {
    // The current payers pay for all of it, even if another reader takes over the turn.
    const bill: Turn = { payers: [...waiting.payers], background: false, bytes: 0 };
    this.#queue.charge(bill, guessMillis);
    pool.paying.add(bill);
    let used = guessMillis;
    waiting.turn.running = true;
    const onLate = () => {
      waiting.turn.late = true;
    };
    try {
      const { outcome, usedMillis } = await thread.run(waiting.request, onLate);
      used = usedMillis;
      if (!pool.long && (outcome === 'time' || outcome === 'memory') && !this.#closed) this.#tryLong(waiting);
      else waiting.resolve(outcome);
    } catch (error) {
      waiting.reject(error);
    } finally {
      this.#queue.charge(bill, used - guessMillis);
      pool.paying.delete(bill);
      pool.free.push(thread);
      this.#next();
    }
  }

  #tryLong(waiting: Waiting): void {
    waiting.long = true;
    waiting.turn.late = true;
    waiting.turn.running = false;
    // Deferred, so that the first try is charged before the next text is chosen (see #run).
    queueMicrotask(() => (this.#closed ? waiting.reject(new Error('the renderer is closed')) : this.#enter(waiting)));
  }
}
