import type { SignInStore } from '@octavo/sign-in-store';
import { type NameId, SamlError, type SamlIdentity } from '../src/index.ts';

const idleSeconds = 3600;
const lifetimeSeconds = 8 * 3600;

/** A person is the issuer and all of their NameID, with its qualifiers. */
const subjectOf = ({ value, format, nameQualifier, spNameQualifier }: NameId): string =>
  JSON.stringify([value, format ?? null, nameQualifier ?? null, spNameQualifier ?? null]);

/** Sessions where all processes see them. */
export class Sessions {
  readonly #store: SignInStore;

  constructor(store: SignInStore) {
    this.#store = store;
  }

  /** Makes a session, with a new id at each sign-in, and gives its cookie. */
  async create({ issuer, nameId, attributes, authentication, issuedAt }: SamlIdentity): Promise<string[]> {
    if (nameId === undefined) throw new SamlError('SAML_SUBJECT', 'the assertion does not identify its subject');
    const id = crypto.randomUUID();
    const lifetimeEnds = new Date(Date.now() + lifetimeSeconds * 1000);
    const { sessionIndex, sessionNotOnOrAfter: providerEnds = lifetimeEnds } = authentication ?? {};
    const isStored = await this.#store
      .createSession({
        id,
        issuer,
        subject: subjectOf(nameId),
        ...(sessionIndex === undefined ? {} : { providerSession: sessionIndex }),
        // Not when the password was typed, which may be hours before: a person who comes back after a logout is signed in.
        signedInAt: issuedAt,
        idleSeconds,
        expiresAt: providerEnds < lifetimeEnds ? providerEnds : lifetimeEnds,
        value: JSON.stringify({ issuer, nameId, attributes, sessionIndex }),
      })
      .catch(cause => {
        throw new SamlError('SAML_STORE_UNAVAILABLE', 'the session could not be stored', { cause });
      });
    // The provider's logout was faster than the sign-in that it ends: nobody is signed in.
    if (!isStored) return [];
    return [`__Host-session=${id}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${lifetimeSeconds}`];
  }

  /** Who is signed in in the browser with these cookies. */
  async find(cookies: string | null | undefined): Promise<Pick<SamlIdentity, 'issuer' | 'nameId' | 'attributes'> | undefined> {
    const id = /(?:^|; )__Host-session=([\w-]+)/.exec(cookies ?? '')?.[1];
    const session = id === undefined ? undefined : await this.#store.findSession(id);
    return session && JSON.parse(session.value);
  }

  /** Ends what a LogoutRequest names: those sessions of the person, or all of them, and what began before it and is stored after it. */
  async end(issuer: string, nameId: NameId, sessionIndexes: readonly string[], issuedAt: Date): Promise<void> {
    await this.#store.endSessions({
      issuer,
      subject: subjectOf(nameId),
      ...(sessionIndexes.length === 0 ? {} : { providerSessions: sessionIndexes }),
      at: issuedAt,
    });
  }
}
