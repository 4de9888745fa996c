import type { StoreLimits } from './limits.ts';

/** Takes a thing once. The interface that `@octavo/oidc-rp` and `@octavo/saml-sp` ask for as `replayStore`. */
export interface ReplayStore {
  /**
   * @param key 1 to 200 printable ASCII characters, scoped by issuer
   * @param until when it may be forgotten
   * @returns true for the first caller over all processes, false for every other one
   */
  claim(key: string, until: Date): Promise<boolean>;
  /** Gives a claim back, when the work that it stood for failed. */
  release(key: string): Promise<void>;
}

/** A sign-in (or sign-out) under way. */
export interface PendingEntry {
  /** What comes back from the provider and names this entry: `state`, `RelayState`. 16 to 1024 characters, random. */
  handle: string;
  /** The secret of the browser that started: the value of a cookie. 16 to 1024 characters, random. */
  browser: string;
  /** Where the request came from, such as a client address: one source cannot crowd out the others. */
  source?: string;
  /** Your own text, JSON for example. Seal it if it holds anything a database reader must not see. */
  value: string;
  expiresAt: Date;
}

/** Whose session it is, in the provider's words. */
export interface SessionOwner {
  /** The issuer of the ID Token, or the entity ID of the IdP. */
  issuer: string;
  /** `sub`, or a text that stands for the whole NameID with its qualifiers. */
  subject: string;
  /** `sid` of the ID Token, or the SAML SessionIndex. */
  providerSession?: string;
}

export interface NewSession extends SessionOwner {
  /** The session id: 16 to 1024 characters, random. Only its hash is stored. */
  id: string;
  /** When the provider answered (`iat` of the ID Token, IssueInstant of the assertion): a logout since then wins. */
  signedInAt: Date;
  /** Life without use. */
  idleSeconds: number;
  /** Life in all. */
  expiresAt: Date;
  value: string;
  /** The id of a session that this one replaces; it ends in the same step (session fixation). */
  replaces?: string;
}

export interface StoredSession extends SessionOwner {
  /** Names the session without being its id: nobody gets in with it. */
  key: string;
  value: string;
  /** Grows with each change of the value. */
  version: number;
  createdAt: Date;
  /** When it ends if nobody uses it. */
  endsAt: Date;
  /** When it ends in any case. */
  expiresAt: Date;
}

/** Whom a logout ends: always of one issuer, by provider session, by subject, or by both. */
export interface Logout {
  issuer: string;
  subject?: string;
  /** None: all sessions of the subject. Several: SAML may name a list. */
  providerSessions?: readonly string[];
  /** When the provider says it happened: sign-ins up to then are ended, even if their session is stored later. */
  at: Date;
  /** Nobody signed it, as a front-channel logout: anybody can send any number, so of many only `maxTombstones` are remembered. */
  isUnproven?: boolean;
}

export interface EndedSession extends SessionOwner {
  /** As in `StoredSession`. */
  key: string;
  value: string;
}

export interface PurgeResult {
  deleted: number;
  /** True when there is more to delete: call again. */
  more: boolean;
}

/** Something of the program's own that expires. */
export interface NewRecord {
  /** 1 to 200 printable ASCII characters. */
  kind: string;
  /** Only its hash is stored. */
  id: string;
  /** A second name to find it by, of which only the hash is stored. */
  alias?: string;
  /** What it belongs to: a group is moved and removed as one. Stored as it is, so let it be no secret. */
  group?: string;
  /** Your own text. Seal it if it holds anything a database reader must not see. */
  value: string;
  expiresAt: Date;
  /** How many of this kind there may be: one more drops the oldest. For what anonymous visitors can cause. */
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
  /** Writes it, in place of one with the same kind and id. That it was taken stays. @throws `STORE_INVALID` when it is larger than `maxRecordBytes` */
  put(record: NewRecord): Promise<void>;
  find(kind: string, id: string): Promise<StoredRecord | undefined>;
  findByAlias(kind: string, alias: string): Promise<StoredRecord | undefined>;
  /** Marks it as taken. @returns true for the first caller over all processes */
  take(kind: string, id: string): Promise<boolean>;
  remove(kind: string, id: string): Promise<void>;
  /** Removes a whole group. @returns what was live in it, each to one caller over all processes */
  removeGroup(group: string): Promise<StoredRecord[]>;
  moveGroup(from: string, to: string): Promise<void>;
}

/** What both engines promise. Every method throws `StoreError`; `STORE_UNAVAILABLE` (503) is an outage. */
export interface SignInStore {
  readonly limits: Readonly<StoreLimits>;
  readonly replay: ReplayStore;
  readonly records: RecordStore;

  /** Keeps a sign-in under way. @throws `STORE_INVALID` when it is larger than `maxPendingBytes`, or its handle is in use already */
  keepPending(entry: PendingEntry): Promise<void>;
  /** Takes it out: to the browser that started it, once, until it expires. Anything else gets undefined and changes nothing. */
  takePending(handle: string, browser: string): Promise<string | undefined>;

  /**
   * Stores a session unless a logout has overtaken it. @returns false when it has: there is no session then
   * @throws `STORE_INVALID` when it is larger than `maxSessionBytes`, or its id is in use already
   */
  createSession(session: NewSession): Promise<boolean>;
  /** Finds a live session and counts this as a use of it. */
  findSession(id: string): Promise<StoredSession | undefined>;
  /**
   * What `findSession` would answer, where that is known without asking the database and without a wait; undefined where it is not: then call
   * `findSession`. Whatever any process wrote counts from the next turn of this process's event loop on, so a request that began after a logout
   * was answered never finds what it ended.
   */
  recallSession(id: string): StoredSession | undefined;
  /** Finds a live session by its key. It counts as no use of it: for what others ask in its name. */
  findSessionByKey(key: string): Promise<StoredSession | undefined>;
  /** Which of these are live, with their versions. It counts as no use of them: for whoever holds connections open on their behalf. */
  liveSessions(ids: readonly string[]): Promise<Map<string, number>>;
  /** Changes the value if nobody did since `version`. @returns false when somebody did, or the session is over */
  changeSession(id: string, version: number, value: string): Promise<boolean>;
  /** The same, for whoever found it by its key. */
  changeSessionByKey(key: string, version: number, value: string): Promise<boolean>;
  /** Ends one session. @returns what it was, for the sign-out at the provider; undefined when there was none */
  endSession(id: string): Promise<EndedSession | undefined>;
  /** The same, for whoever found it by its key. */
  endSessionByKey(key: string): Promise<EndedSession | undefined>;
  /** Ends every session that a logout names, and remembers the logout for sessions that are stored after it. */
  endSessions(logout: Logout): Promise<EndedSession[]>;

  /** Deletes up to `most` expired rows of each kind. Small steps keep the store answering. */
  purge(most?: number): Promise<PurgeResult>;
  /** How many live rows there are, for metrics. */
  count(): Promise<{ sessions: number; pending: number }>;
  /** Answers when the store can be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
