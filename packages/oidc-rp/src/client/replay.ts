import { base64url } from 'jose';
import { type Clock, millisecondsOf } from '../environment.ts';
import { OidcError } from '../errors.ts';

/**
 * Remembers what may be used only once. Several processes must share one: a table with a unique key will do. The interface is the
 * same as in `@octavo/saml-sp`.
 *
 * @example
 * ```ts
 * const replayStore: ReplayStore = {
 *   claim: async (key, until) =>
 *     (await db.query('INSERT INTO used (key, until) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING', [key, until])).rowCount === 1,
 *   release: async key => void (await db.query('DELETE FROM used WHERE key = $1', [key])),
 * };
 * ```
 */
export interface ReplayStore {
  /**
   * Claims the key until the given time, in one atomic statement.
   *
   * @param key at most 200 printable ASCII characters
   * @returns false when it is already claimed
   */
  claim: (key: string, until: Date) => boolean | Promise<boolean>;
  /** Gives a claim back, when the work it stood for failed and the sender may try again. */
  release: (key: string) => void | Promise<void>;
}

const maxEntries = 100_000;

/**
 * A replay store in this process's memory, of bounded size; right for a single process.
 *
 * @example
 * ```ts
 * const replayStore = new MemoryReplayStore(); // one for all relying parties of the process
 * ```
 */
export class MemoryReplayStore implements ReplayStore {
  readonly #now: () => number;
  readonly #claimed = new Map<string, number>();

  constructor(clock: Clock = {}) {
    this.#now = millisecondsOf(clock);
  }

  claim(key: string, until: Date): boolean {
    const now = this.#now();
    const claimed = this.#claimed.get(key);
    if (claimed !== undefined && claimed > now) return false;
    this.#claimed.delete(key);
    this.#claimed.set(key, until.getTime());
    this.#sweep(now);
    return true;
  }

  release(key: string): void {
    this.#claimed.delete(key);
  }

  // Entries are in the order of their use, which is nearly the order of their expiry.
  #sweep(now: number): void {
    for (const [key, until] of this.#claimed) {
      if (until > now && this.#claimed.size <= maxEntries) return;
      this.#claimed.delete(key);
    }
  }
}

/** The key under which something from a provider is claimed. It is hashed, because the provider chooses its ids and their length. */
export async function replayKey(kind: 'state' | 'logout', issuer: string, id: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify([issuer, id])));
  return `oidc-${kind}:${base64url.encode(new Uint8Array(digest))}`;
}

/** Claims a key; an unavailable store is an outage, not a replay. */
export async function claimOnce(store: ReplayStore, key: string, untilSeconds: number, check: string): Promise<boolean> {
  let claimed: unknown;
  try {
    claimed = await store.claim(key, new Date(Math.ceil(untilSeconds * 1000)));
  } catch (cause) {
    throw new OidcError('OIDC_STORE_UNAVAILABLE', { check, cause });
  }
  // If a store returns anything but a boolean, it may mean either: then nothing passes.
  if (typeof claimed !== 'boolean')
    throw new OidcError('OIDC_STORE_UNAVAILABLE', { check, expected: 'true or false', received: typeof claimed });
  return claimed;
}
