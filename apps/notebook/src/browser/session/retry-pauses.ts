const firstPause = 2_000;
export const longestPause = 60_000;

/** The pauses between tries, in milliseconds: 2, 4, 8 … at most 60 seconds, or as long as the server asks. */
export class RetryPauses {
  #next = firstPause;

  /** @param asked how long the server asked us to wait */
  next(asked: number): number {
    const pause = Math.max(asked, this.#next);
    this.#next = Math.min(this.#next * 2, longestPause);
    return pause;
  }

  /** A try worked. */
  reset(): void {
    this.#next = firstPause;
  }
}
