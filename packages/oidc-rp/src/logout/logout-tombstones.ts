import { type Clock, millisecondsOf } from '../environment.ts';
import type { IdTokenClaims } from '../tokens/claims.ts';
import { numberIn, requireShape } from '../values/shape.ts';
import type { BackChannelLogout } from './backchannel-logout.ts';

const maxEntries = 100_000;
const memory = numberIn(0, Number.MAX_SAFE_INTEGER);

/**
 * Remembers logouts for a while. A logout token can overtake the callback of the very sign-in that it ends; without a memory, the
 * session would be stored a moment later and live on.
 *
 * Bury every logout here, and check before you store a session.
 *
 * @example
 * ```ts
 * const tombstones = new LogoutTombstones();
 * await relyingParty.answerBackChannelLogout(request, logout => tombstones.bury(logout));
 * if (!tombstones.covers(signIn.claims)) await sessions.create(signIn);
 * ```
 */
export class LogoutTombstones {
  readonly #now: () => number;
  readonly #memorySeconds: number;
  readonly #buried = new Map<string, { issuedAt: number; forgetAt: number }>();

  /** @param memorySeconds must be longer than a sign-in can take */
  constructor(clock: Clock = {}, memorySeconds = 900) {
    this.#now = millisecondsOf(clock);
    // Without a number it would forget at once.
    requireShape(memorySeconds, 'memorySeconds', memory);
    this.#memorySeconds = memorySeconds;
  }

  /** Remembers a logout. */
  bury(logout: Pick<BackChannelLogout, 'issuer' | 'subject' | 'sid' | 'issuedAt'>): void {
    const name =
      logout.sid === undefined ? tombstone('sub', logout.issuer, logout.subject) : tombstone('sid', logout.issuer, logout.sid);
    // Logouts may arrive in another order than they happened: the latest one counts.
    const issuedAt = Math.max(logout.issuedAt, this.#buried.get(name)?.issuedAt ?? logout.issuedAt);
    this.#buried.delete(name);
    this.#buried.set(name, { issuedAt, forgetAt: this.#now() / 1000 + this.#memorySeconds });
    this.#sweep();
  }

  /** Whether a session with these claims was signed out before it could be stored. */
  covers(claims: Pick<IdTokenClaims, 'iss' | 'sub' | 'iat' | 'sid'>): boolean {
    this.#sweep();
    if (claims.sid !== undefined && this.#buried.has(tombstone('sid', claims.iss, claims.sid))) return true;
    // All sessions of the person end, except those that begin later.
    const all = this.#buried.get(tombstone('sub', claims.iss, claims.sub));
    return all !== undefined && claims.iat <= all.issuedAt;
  }

  #sweep(): void {
    const now = this.#now() / 1000;
    for (const [name, { forgetAt }] of this.#buried) {
      if (forgetAt > now && this.#buried.size <= maxEntries) return;
      this.#buried.delete(name);
    }
  }
}

function tombstone(kind: 'sid' | 'sub', issuer: string, value: string | undefined): string {
  return JSON.stringify([kind, issuer, value]);
}
