/**
 * The pause between questions that forged input can cause: each one in vain doubles it, up to a longest one. News end it, and so does a time in which
 * nobody asked.
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

  /** Whether the next question may be asked. */
  isOver(): boolean {
    return this.waitMs() === 0;
  }

  /** How long until the next question may be asked; 0 when it may. */
  waitMs(): number {
    const now = this.#now();
    // A clock that was set back must not prolong the pause by as much as it was wrong.
    if (now < this.#since) this.#since = now;
    return Math.max(0, this.#since + this.#pauseMs - now);
  }

  /** A question told nothing new. */
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
