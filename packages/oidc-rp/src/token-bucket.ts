/** Allows a burst, then one more per interval: bounds what forged input can cost the provider. */
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

  /** Takes one if there is one. */
  take(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** How long until there is one to take; 0 when there is. */
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
