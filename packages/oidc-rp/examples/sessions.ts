import type { SignInStore } from '@octavo/sign-in-store';
import type { BackChannelLogout, SignIn } from '../src/index.ts';

const idleSeconds = 3600;
const lifetimeSeconds = 8 * 3600;

/** Sessions where all processes see them. */
export class Sessions {
  readonly #store: SignInStore;

  constructor(store: SignInStore) {
    this.#store = store;
  }

  /** Makes a session, with a new id at each sign-in, and gives its cookie. */
  async create(signIn: SignIn): Promise<string[]> {
    const id = crypto.randomUUID();
    const { issuer, subject } = signIn.identity;
    const { iat, sid } = signIn.claims;
    const isStored = await this.#store.createSession({
      id,
      issuer,
      subject,
      ...(typeof sid === 'string' ? { providerSession: sid } : {}),
      signedInAt: new Date(iat * 1000),
      idleSeconds,
      expiresAt: new Date(Date.now() + lifetimeSeconds * 1000),
      // It holds tokens: seal it if the database has other readers.
      value: JSON.stringify(signIn),
    });
    // The provider's logout was faster than the sign-in that it ends: nobody is signed in.
    if (!isStored) return [];
    return [`__Host-session=${id}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${lifetimeSeconds}`];
  }

  /** Who is signed in in the browser with these cookies. */
  async find(cookies: string | null | undefined): Promise<SignIn | undefined> {
    const id = /(?:^|; )__Host-session=([\w-]+)/.exec(cookies ?? '')?.[1];
    const session = id === undefined ? undefined : await this.#store.findSession(id);
    return session && (JSON.parse(session.value) as SignIn);
  }

  /** Ends what a logout names, and whatever sign-in of before is stored after it. */
  async end({ issuer, subject, sid, issuedAt }: BackChannelLogout): Promise<void> {
    await this.#store.endSessions({
      issuer,
      ...(subject === undefined ? {} : { subject }),
      ...(sid === undefined ? {} : { providerSessions: [sid] }),
      at: new Date(issuedAt * 1000),
    });
  }
}
