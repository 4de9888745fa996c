import { type Environment, nowSeconds } from './environment.ts';

/** Remembers what may be used only once. Several processes need one that they all see: a table with a unique key. */
export interface ReplayStore {
  /**
   * Marks the id as used until that time (seconds since 1970).
   *
   * @returns false when it was used before
   */
  use: (id: string, expiresAt: number) => boolean | Promise<boolean>;
  /** Takes the mark back, when the work that it stood for failed and the sender may try again. */
  forget: (id: string) => void | Promise<void>;
}

const maxEntries = 100_000;

/** A replay store in this process's memory, bounded; right for a single process. */
export class MemoryReplayStore implements ReplayStore {
  readonly #clock: Pick<Environment, 'now'>;
  readonly #used = new Map<string, number>();

  constructor(clock: Pick<Environment, 'now'>) {
    this.#clock = clock;
  }

  use(id: string, expiresAt: number): boolean {
    const now = nowSeconds(this.#clock);
    const until = this.#used.get(id);
    if (until !== undefined && until > now) return false;
    this.#used.delete(id);
    this.#used.set(id, expiresAt);
    this.#sweep(now);
    return true;
  }

  forget(id: string): void {
    this.#used.delete(id);
  }

  // Entries lie in the order of their use, which is nearly the order of their expiry.
  #sweep(now: number): void {
    for (const [id, until] of this.#used) {
      if (until > now && this.#used.size <= maxEntries) return;
      this.#used.delete(id);
    }
  }
}
