import { randomBytes } from 'node:crypto';
import type { EndedSession, SignInStore, StoredSession } from '@octavo/sign-in-store';
import { limits } from '../limits.ts';
import { readEmail } from '../model/email.ts';
import { type Identity, withTrust } from '../model/identity.ts';
import type { Renewal, SignedIn } from '../sign-in/door.ts';
import type { Sealer } from './seal.ts';

/** A session as the gate uses it. */
export interface Session extends KeyedSession {
  readonly id: string;
}

/** A session without what lets anybody in. */
export interface KeyedSession {
  /** Names the session in the store. */
  readonly key: string;
  /** The person at their provider. */
  readonly subjectKey: string;
  readonly identity: Identity;
  /** What the provider's door keeps: tokens, NameID. */
  readonly record: unknown;
  readonly refreshAt: number | undefined;
  readonly authenticatedAt: Date;
  readonly version: number;
  readonly createdAt: Date;
  readonly endsAt: Date;
  readonly expiresAt: Date;
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

/** Most of what is remembered here belongs to people who click again in a moment; past this number all of it is forgotten. */
const maxRemembered = 10_000;

/** Sessions in the store; the cookie holds nothing but the sealed id. */
export class Sessions {
  /** What opened before: the ids in cookies, and the values of sessions. Whether a session lives, the store alone says, each time. */
  readonly #ids = new Map<string, { readonly id: string; readonly isOld: boolean }>();
  readonly #values = new Map<string, { readonly sealed: string; readonly kept: Opened }>();
  /** By what the store remembers of it. */
  #recalled = new WeakMap<StoredSession, Session>();
  #sealer: Sealer;
  readonly #store: SignInStore;
  readonly #now: () => Date;
  settings: SessionSettings;
  /** In which domains a provider is trusted for addresses, by the configuration of now. Asked anew once the sealer has changed. */
  trustedDomains: (provider: string) => readonly string[] | undefined = () => undefined;

  constructor(store: SignInStore, sealer: Sealer, settings: SessionSettings, now: () => Date) {
    this.#store = store;
    this.#sealer = sealer;
    this.settings = settings;
    this.#now = now;
  }

  /** Takes other keys; what an old one opened is forgotten with it. */
  set sealer(sealer: Sealer) {
    this.#sealer = sealer;
    this.#ids.clear();
    this.#values.clear();
    this.#recalled = new WeakMap();
  }

  /** @returns the cookie's value, or undefined when the provider's logout was faster than the sign-in */
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

  /** The first cookie that is ours, with the id in it. */
  readCookie(cookies: readonly string[]): { cookie: string; id: string } | undefined {
    for (const cookie of cookies.slice(0, 4)) {
      const known = this.#ids.get(cookie);
      if (known !== undefined) return { cookie, id: known.id };
      const id = this.#sealer.open(cookie, cookiePurpose);
      if (id === undefined) continue;
      remember(this.#ids, cookie, { id, isOld: this.#sealer.isOld(cookie) });
      return { cookie, id };
    }
    return undefined;
  }

  /** Whether a cookie was sealed with the newest key, as far as that is known already. */
  isCurrent(cookie: string): boolean {
    return this.#ids.get(cookie)?.isOld === false;
  }

  /** A new cookie when the old one was sealed with a key that is on its way out. */
  resealed(cookie: string, id: string): string | undefined {
    return (this.#ids.get(cookie)?.isOld ?? this.#sealer.isOld(cookie)) ? this.#sealer.seal(id, cookiePurpose) : undefined;
  }

  async find(id: string): Promise<Session | undefined> {
    const stored = await this.#store.findSession(id);
    const found = stored && this.#unpack(stored);
    return found && { ...found, id };
  }

  /** What `find` would answer, where the store knows it without a wait. */
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

  /** A live session by its key: for what others ask in its name, which is no use of it. */
  async findByKey(key: string): Promise<KeyedSession | undefined> {
    const stored = await this.#store.findSessionByKey(key);
    return stored && this.#unpack(stored);
  }

  /** @returns false when somebody changed or ended it since */
  async change(session: KeyedSession, renewed: Renewal): Promise<boolean> {
    const { authenticatedAt } = session;
    return this.#store.changeSessionByKey(session.key, session.version, this.#pack({ ...renewed, authenticatedAt }));
  }

  async end(id: string): Promise<Session | undefined> {
    const ended = await this.#store.endSession(id);
    if (ended === undefined) return undefined;
    const now = this.#now();
    const found = this.#unpack({ ...ended, version: 0, createdAt: now, endsAt: now, expiresAt: now });
    this.#values.delete(ended.key);
    return found && { ...found, id };
  }

  /** Ends a session in the name of its provider. */
  async endByKey(key: string): Promise<void> {
    await this.#store.endSessionByKey(key);
    this.#values.delete(key);
  }

  /** One process over all refreshes a session at a time. */
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

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  if (known.size >= maxRemembered && !known.has(key)) known.clear();
  known.set(key, value);
}

function refreshKey(key: string): string {
  return `gate-refresh:${key}`;
}
