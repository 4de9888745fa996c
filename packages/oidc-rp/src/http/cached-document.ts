import type { TokenBucket } from './token-bucket.ts';

/** A loaded document, and how long it may be cached. */
export interface Loaded<T> {
  value: T;
  maxAgeSeconds: number;
}

/** How a document of the provider is loaded, and when it must no longer be served. */
export interface DocumentPolicy<T> {
  load: () => Promise<Loaded<T>>;
  maxStaleSeconds: number;
  bucket: TokenBucket;
  now: () => number;
}

interface Held<T> extends Loaded<T> {
  /** The number of the load that brought it; loads count from 1. */
  serial: number;
  startedAt: number;
}

// From this share of its age on, a document in use is refreshed in the background, so that hardly any caller waits.
const refreshShare = 0.8;
// How long after a failed load the provider counts as down, so that no caller waits for it. No longer than this: without a new
// try the provider's state is unknown, and a key that was withdrawn meanwhile must not verify.
const failingMs = 600_000;
const [firstPauseMs, longestPauseMs] = [1_000, 60_000];
const always = () => true;

/**
 * One document of the provider (its metadata, its keys): loaded once for all waiting callers and refreshed in the background
 * before it is too old. Once it is, callers wait for a new one: a key that was withdrawn yesterday must not verify today because
 * nobody asked meanwhile. A stale document is served only when the provider fails: then at once, while loads are tried in the
 * background after pauses of 1, 2, 4 … 60 s until one succeeds. Reloaded on demand no faster than the bucket allows.
 */
export class CachedDocument<T> {
  readonly #policy: DocumentPolicy<T>;
  #held: Held<T> | undefined;
  #flight: Promise<T> | undefined;
  #failure: unknown;
  #failedAt = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;
  #serial = 0;

  constructor(policy: DocumentPolicy<T>) {
    this.#policy = policy;
  }

  /** How many loads have started so far. Note it, then compare with {@link loadedSerial}. */
  get startedSerial(): number {
    return this.#serial;
  }

  /** The number of the load that brought the document served now; 0 before the first. */
  get loadedSerial(): number {
    return this.#held?.serial ?? 0;
  }

  /** The document, if it is loaded and needs no refresh. */
  fresh(): T | undefined {
    const held = this.#held;
    return held !== undefined && this.#ageSeconds(held) < held.maxAgeSeconds * refreshShare ? held.value : undefined;
  }

  /** The document: at once while it is fresh enough or the provider fails, otherwise after a load shared by all callers. */
  async get(): Promise<T> {
    const held = this.#held;
    const age = held === undefined ? Number.POSITIVE_INFINITY : this.#ageSeconds(held);
    if (held !== undefined && age < held.maxAgeSeconds * refreshShare) return held.value;
    // While the provider fails, one caller after another would wait for the timeout: they get the old document at once.
    const failing = this.#isFailing();
    const isServable = held !== undefined && age < this.#policy.maxStaleSeconds;
    const flight = this.#flight ?? (isServable && this.#isPausing() ? undefined : this.#start());
    flight?.catch(() => undefined);
    if (!isServable) return this.#awaited(flight);
    if (age < held.maxAgeSeconds || failing || flight === undefined) return held.value;
    return flight.catch(() => held.value);
  }

  /**
   * Waits for the load under way, or starts one.
   *
   * @param mayStart called when no load is under way
   * @returns false when no load may start or the bucket is empty; but if the last load failed, its error is thrown instead
   */
  async reload(mayStart: () => boolean = always): Promise<boolean> {
    const flight = this.#flight ?? (mayStart() ? this.#start() : undefined);
    if (flight === undefined && this.#isFailing()) throw this.#failure;
    await flight;
    return flight !== undefined;
  }

  /** How long until a load may start; 0 when it may. */
  waitMs(): number {
    return this.#policy.bucket.waitMs();
  }

  /** The document that would be served if the provider failed now. */
  get held(): T | undefined {
    return this.#held?.value;
  }

  // No token left and nothing to serve: repeat the last failure instead of asking a struggling provider again.
  #awaited(flight: Promise<T> | undefined): Promise<T> {
    return flight ?? Promise.reject(this.#failure);
  }

  #isFailing(): boolean {
    return this.#sinceFailureMs() < failingMs;
  }

  #isPausing(): boolean {
    return this.#sinceFailureMs() < this.#pauseMs;
  }

  #sinceFailureMs(): number {
    const now = this.#policy.now();
    // A clock that was set back must not prolong the pause by as much as it was wrong.
    if (now < this.#failedAt) this.#failedAt = now;
    return now - this.#failedAt;
  }

  #ageSeconds(held: Held<T>): number {
    const now = this.#policy.now();
    // The clock was set back, so the age is unknown: a key that was withdrawn must not verify for as long as the clock was wrong.
    if (now < held.startedAt) held.startedAt = now - held.maxAgeSeconds * 1000;
    return (now - held.startedAt) / 1000;
  }

  #start(): Promise<T> | undefined {
    if (!this.#policy.bucket.take()) return undefined;
    this.#serial += 1;
    this.#flight = this.#load(this.#serial, this.#policy.now()).finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  async #load(serial: number, startedAt: number): Promise<T> {
    try {
      const loaded = await this.#policy.load();
      this.#held = { ...loaded, serial, startedAt };
      this.#failedAt = Number.NEGATIVE_INFINITY;
      this.#pauseMs = 0;
      return loaded.value;
    } catch (error) {
      this.#failure = error;
      this.#failedAt = this.#policy.now();
      this.#pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, this.#pauseMs * 2));
      throw error;
    }
  }
}
