import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../errors.ts';
import { urls } from '../urls.ts';

/** `high`: what costs much is refused. `severe`: everything but what lies ready in memory. */
export type PressureLevel = 'none' | 'high' | 'severe';

/** What is looked at, twice a second. */
export interface Load {
  /** How late the loop was, as far as this thread itself kept it: a machine that is busy with others is no reason to refuse. */
  readonly lagMillis: number;
  /** The share of the memory that the process may take, from 0 to 1. */
  readonly memoryShare: number;
  /** The share of the heap that the engine may take, from 0 to 1. */
  readonly heapShare: number;
  /** Being answered. */
  readonly requests: number;
}

const bounds = {
  high: { lagMillis: 400, memoryShare: 0.85, heapShare: 0.75, requests: 1_000 },
  severe: { lagMillis: 1_500, memoryShare: 0.93, heapShare: 0.9, requests: 3_000 },
} as const;

function isOver(load: Load, bound: Load): boolean {
  return (Object.keys(bound) as (keyof Load)[]).some(key => load[key] > bound[key]);
}

export function levelOf(load: Load): PressureLevel {
  if (isOver(load, bounds.severe)) return 'severe';
  return isOver(load, bounds.high) ? 'high' : 'none';
}

const sampleMillis = 500;

/** Watches the process, and says how much it may still take. */
export class Pressure {
  level: PressureLevel = 'none';
  requests = 0;
  #lags: [number, number] = [0, 0];
  #timer: NodeJS.Timeout | undefined;
  readonly #allowedBytes = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

  start(): void {
    let at = performance.now();
    let used = ownMillis();
    this.#timer = setInterval(() => {
      const [now, usedNow] = [performance.now(), ownMillis()];
      const late = Math.max(0, now - at - sampleMillis);
      this.#lags = [this.#lags[1], Math.min(late, usedNow - used)];
      [at, used] = [now, usedNow];
      this.level = levelOf(this.#load());
    }, sampleMillis).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** @throws Refusal `unavailable` when even small work is too much; what lies ready never asks */
  requireRoom(): void {
    if (this.level === 'severe') throw overloaded();
  }

  /** @throws Refusal `unavailable` */
  requireMuchRoom(): void {
    if (this.level !== 'none') throw overloaded();
  }

  #load(): Load {
    const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics();
    return {
      // One long moment is over when it is seen; two in a row are a state.
      lagMillis: Math.min(...this.#lags),
      memoryShare: process.memoryUsage.rss() / this.#allowedBytes,
      heapShare: heap / heapLimit,
      requests: this.requests,
    };
  }
}

/** Processor time of this thread. */
function ownMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function overloaded(): Refusal {
  return new Refusal('unavailable', {
    retryAfterSeconds: 2,
    detail: 'The service is overloaded. Try again in 2 seconds.',
  });
}

/** Asked by supervisors, which would end a process that only has much to do. */
export const alwaysAnswered: ReadonlySet<string> = new Set([urls.healthz(), urls.readyz()]);
/** These look whether the answer lies ready first, and ask for room only when it does not. */
const readyFirst: ReadonlySet<string> = new Set([urls.view(':slug'), urls.viewPage(':slug', ':pageId'), urls.home()]);
/** The reads that cost most. */
const costly: ReadonlySet<string> = new Set([
  urls.print(':slug'),
  urls.find(':slug'),
  urls.search(),
  urls.api.search(),
  urls.llmsFull(),
]);

/** Refuses with 503 and `Retry-After` before everything becomes slow: what costs much first, views that lie ready in memory last. */
export function shedLoad(app: FastifyInstance, pressure: Pressure): void {
  app.addHook('onRequest', async (request, reply) => {
    pressure.requests += 1;
    reply.raw.once('close', () => {
      pressure.requests -= 1;
    });
    if (pressure.level === 'none') return;
    const route = request.routeOptions.url ?? '';
    if (alwaysAnswered.has(route) || readyFirst.has(route)) return;
    const writes = request.method !== 'GET' && request.method !== 'HEAD';
    if (writes || costly.has(route)) pressure.requireMuchRoom();
    else pressure.requireRoom();
  });
  app.addHook('onClose', async () => pressure.stop());
}
