import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../errors.ts';
import { urls } from '../../urls.ts';
import { clientKey } from '../addresses/client-ip.ts';

/** `high`: expensive requests are refused. `severe`: everything except prepared answers in memory is refused. */
export type PressureLevel = 'none' | 'high' | 'severe';

/** The measurements, taken twice a second. */
export interface Load {
  /** The loop's delay that this thread itself caused: a machine that is busy with other work is no reason to refuse. */
  readonly lagMillis: number;
  /** The share of the allowed process memory that is in use, from 0 to 1. */
  readonly memoryShare: number;
  /** The share of the allowed heap that is in use, from 0 to 1. */
  readonly heapShare: number;
  /**
   * Requests being worked on, without those whose body is still arriving or whose answer waits for its reader. Of one client, at most
   * `fewRequests` count.
   */
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

/** A client with more requests at once is crowding; a browser opens six connections. */
const fewRequests = 32;

const calm = { lagMillis: 0, memoryShare: 0, heapShare: 0 } as const;

/** Measures the process's load and decides what it may still accept. */
export class Pressure {
  level: PressureLevel = 'none';
  requests = 0;
  readonly #byClient = new Map<string, number>();
  /** Requests of crowding clients past the first `fewRequests` of each. */
  #crowding = 0;
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

  begin(client: string): void {
    const count = (this.#byClient.get(client) ?? 0) + 1;
    this.#byClient.set(client, count);
    this.requests += 1;
    if (count > fewRequests) this.#crowding += 1;
  }

  end(client: string): void {
    const count = this.#byClient.get(client) ?? 0;
    if (count > fewRequests) this.#crowding -= 1;
    this.requests -= 1;
    if (count > 1) this.#byClient.set(client, count - 1);
    else this.#byClient.delete(client);
  }

  /**
   * The level of requests for one client. A thousand requests of a few clients are refused to those clients: if they were an overload for everybody,
   * two addresses could keep the others from saving.
   */
  crowdingOf(client: string): PressureLevel {
    if ((this.#byClient.get(client) ?? 0) <= fewRequests) return 'none';
    return levelOf({ ...calm, requests: this.requests });
  }

  /** @throws Refusal `unavailable` when even small work is too much; prepared answers never call this */
  requireCapacity(): void {
    if (this.level === 'severe') throw overloaded();
  }

  /** @throws Refusal `unavailable` */
  requireSpareCapacity(): void {
    if (this.level !== 'none') throw overloaded();
  }

  #load(): Load {
    const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics();
    return {
      // A single long moment is over by the time it is seen; two in a row are a trend.
      lagMillis: Math.min(...this.#lags),
      memoryShare: process.memoryUsage.rss() / this.#allowedBytes,
      heapShare: heap / heapLimit,
      requests: this.requests - this.#crowding,
    };
  }
}

/** Processor time used by this thread. */
function ownMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

export function overloaded(): Refusal {
  return new Refusal('unavailable', {
    retryAfterSeconds: 2,
    detail: 'The service is overloaded. Try again in 2 seconds.',
  });
}

/** For supervisors, which would otherwise end a process that is only busy. */
export const alwaysAnswered: ReadonlySet<string> = new Set([urls.healthz(), urls.readyz()]);
/** These check for a prepared answer first, and ask for room only without one. */
const triesCacheFirst: ReadonlySet<string> = new Set([urls.view(':slug'), urls.viewPage(':slug', ':pageId'), urls.home()]);
/** The most expensive reads. */
const expensive: ReadonlySet<string> = new Set([
  urls.print(':slug'),
  urls.find(':slug'),
  urls.search(),
  urls.api.search(),
  urls.llmsFull(),
]);

/** Refuses with 503 and `Retry-After` before everything slows down: expensive requests first, prepared views in memory last. */
export function shedLoad(app: FastifyInstance, pressure: Pressure): void {
  app.addHook('onRequest', async request => {
    const crowding = pressure.crowdingOf(clientKey(request.ip));
    if (pressure.level === 'none' && crowding === 'none') return;
    const route = request.routeOptions.url ?? '';
    if (alwaysAnswered.has(route)) return;
    if (crowding === 'severe') throw overloaded();
    if (triesCacheFirst.has(route)) return;
    const writes = request.method !== 'GET' && request.method !== 'HEAD';
    if (!writes && !expensive.has(route)) return pressure.requireCapacity();
    if (crowding === 'high') throw overloaded();
    pressure.requireSpareCapacity();
  });
  app.addHook('onClose', async () => pressure.stop());
}

/**
 * Counts a request while it makes us work. A client that withholds a body or does not read an answer costs only memory, which is bounded
 * elsewhere (bodies-in-flight.ts, unread-answers.ts). If such requests counted, a thousand idle connections would look like an overload,
 * and everybody's writes would be refused.
 */
export function countWork(app: FastifyInstance, pressure: Pressure): void {
  const atWork = new WeakMap<FastifyReply, string>();
  const begin = ({ ip }: FastifyRequest, reply: FastifyReply) => {
    if (atWork.has(reply) || reply.raw.destroyed) return;
    const client = clientKey(ip);
    atWork.set(reply, client);
    pressure.begin(client);
  };
  const pause = (reply: FastifyReply) => {
    const client = atWork.get(reply);
    if (client === undefined) return;
    atWork.delete(reply);
    pressure.end(client);
  };
  app.addHook('onRequest', async (request, reply) => {
    begin(request, reply);
    reply.raw.once('close', () => pause(reply));
  });
  app.addHook('preParsing', async ({ headers }, reply) => {
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) pause(reply);
  });
  app.addHook('preValidation', async (request, reply) => begin(request, reply));
  app.addHook('onSend', async (_, reply) => pause(reply));
}
