import type { StoreLimits } from './limits.ts';

/** Makes a key usable once. The interface that `@octavo/oidc-rp` and `@octavo/saml-sp` expect as `replayStore`. */
export interface ReplayStore {
  /**
   * @param key 1 to 200 printable ASCII characters, scoped by issuer
   * @param until when the key may be forgotten
   * @returns true for the first caller across all processes, false for every other one
   */
  claim(key: string, until: Date): Promise<boolean>;
  /** Gives a claim back, when the work it stood for failed. */
  release(key: string): Promise<void>;
}

/** A sign-in (or sign-out) under way. */
export interface PendingEntry {
  /** Comes back from the provider and identifies this entry: `state`, `RelayState`. 16 to 1024 characters, random. */
  handle: string;
  /** The secret of the browser that started it: a cookie's value. 16 to 1024 characters, random. */
  browser: string;
  /** Where the request came from, such as a client address: one source cannot crowd out the others. */
  source?: string;
  /** Your own text, such as JSON. Seal it if it contains anything that a reader of the database must not see. */
  value: string;
  expiresAt: Date;
}

/** The person and session at the provider, in the provider's terms: issuer with either of the others, at most 2,500 bytes. */
export interface SessionOwner {
  /** The issuer of the ID Token, or the entity ID of the IdP. */
  issuer: string;
  /** `sub`, or a text for the whole NameID with its qualifiers. */
  subject: string;
  /** `sid` of the ID Token, or the SAML SessionIndex. */
  providerSession?: string;
}

export interface NewSession extends SessionOwner {
  /** The session id: 16 to 1024 characters, random. Only its hash is stored. */
  id: string;
  /** When the provider answered (`iat` of the ID Token, IssueInstant of the assertion): a logout since then wins. */
  signedInAt: Date;
  /** How long the session lives without use. */
  idleSeconds: number;
  /** When the session ends in any case. */
  expiresAt: Date;
  value: string;
  /** The id of a session that this one replaces; it ends in the same step (session fixation). */
  replaces?: string;
}

export interface StoredSession extends SessionOwner {
  /** Identifies the session but is not its id: it grants no access. */
  key: string;
  value: string;
  /** Grows with each change of the value. */
  version: number;
  createdAt: Date;
  /** When it ends if it is not used. */
  endsAt: Date;
  /** When it ends in any case. */
  expiresAt: Date;
}

/** Which sessions a logout ends: those of one issuer, by provider session, by subject, or by both. */
export interface Logout {
  issuer: string;
  subject?: string;
  /** Missing: all sessions of the subject. SAML may name several. */
  providerSessions?: readonly string[];
  /** When it happened, according to the provider: sign-ins up to then are ended, even if their session is stored later. */
  at: Date;
  /** Not signed, like a front-channel logout. Anyone can send any number, so past `maxTombstones` they are not remembered. */
  isUnproven?: boolean;
}

export interface EndedSession extends SessionOwner {
  /** As in `StoredSession`. */
  key: string;
  value: string;
}

export interface PurgeResult {
  deleted: number;
  /** Whether there is more to delete: then call again. */
  more: boolean;
}

/** An expiring record of the program's own. */
export interface NewRecord {
  /** 1 to 200 printable ASCII characters. */
  kind: string;
  /** Only its hash is stored. */
  id: string;
  /** A second name for lookups; only its hash is stored. */
  alias?: string;
  /** The group it belongs to, which is moved and removed as a whole. Stored as it is, so it must not be secret. At most 2,500 bytes. */
  group?: string;
  /** Your own text. Seal it if it contains anything that a reader of the database must not see. */
  value: string;
  expiresAt: Date;
  /** The maximum number of this kind: one more drops the oldest. For records that anonymous visitors can cause. */
  most?: number;
}

export interface StoredRecord {
  kind: string;
  value: string;
  group?: string;
  expiresAt: Date;
  takenAt?: Date;
}

export interface RecordStore {
  /**
   * Writes the record, replacing one with the same kind and id, which stays taken if it was. @throws `STORE_INVALID` when it is
   * larger than `maxRecordBytes`
   */
  put(record: NewRecord): Promise<void>;
  find(kind: string, id: string): Promise<StoredRecord | undefined>;
  findByAlias(kind: string, alias: string): Promise<StoredRecord | undefined>;
  /** Marks it as taken. @returns true for the first caller across all processes */
  take(kind: string, id: string): Promise<boolean>;
  remove(kind: string, id: string): Promise<void>;
  /** Removes a whole group. @returns its live records, each to only one caller across all processes */
  removeGroup(group: string): Promise<StoredRecord[]>;
  moveGroup(from: string, to: string): Promise<void>;
}

/** The guarantees of both engines. Every method throws `StoreError`; `STORE_UNAVAILABLE` (503) is an outage. */
export interface SignInStore {
  readonly limits: Readonly<StoreLimits>;
  readonly replay: ReplayStore;
  readonly records: RecordStore;

  /** Keeps a pending sign-in. @throws `STORE_INVALID` when it is larger than `maxPendingBytes`, or its handle is already in use */
  keepPending(entry: PendingEntry): Promise<void>;
  /** Takes it out: once, for the browser that started it, until it expires. Anything else returns undefined and changes nothing. */
  takePending(handle: string, browser: string): Promise<string | undefined>;
  /** The same without taking it out: for what may be asked for again. It must not stand for anything that may happen only once. */
  findPending(handle: string, browser: string): Promise<string | undefined>;

  /**
   * Stores a session unless a logout has overtaken it. @returns false if one has: then there is no session
   * @throws `STORE_INVALID` when it is larger than `maxSessionBytes`, or its id is already in use
   */
  createSession(session: NewSession): Promise<boolean>;
  /** Finds a live session and counts this as a use of it. */
  findSession(id: string): Promise<StoredSession | undefined>;
  /**
   * What `findSession` would return, if that is known without asking the database and without waiting; otherwise undefined: then
   * call `findSession`. A write by any process counts from the next turn of this process's event loop, so a request that began
   * after a logout was answered never finds a session that it ended.
   */
  recallSession(id: string): StoredSession | undefined;
  /** Finds a live session by its key, for questions on its behalf. This does not count as a use. */
  findSessionByKey(key: string): Promise<StoredSession | undefined>;
  /**
   * Which of these are live, with their versions: for a caller that holds connections open on their behalf. This does not count
   * as a use.
   */
  liveSessions(ids: readonly string[]): Promise<Map<string, number>>;
  /** Changes the value if it is still at `version`. @returns false when it was changed since, or the session is over */
  changeSession(id: string, version: number, value: string): Promise<boolean>;
  /** The same, for a session that was found by its key. */
  changeSessionByKey(key: string, version: number, value: string): Promise<boolean>;
  /** Ends one session. @returns its contents, for the sign-out at the provider; undefined when there was none */
  endSession(id: string): Promise<EndedSession | undefined>;
  /** The same, for a session that was found by its key. */
  endSessionByKey(key: string): Promise<EndedSession | undefined>;
  /** Ends every session that a logout names, and remembers the logout for sessions that are stored later. */
  endSessions(logout: Logout): Promise<EndedSession[]>;

  /** Deletes up to `most` expired rows of each kind. Small steps keep the store responsive. */
  purge(most?: number): Promise<PurgeResult>;
  /** The number of live rows, for metrics. */
  count(): Promise<{ sessions: number; pending: number }>;
  /** Resolves when the store can be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
