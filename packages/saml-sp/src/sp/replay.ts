import { SamlError } from '../errors.ts';
import { fn, number, optional, readShape, shape } from '../values/shape.ts';

/**
 * Remembers what was used. `claim` must be atomic across all processes that share the store: of any number of callers with the
 * same key, exactly one gets `true`. In SQL: `INSERT … ON CONFLICT DO NOTHING` and check the row count; in Redis: `SET NX PXAT`.
 * If the store throws, that is an outage: the refusal is `SAML_STORE_UNAVAILABLE`, status 503.
 */
export interface ReplayStore {
  /**
   * @param key what is used up: at most 200 printable ASCII characters
   * @param until when the key may be forgotten; from then on the message it stands for is refused because of its own dates
   * @returns true for the first caller, false for every other one
   */
  claim(key: string, until: Date): boolean | Promise<boolean>;
  /** Gives a claim back: the work it stood for failed, and the same message may be tried again. */
  release(key: string): void | Promise<void>;
}

/**
 * A store for one process. It holds at most `maxEntries` unexpired keys and refuses further claims when it is full: forgetting
 * one early would allow a replay, so a flood fails closed.
 * @example new ServiceProvider({ …, replayStore: new MemoryReplayStore() })
 */
export class MemoryReplayStore implements ReplayStore {
  readonly #entries = new Map<string, number>();
  readonly #now: () => Date;
  readonly #maxEntries: number;
  #nextSweep = 0;

  constructor(options: { now?: () => Date; maxEntries?: number } = {}) {
    const read = readShape(options, 'options', shape({ now: optional(fn<() => Date>()), maxEntries: optional(number(1, 1e9)) }));
    this.#now = read.now ?? (() => new Date());
    this.#maxEntries = read.maxEntries ?? 200_000;
  }

  claim(key: string, until: Date): boolean {
    const now = this.#now().getTime();
    this.#sweep(now);
    const held = this.#entries.get(key);
    if (held !== undefined && held > now) return false;
    if (this.#entries.size >= this.#maxEntries) throw new SamlError('SAML_STORE_UNAVAILABLE', 'the replay store is full');
    this.#entries.set(key, until.getTime());
    return true;
  }

  release(key: string): void {
    this.#entries.delete(key);
  }

  /** The number of keys remembered. */
  get size(): number {
    return this.#entries.size;
  }

  #sweep(now: number): void {
    if (now < this.#nextSweep && this.#entries.size < this.#maxEntries) return;
    for (const [key, until] of this.#entries) if (until <= now) this.#entries.delete(key);
    this.#nextSweep = now + 30_000;
  }
}
