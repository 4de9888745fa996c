import { randomBytes } from 'node:crypto';
import type { EndedSession, SignInStore, StoredSession } from '@octavo/sign-in-store';
import { limits } from '../limits.ts';
import { readEmail } from '../model/email.ts';
import type { Identity } from '../model/identity.ts';
import type { SignedIn } from '../sign-in/door.ts';
import type { Sealer } from './seal.ts';

/** A session as the gate uses it. */
export interface Session {
  readonly id: string;
  readonly identity: Identity;
  /** What the provider's door keeps: tokens, NameID. */
  readonly record: unknown;
  readonly refreshAt: number | undefined;
  readonly version: number;
  readonly createdAt: Date;
  readonly endsAt: Date;
  readonly expiresAt: Date;
}

interface Kept {
  readonly identity: Omit<Identity, 'email'> & { readonly email?: string };
  readonly record: unknown;
  readonly refreshAt?: number;
}

export interface SessionSettings {
  readonly lifetimeSeconds: number;
  readonly idleSeconds: number;
}

const cookiePurpose = 'session cookie';
const valuePurpose = 'session value';

/** Sessions in the store; the cookie holds nothing but the sealed id. */
export class Sessions {
  readonly #store: SignInStore;
  readonly #now: () => Date;
  sealer: Sealer;
  settings: SessionSettings;

  constructor(store: SignInStore, sealer: Sealer, settings: SessionSettings, now: () => Date) {
    this.#store = store;
    this.sealer = sealer;
    this.settings = settings;
    this.#now = now;
  }

  /** @returns the cookie's value, or undefined when the provider's logout was faster than the sign-in */
  async create(signedIn: SignedIn, replaces: string | undefined): Promise<string | undefined> {
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
    return isStored ? this.sealer.seal(id, cookiePurpose) : undefined;
  }

  /** The id in the first cookie that is ours. */
  readId(cookies: readonly string[]): string | undefined {
    for (const cookie of cookies.slice(0, 4)) {
      const id = this.sealer.open(cookie, cookiePurpose);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** A new cookie when the old one was sealed with a key that is on its way out. */
  resealed(cookies: readonly string[], id: string): string | undefined {
    const cookie = cookies.find(one => this.sealer.open(one, cookiePurpose) === id);
    return cookie !== undefined && this.sealer.isOld(cookie) ? this.sealer.seal(id, cookiePurpose) : undefined;
  }

  async find(id: string): Promise<Session | undefined> {
    const stored = await this.#store.findSession(id);
    return stored && this.#unpack(id, stored);
  }

  /** @returns false when somebody changed or ended it since */
  async change(session: Session, signedIn: SignedIn): Promise<boolean> {
    return this.#store.changeSession(session.id, session.version, this.#pack(signedIn));
  }

  async end(id: string): Promise<Session | undefined> {
    const ended = await this.#store.endSession(id);
    if (ended === undefined) return undefined;
    const now = this.#now();
    return this.#unpack(id, { ...ended, version: 0, createdAt: now, endsAt: now, expiresAt: now });
  }

  /** One process over all refreshes a session at a time. */
  claimRefresh(id: string): Promise<boolean> {
    return this.#store.replay.claim(refreshKey(id), new Date(this.#now().getTime() + limits.refreshLeaseSeconds * 1000));
  }

  releaseRefresh(id: string): Promise<void> {
    return this.#store.replay.release(refreshKey(id));
  }

  #pack({ identity, record, refreshAt }: SignedIn): string {
    const { email, ...rest } = identity;
    const kept: Kept = {
      identity: { ...rest, ...(email === undefined ? {} : { email: email.address }) },
      record,
      ...(refreshAt === undefined ? {} : { refreshAt }),
    };
    return this.sealer.seal(JSON.stringify(kept), valuePurpose);
  }

  #unpack(id: string, stored: StoredSession | (EndedSession & Omit<StoredSession, keyof EndedSession>)): Session | undefined {
    const text = this.sealer.open(stored.value, valuePurpose);
    if (text === undefined) return undefined;
    const { identity, record, refreshAt } = JSON.parse(text) as Kept;
    const { version, createdAt, endsAt, expiresAt } = stored;
    return {
      id,
      identity: { ...identity, email: readEmail(identity.email) },
      record,
      refreshAt,
      version,
      createdAt,
      endsAt,
      expiresAt,
    };
  }
}

function refreshKey(id: string): string {
  return `gate-refresh:${id.slice(0, 43)}`;
}
