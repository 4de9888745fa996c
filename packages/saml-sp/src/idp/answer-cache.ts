import type { IdentityProvider } from './identity-provider.ts';

interface Answer {
  provider: IdentityProvider;
  /** Milliseconds since 1970. */
  freshUntil: number;
}

/**
 * Answers of a metadata query service, at most `maxEntries`: the least recently used goes first. "There is no such entity" is
 * kept apart, with the same limit, so a flood of made-up names drives no provider out.
 */
export class AnswerCache {
  readonly #found = new Map<string, Answer>();
  readonly #absent = new Map<string, number>();
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** Undefined when nothing is known. When `fresh` is false, ask again; a caller that uses the answer anyway checks its validUntil. */
  get(entityId: string, now: number): { provider: IdentityProvider | undefined; fresh: boolean } | undefined {
    const found = this.#found.get(entityId);
    if (found !== undefined) {
      this.#found.delete(entityId);
      this.#found.set(entityId, found);
      return { provider: found.provider, fresh: found.freshUntil > now && !hasEnded(found, now) };
    }
    const absentUntil = this.#absent.get(entityId);
    if (absentUntil !== undefined && absentUntil > now) return { provider: undefined, fresh: true };
    this.#absent.delete(entityId);
    return undefined;
  }

  put(entityId: string, provider: IdentityProvider | undefined, freshUntil: number, now: number): void {
    this.#found.delete(entityId);
    this.#absent.delete(entityId);
    if (provider === undefined) this.#absent.set(entityId, freshUntil);
    else this.#found.set(entityId, { provider, freshUntil });
    this.#trim(this.#found, answer => hasEnded(answer, now));
    this.#trim(this.#absent, until => until <= now);
  }

  /** The number of answers kept. */
  get size(): number {
    return this.#found.size + this.#absent.size;
  }

  /** Removes expired entries first, then the oldest. */
  #trim<T>(entries: Map<string, T>, ended: (entry: T) => boolean): void {
    if (entries.size <= this.#maxEntries) return;
    for (const [key, entry] of entries) if (ended(entry)) entries.delete(key);
    for (const key of entries.keys()) {
      if (entries.size <= this.#maxEntries) return;
      entries.delete(key);
    }
  }
}

const hasEnded = ({ provider }: Answer, now: number): boolean =>
  provider.validUntil !== undefined && provider.validUntil.getTime() <= now;
