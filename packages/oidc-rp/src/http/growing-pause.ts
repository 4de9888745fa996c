/**
 * The pause between requests that forged input can cause. Each request without news doubles it, up to a maximum. News resets it,
 * and so does a time without requests.
 */
export class GrowingPause {
  readonly #firstMs: number;
  readonly #longestMs: number;
  readonly #now: () => number;
  #pauseMs = 0;
  #since = 0;

  constructor(firstSeconds: number, longestSeconds: number, now: () => number) {
    this.#firstMs = firstSeconds * 1000;
    this.#longestMs = Math.max(firstSeconds, longestSeconds) * 1000;
    this.#now = now;
  }

  /** Whether the next request may be made. */
  isOver(): boolean {
    return this.waitMs() === 0;
  }

  /** How long until the next request may be made; 0 if it may be made now. */
  waitMs(): number {
    const now = this.#now();
    // A clock that was set back must not prolong the pause by as much as it was wrong.
    if (now < this.#since) this.#since = now;
    return Math.max(0, this.#since + this.#pauseMs - now);
  }

  /** A request brought nothing new. */
  inVain(): void {
    const now = this.#now();
    const wasQuiet = now - this.#since > this.#pauseMs + this.#longestMs;
    this.#pauseMs = wasQuiet ? this.#firstMs : Math.min(this.#longestMs, Math.max(this.#firstMs, this.#pauseMs * 2));
    this.#since = now;
  }

  end(): void {
    this.#pauseMs = 0;
  }
}
