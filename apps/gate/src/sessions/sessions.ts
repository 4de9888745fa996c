import { randomBytes } from 'node:crypto';
import { type EndedSession, type Logout, type SignInStore, type StoredSession, StoreError } from '@octavo/sign-in-store';
import { limits } from '../limits.ts';
import { readEmail } from '../model/email.ts';
import { type Identity, withTrust } from '../model/identity.ts';
import type { Renewal, SignedIn } from '../sign-in/door.ts';
import type { Sealer } from './seal.ts';

/** A session as the gate uses it. */
export interface Session extends KeyedSession {
  readonly id: string;
}

/** A session without its id, the secret that grants access. */
export interface KeyedSession {
  /** Identifies the session in the store. */
  readonly key: string;
  /** Identifies the person at their provider. */
  readonly subjectKey: string;
  readonly identity: Identity;
  /** Data for the provider's door: tokens, NameID. */
  readonly record: unknown;
  readonly refreshAt: number | undefined;
  readonly authenticatedAt: Date;
  readonly version: number;
  readonly createdAt: Date;
  readonly endsAt: Date;
  readonly expiresAt: Date;
}

/** The sessions that a logout ended. */
export interface EndedByName {
  readonly keys: readonly string[];
  /** Those that our keys still open. */
  readonly sessions: readonly KeyedSession[];
}

type Opened = Pick<Session, 'identity' | 'record' | 'refreshAt' | 'authenticatedAt'>;

interface Kept {
  readonly identity: Omit<Identity, 'email'> & { readonly email?: string };
  readonly record: unknown;
  readonly refreshAt?: number;
  readonly authenticatedAt?: number;
}

export interface SessionSettings {
  readonly lifetimeSeconds: number;
  readonly idleSeconds: number;
}

const cookiePurpose = 'session cookie';
const valuePurpose = 'session value';

/** Most entries belong to people who click again in a moment. Above this number the whole cache is cleared. */
const maxRemembered = 10_000;

/** Sessions live in the store; the cookie holds only the sealed id. */
export class Sessions {
  /**
   * Caches of what was unsealed: the ids in cookies, and the values of sessions. Only the store says, each time, whether a
   * session lives.
   */
  readonly #ids = new Map<string, { readonly id: string; readonly isOld: boolean }>();
  readonly #values = new Map<string, { readonly sealed: string; readonly kept: Opened }>();
  /** Keyed by the store's own cached object. */
  #recalled = new WeakMap<StoredSession, Session>();
  #sealer: Sealer;
  readonly #store: SignInStore;
  readonly #now: () => Date;
  settings: SessionSettings;
  /** The domains in which the current configuration trusts a provider for addresses. Looked up again once the sealer has changed. */
  trustedDomains: (provider: string) => readonly string[] | undefined = () => undefined;

  constructor(store: SignInStore, sealer: Sealer, settings: SessionSettings, now: () => Date) {
    this.#store = store;
    this.#sealer = sealer;
    this.settings = settings;
    this.#now = now;
  }

  /** Changes the keys and clears what the old ones opened. */
  set sealer(sealer: Sealer) {
    this.#sealer = sealer;
    this.#ids.clear();
    this.#values.clear();
    this.#recalled = new WeakMap();
  }

  /** @returns the cookie's value, or undefined when the provider's logout overtook the sign-in */
  async create(signedIn: SignedIn, replaces: string | undefined): Promise<{ cookie: string; id: string } | undefined> {
    const id = randomBytes(32).toString('base64url');
    const now = this.#now().getTime();
    const end = now + this.settings.lifetimeSeconds * 1000;
    const isStored = await this.#store.createSession({
      id,
      issuer: signedIn.identity.issuer,
      subject: signedIn.subjectKey,
      ...(signedIn.providerSession === undefined ? {} : { providerSession: signedIn.providerSession }),
      signedInAt: signedIn.signedInAt,
      idleSeconds: this.settings.idleSeconds,
      expiresAt: new Date(Math.min(end, signedIn.endsAt?.getTime() ?? end)),
      value: this.#pack(signedIn),
      ...(replaces === undefined ? {} : { replaces }),
    });
    return isStored ? { cookie: this.#sealer.seal(id, cookiePurpose), id } : undefined;
  }

  /**
   * The first cookie that is ours, and the id in it. Of many only the last are tried: browsers send cookies with a longer path first
   * (RFC 6265 §5.4), and ours has the shortest. On plain http, other applications of the host may set some under our name.
   */
  readCookie(cookies: readonly string[]): { cookie: string; id: string } | undefined {
    for (const cookie of cookies.slice(-4)) {
      const known = this.#ids.get(cookie);
      if (known !== undefined) return { cookie, id: known.id };
      const id = this.#sealer.open(cookie, cookiePurpose);
      if (id === undefined) continue;
      remember(this.#ids, cookie, { id, isOld: this.#sealer.isOld(cookie) });
      return { cookie, id };
    }
    return undefined;
  }

  /** Whether a cookie was sealed with the newest key, as far as the cache knows. */
  isCurrent(cookie: string): boolean {
    return this.#ids.get(cookie)?.isOld === false;
  }

  /** A new cookie when the old one was sealed with a key that is being phased out. */
  resealed(cookie: string, id: string): string | undefined {
    return (this.#ids.get(cookie)?.isOld ?? this.#sealer.isOld(cookie)) ? this.#sealer.seal(id, cookiePurpose) : undefined;
  }

  async find(id: string): Promise<Session | undefined> {
    const stored = await this.#store.findSession(id);
    const found = stored && this.#unpack(stored);
    return found && { ...found, id };
  }

  /** Returns what `find` would, if the store knows it without waiting. */
  recall(id: string): Session | undefined {
    const stored = this.#store.recallSession(id);
    if (stored === undefined) return undefined;
    const known = this.#recalled.get(stored);
    if (known !== undefined) return known;
    const found = this.#unpack(stored);
    if (found === undefined) return undefined;
    const session = { ...found, id };
    this.#recalled.set(stored, session);
    return session;
  }

  /** A live session by its key, for questions on the person's behalf, which do not count as use of it. */
  async findByKey(key: string): Promise<KeyedSession | undefined> {
    const stored = await this.#store.findSessionByKey(key);
    return stored && this.#unpack(stored);
  }

  /** @returns false when it was changed or ended since it was read */
  async change(session: KeyedSession, renewed: Renewal): Promise<boolean> {
    const { authenticatedAt } = session;
    return this.#store.changeSessionByKey(session.key, session.version, this.#pack({ ...renewed, authenticatedAt }));
  }

  async end(id: string): Promise<Session | undefined> {
    const ended = await this.#store.endSession(id);
    if (ended === undefined) return undefined;
    const found = this.#unpackEnded(ended);
    return found && { ...found, id };
  }

  async endNamed(logout: Logout): Promise<EndedByName> {
    const ended = await this.#store.endSessions(logout);
    return { keys: ended.map(({ key }) => key), sessions: ended.flatMap(one => this.#unpackEnded(one) ?? []) };
  }

  /** Ends a session on behalf of its provider. */
  async endByKey(key: string): Promise<void> {
    await this.#store.endSessionByKey(key);
    this.#values.delete(key);
  }

  /** Only one process at a time may refresh a session. */
  claimRefresh(key: string): Promise<boolean> {
    return this.#store.replay.claim(refreshKey(key), new Date(this.#now().getTime() + limits.refreshLeaseSeconds * 1000));
  }

  releaseRefresh(key: string): Promise<void> {
    return this.#store.replay.release(refreshKey(key));
  }

  #pack({ identity, record, refreshAt, authenticatedAt }: Renewal & Pick<SignedIn, 'authenticatedAt'>): string {
    const { email, ...rest } = identity;
    const kept: Kept = {
      identity: { ...rest, ...(email === undefined ? {} : { email: email.address }) },
      record,
      ...(refreshAt === undefined ? {} : { refreshAt }),
      authenticatedAt: authenticatedAt.getTime(),
    };
    return this.#sealer.seal(JSON.stringify(kept), valuePurpose);
  }

  #unpack(stored: StoredSession | (EndedSession & Omit<StoredSession, keyof EndedSession>)): KeyedSession | undefined {
    const { key, subject: subjectKey, version, createdAt, endsAt, expiresAt } = stored;
    const kept = this.#open(key, stored.value, createdAt);
    return kept && { key, subjectKey, ...kept, version, createdAt, endsAt, expiresAt };
  }

  #unpackEnded(ended: EndedSession): KeyedSession | undefined {
    const now = this.#now();
    const found = this.#unpack({ ...ended, version: 0, createdAt: now, endsAt: now, expiresAt: now });
    this.#values.delete(ended.key);
    return found;
  }

  #open(key: string, sealed: string, createdAt: Date): Opened | undefined {
    const known = this.#values.get(key);
    if (known?.sealed === sealed) return known.kept;
    const text = this.#sealer.open(sealed, valuePurpose);
    if (text === undefined) return undefined;
    const { identity, record, refreshAt, authenticatedAt } = JSON.parse(text) as Kept;
    const trusted = this.trustedDomains(identity.provider);
    const whole = { ...identity, email: readEmail(identity.email) };
    const kept = {
      identity: trusted === undefined ? whole : withTrust(whole, trusted),
      record,
      refreshAt,
      authenticatedAt: authenticatedAt === undefined ? createdAt : new Date(authenticatedAt),
    };
    remember(this.#values, key, { sealed, kept });
    return kept;
  }
}

/** True when the store refuses what a provider said of a person: no retry helps. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'STORE_INVALID';
}

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  if (known.size >= maxRemembered && !known.has(key)) known.clear();
  known.set(key, value);
}

function refreshKey(key: string): string {
  return `gate-refresh:${key}`;
}
