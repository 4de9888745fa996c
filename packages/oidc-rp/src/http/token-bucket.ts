/** Allows a burst, then one more per interval: limits what forged input can cost the provider. */
export class TokenBucket {
  readonly #burst: number;
  readonly #intervalMs: number;
  readonly #now: () => number;
  #tokens: number;
  #refilledAt: number;

  constructor(burst: number, intervalSeconds: number, now: () => number) {
    this.#burst = burst;
    this.#intervalMs = intervalSeconds * 1000;
    this.#now = now;
    this.#tokens = burst;
    this.#refilledAt = now();
  }

  /** Takes a token if there is one. */
  take(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** How long until a token is available; 0 if there is one now. */
  waitMs(): number {
    this.#refill();
    return this.#tokens < 1 ? this.#refilledAt + this.#intervalMs - this.#now() : 0;
  }

  #refill(): void {
    const now = this.#now();
    // A clock that was set back must not stop refills for as long as it was wrong.
    if (now < this.#refilledAt) this.#refilledAt = now;
    const earned = Math.floor((now - this.#refilledAt) / this.#intervalMs);
    this.#tokens = Math.min(this.#burst, this.#tokens + earned);
    this.#refilledAt += earned * this.#intervalMs;
  }
}
