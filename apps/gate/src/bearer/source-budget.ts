import { limits } from '../limits.ts';

/** Above this number, the source that was idle longest gets a fresh budget. */
const maxSources = 10_000;

interface Budget {
  readonly left: number;
  /** When `left` was computed, in milliseconds. */
  readonly at: number;
}

/** How often each source (a network address) may still make us ask a provider: a token bucket. */
export class SourceBudget {
  readonly #budgets = new Map<string, Budget>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** @returns false when nothing is left */
  take(source: string): boolean {
    const left = this.#leftOf(source);
    if (left < 1) return false;
    this.#keep(source, left - 1);
    return true;
  }

  /** A token that turned out to be valid costs nothing. */
  giveBack(source: string): void {
    this.#keep(source, Math.min(limits.maxUnknownTokensOfASource, this.#leftOf(source) + 1));
  }

  #leftOf(source: string): number {
    const known = this.#budgets.get(source);
    if (known === undefined) return limits.maxUnknownTokensOfASource;
    const passedMs = Math.max(0, this.#now().getTime() - known.at);
    return Math.min(limits.maxUnknownTokensOfASource, known.left + passedMs / limits.unknownTokenEveryMs);
  }

  #keep(source: string, left: number): void {
    this.#budgets.delete(source);
    this.#budgets.set(source, { left, at: this.#now().getTime() });
    for (const [oldest] of this.#budgets) {
      if (this.#budgets.size <= maxSources) break;
      this.#budgets.delete(oldest);
    }
  }
}
