import type { TokenBucket } from './token-bucket.ts';

/** How a document of the provider is loaded and how long it is believed. */
export interface DocumentPolicy<T> {
  load: () => Promise<T>;
  maxAgeSeconds: number;
  maxStaleSeconds: number;
  bucket: TokenBucket;
  now: () => number;
}

interface Loaded<T> {
  value: T;
  /** Which load brought it; loads count from 1. */
  serial: number;
  startedAt: number;
}

/**
 * One document of the provider (its metadata, its keys): loaded once for all who wait, refreshed in the background when
 * it grows old, served stale while the provider is down, and reloaded on demand no faster than the bucket allows.
 */
export class CachedDocument<T> {
  readonly #policy: DocumentPolicy<T>;
  #loaded: Loaded<T> | undefined;
  #flight: Promise<T> | undefined;
  #failure: unknown;
  #serial = 0;

  constructor(policy: DocumentPolicy<T>) {
    this.#policy = policy;
  }

  /** How many loads were started so far. Note it, then compare with {@link loadedSerial}. */
  get startedSerial(): number {
    return this.#serial;
  }

  /** Which load brought the document that is served now; 0 before the first. */
  get loadedSerial(): number {
    return this.#loaded?.serial ?? 0;
  }

  /** The document, if it is at hand and not old. */
  fresh(): T | undefined {
    return this.#loaded !== undefined && this.#ageSeconds() < this.#policy.maxAgeSeconds ? this.#loaded.value : undefined;
  }

  /** The document: at once if there is one that may be served, otherwise after a load shared by all callers. */
  async get(): Promise<T> {
    const age = this.#ageSeconds();
    if (this.#loaded !== undefined && age < this.#policy.maxAgeSeconds) return this.#loaded.value;
    const flight = this.#flight ?? this.#start();
    if (this.#loaded !== undefined && age < this.#policy.maxStaleSeconds) {
      flight?.catch(() => undefined);
      return this.#loaded.value;
    }
    // No token left and nothing to serve: repeat the last failure instead of asking a struggling provider again.
    if (flight === undefined) throw this.#failure;
    return flight;
  }

  /** Waits for a load that is under way, or starts one. False when the bucket is empty. */
  async reload(): Promise<boolean> {
    const flight = this.#flight ?? this.#start();
    await flight;
    return flight !== undefined;
  }

  #ageSeconds(): number {
    return this.#loaded === undefined ? Number.POSITIVE_INFINITY : (this.#policy.now() - this.#loaded.startedAt) / 1000;
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
      const value = await this.#policy.load();
      this.#loaded = { value, serial, startedAt };
      return value;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}
