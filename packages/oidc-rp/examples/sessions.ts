import type { BackChannelLogout, SignIn } from '../src/index.ts';
import { identityKey, logoutCoverage } from '../src/index.ts';

const lifetimeSeconds = 8 * 3600;
const maxSessions = 100_000;

/** Sessions in memory, for the examples. A real application keeps them where all its processes see them: `@octavo/sign-in-store` does. */
export class Sessions {
  readonly #kept = new Map<string, { signIn: SignIn; endsAt: number }>();

  /** Makes a session, with a new id at each sign-in, and gives its cookie. */
  create(signIn: SignIn): string[] {
    const id = crypto.randomUUID();
    this.#kept.set(id, { signIn, endsAt: Date.now() + lifetimeSeconds * 1000 });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= maxSessions) break;
      this.#kept.delete(oldest);
    }
    return [`__Host-session=${id}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${lifetimeSeconds}`];
  }

  /** Who is signed in in the browser with these cookies. */
  find(cookies: string | undefined): SignIn | undefined {
    const id = /(?:^|; )__Host-session=([\w-]+)/.exec(cookies ?? '')?.[1];
    const session = id === undefined ? undefined : this.#kept.get(id);
    return session !== undefined && session.endsAt > Date.now() ? session.signIn : undefined;
  }

  /** Ends what a logout names. */
  end(logout: BackChannelLogout): void {
    for (const [id, { signIn }] of this.#kept) {
      if (logoutCoverage(logout, signIn.claims) === 'covered') this.#kept.delete(id);
    }
  }

  /** The accounts of the people who are signed in. */
  get accounts(): Set<string> {
    return new Set([...this.#kept.values()].map(({ signIn }) => identityKey(signIn.identity)));
  }
}
