import { type Engine, type Row, type Statement, type Steps, sql } from './engine.ts';
import { StoreError } from './errors.ts';
import { hashKey, requireHandle, requireUnused } from './keys.ts';
import type { StoreLimits } from './limits.ts';
import { maxIndexedBytes, requireCount, requireInstant, requireSeconds, requireText } from './requirements.ts';
import type { EndedSession, Logout, NewSession, SessionOwner, StoredSession } from './store.ts';

/** Serializes logouts and new sessions of one issuer: a session is stored before a logout looks, or it sees the logout's tombstone. */
const lockOf = (issuer: string): string => `sign-in-store: issuer ${issuer}`;

/** The columns hold whole milliseconds, and no date is further from 1970. */
const longestMs = 8.64e15;

const endedColumns = 'id, issuer, subject, provider_session, value';

/** @returns false when a logout has overtaken the sign-in */
export async function createSession(engine: Engine, limits: StoreLimits, now: number, session: NewSession): Promise<boolean> {
  const id = hashKey(requireHandle(session.id, 'session id'));
  requireValue(session.value, limits);
  requireOwner(session);
  requireInstant(session.signedInAt, 'signedInAt');
  const idle = Math.round(Math.min(Math.max(0, requireSeconds(session.idleSeconds, 'idleSeconds')) * 1000, longestMs));
  const expires = requireInstant(session.expiresAt, 'expiresAt');
  return engine.transact({ name: lockOf(session.issuer), shared: true }, function* (): Steps<boolean> {
    if (session.replaces !== undefined) yield sql('DELETE FROM sign_in_session WHERE id = ?', hashKey(session.replaces));
    const buried = yield tombstonesOf(session, now);
    if (buried.length > 0) return false;
    const stored = yield sql(
      `INSERT INTO sign_in_session
        (id, issuer, subject, provider_session, created_at, used_at, idle_ms, ends_at, expires_at, version, value)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?) ON CONFLICT (id) DO NOTHING RETURNING id`,
      id,
      session.issuer,
      session.subject,
      session.providerSession,
      now,
      now,
      idle,
      Math.min(now + idle, expires),
      expires,
      session.value,
    );
    requireUnused(stored, 'session id');
    yield sql(
      `DELETE FROM sign_in_session WHERE id IN (
        SELECT id FROM sign_in_session WHERE issuer = ? AND subject = ? ORDER BY used_at DESC, id
        LIMIT 1000 OFFSET ${Number(limits.maxSessionsPerPerson)}) AND id <> ?`,
      session.issuer,
      session.subject,
      id,
    );
    return true;
  });
}

/** Finds a live session, and records its use when the last record is old enough. */
export async function findSession(
  engine: Engine,
  limits: StoreLimits,
  now: number,
  id: string,
): Promise<StoredSession | undefined> {
  if (typeof id !== 'string' || id.length > 1024) return undefined;
  const key = hashKey(id);
  const [row] = await engine.run(sql('SELECT * FROM sign_in_session WHERE id = ? AND ends_at > ?', key, now));
  if (row === undefined) return undefined;
  const endsAt = Math.min(now + Number(row.idle_ms), Number(row.expires_at));
  // At most half of a short idle time; otherwise a person who keeps clicking would be signed out.
  const touchEvery = Math.min(limits.touchEverySeconds * 1000, Number(row.idle_ms) / 2);
  if (now - Number(row.used_at) >= touchEvery) {
    const kept = await engine.run(
      sql('UPDATE sign_in_session SET used_at = ?, ends_at = ? WHERE id = ? AND ends_at > ? RETURNING id', now, endsAt, key, now),
    );
    // Another process ended it after we read it.
    if (kept.length === 0) return undefined;
  }
  return storedOf(row, endsAt);
}

const maxRemembered = 10_000;
const maxRememberedMs = 1000;

interface SessionFinder {
  find(id: string): Promise<StoredSession | undefined>;
  recall(id: string): StoredSession | undefined;
}

/**
 * Finds sessions, and caches them if the engine can tell more cheaply than by reading whether anything has changed: a logout in
 * any process counts at the very next request.
 */
export function createSessionFinder(engine: Engine, limits: StoreLimits, now: () => number): SessionFinder {
  if (engine.stamp === undefined) return { find: id => findSession(engine, limits, now(), id), recall: () => undefined };
  const known = new Map<string, { readonly session: StoredSession; readonly since: number; readonly until: number }>();
  let seen = Number.NaN;
  const look = (isOfThisTurn = false): number => {
    const stamp = engine.stamp?.(isOfThisTurn) ?? Number.NaN;
    if (stamp !== seen) {
      known.clear();
      seen = stamp;
    }
    return stamp;
  };
  const remembered = (id: string, at: number): StoredSession | undefined => {
    const found = known.get(id);
    // If the clock was set back, the entry's age is unknown.
    return found !== undefined && at < found.until && at >= found.since ? found.session : undefined;
  };
  return {
    async find(id) {
      const stamp = look();
      const at = now();
      const found = remembered(id, at);
      if (found !== undefined) return found;
      const session = await findSession(engine, limits, at, id);
      // Only for a moment: its use must be recorded in time, and no session is cached past its end.
      const until = session === undefined ? at : at + Math.min(maxRememberedMs, (session.endsAt.getTime() - at) / 4);
      // A value read before another write is not cached after it.
      if (session !== undefined && known.size < maxRemembered && engine.stamp?.() === stamp)
        known.set(id, { session, since: at, until });
      return session;
    },
    recall(id) {
      look(true);
      return remembered(id, now());
    },
  };
}

export async function findSessionByKey(engine: Engine, now: number, key: string): Promise<StoredSession | undefined> {
  const [row] = await engine.run(sql('SELECT * FROM sign_in_session WHERE id = ? AND ends_at > ?', key, now));
  return row && storedOf(row, Number(row.ends_at));
}

function storedOf(row: Row, endsAt: number): StoredSession {
  return {
    ...ownerOf(row),
    key: String(row.id),
    value: String(row.value),
    version: Number(row.version),
    createdAt: new Date(Number(row.created_at)),
    endsAt: new Date(endsAt),
    expiresAt: new Date(Number(row.expires_at)),
  };
}

const idsPerQuery = 200;

export async function liveSessions(engine: Engine, now: number, ids: readonly string[]): Promise<Map<string, number>> {
  const byKey = new Map(ids.map(id => [hashKey(id), id]));
  const keys = [...byKey.keys()];
  const live = new Map<string, number>();
  for (let at = 0; at < keys.length; at += idsPerQuery) {
    const some = keys.slice(at, at + idsPerQuery);
    // The same text for any number of ids, so that it is prepared only once.
    const places = Array.from({ length: idsPerQuery }, () => '?').join(', ');
    const filled = [...some, ...Array.from({ length: idsPerQuery - some.length }, () => '')];
    const rows = await engine.run(
      sql(`SELECT id, version FROM sign_in_session WHERE ends_at > ? AND id IN (${places})`, now, ...filled),
    );
    for (const row of rows) live.set(byKey.get(String(row.id)) as string, Number(row.version));
  }
  return live;
}

export async function changeSession(
  engine: Engine,
  limits: StoreLimits,
  now: number,
  key: string,
  version: number,
  value: string,
): Promise<boolean> {
  requireValue(value, limits);
  const rows = await engine.run(
    sql(
      'UPDATE sign_in_session SET value = ?, version = version + 1 WHERE id = ? AND version = ? AND ends_at > ? RETURNING id',
      value,
      key,
      requireCount(version, 'version'),
      now,
    ),
  );
  return rows.length === 1;
}

export async function endSession(engine: Engine, key: string): Promise<EndedSession | undefined> {
  const [row] = await engine.run(sql(`DELETE FROM sign_in_session WHERE id = ? RETURNING ${endedColumns}`, key));
  return row && endedOf(row);
}

export async function endSessions(engine: Engine, limits: StoreLimits, now: number, logout: Logout): Promise<EndedSession[]> {
  const { issuer, subject, providerSessions } = logout;
  requireText(issuer, 'issuer');
  if (subject !== undefined) requireText(subject, 'subject');
  const named = requireTexts(providerSessions ?? [], 'providerSessions');
  // With neither, it would end every session of the provider.
  if (subject === undefined && named.length === 0)
    throw new StoreError('STORE_INVALID', 'a logout must name a subject or a provider session');
  if (named.length > 1000) throw new StoreError('STORE_INVALID', 'a logout may name at most 1000 provider sessions');
  const happened = requireInstant(logout.at, 'at');
  const until = now + limits.tombstoneSeconds * 1000;
  return engine.transact({ name: lockOf(issuer) }, function* (): Steps<EndedSession[]> {
    const buried = named.length === 0 ? [undefined] : named;
    const rows: Row[] = [];
    const isRemembered = logout.isUnproven !== true || (yield* hasRoom(limits));
    for (const providerSession of buried) {
      if (isRemembered) yield bury(tombstoneKey(issuer, subject, providerSession), happened, until);
      rows.push(...(yield deletionOf(issuer, subject, providerSession)));
    }
    return rows.map(endedOf);
  });
}

/** Whether there is room to remember one more logout that anyone can send. */
function* hasRoom({ maxTombstones }: StoreLimits): Steps<boolean> {
  const [found] = yield sql('SELECT count(*) AS rows FROM (SELECT key FROM sign_in_tombstone LIMIT ?) AS kept', maxTombstones);
  return Number(found?.rows) < maxTombstones;
}

function deletionOf(issuer: string, subject: string | undefined, providerSession: string | undefined): Statement {
  const which = ['issuer = ?'];
  const values: string[] = [issuer];
  if (subject !== undefined) {
    which.push('subject = ?');
    values.push(subject);
  }
  if (providerSession !== undefined) {
    which.push('provider_session = ?');
    values.push(providerSession);
  }
  return sql(`DELETE FROM sign_in_session WHERE ${which.join(' AND ')} RETURNING ${endedColumns}`, ...values);
}

function bury(key: string, at: number, until: number): Statement {
  return sql(
    `INSERT INTO sign_in_tombstone (key, happened_at, until_at) VALUES (?, ?, ?)
      ON CONFLICT (key) DO UPDATE SET
        happened_at = CASE WHEN excluded.happened_at > sign_in_tombstone.happened_at
          THEN excluded.happened_at ELSE sign_in_tombstone.happened_at END,
        until_at = excluded.until_at`,
    key,
    at,
    until,
  );
}

/**
 * A provider never reuses a session id, so its tombstone covers any later session. A logout of a person covers only sign-ins up
 * to that time: the next one is a new beginning.
 */
function tombstonesOf(session: NewSession, now: number): Statement {
  const { issuer, subject, providerSession } = session;
  const ever =
    providerSession === undefined
      ? []
      : [tombstoneKey(issuer, undefined, providerSession), tombstoneKey(issuer, subject, providerSession)];
  return sql(
    `SELECT key FROM sign_in_tombstone WHERE until_at > ? AND
      (key IN (?, ?) OR (key = ? AND happened_at >= ?)) LIMIT 1`,
    now,
    ever[0],
    ever[1],
    tombstoneKey(issuer, subject, undefined),
    session.signedInAt.getTime(),
  );
}

function tombstoneKey(issuer: string, subject: string | undefined, providerSession: string | undefined): string {
  return hashKey(issuer, subject ?? '', providerSession ?? '', `${subject === undefined} ${providerSession === undefined}`);
}

function endedOf(row: Row): EndedSession {
  return { ...ownerOf(row), key: String(row.id), value: String(row.value) };
}

function ownerOf(row: Row): SessionOwner {
  return {
    issuer: String(row.issuer),
    subject: String(row.subject),
    ...(row.provider_session === null ? {} : { providerSession: String(row.provider_session) }),
  };
}

function requireOwner({ issuer, subject, providerSession }: SessionOwner): void {
  requireText(issuer, 'issuer');
  requireText(subject, 'subject');
  if (providerSession !== undefined) requireText(providerSession, 'providerSession');
  const longest = Math.max(Buffer.byteLength(subject), Buffer.byteLength(providerSession ?? ''));
  if (Buffer.byteLength(issuer) + longest > maxIndexedBytes) {
    throw new StoreError(
      'STORE_INVALID',
      `issuer with subject, and with providerSession, may have at most ${maxIndexedBytes} bytes together`,
    );
  }
}

// A string would be taken for a list of its letters, and end nothing.
function requireTexts(values: readonly string[], name: string): readonly string[] {
  if (!Array.isArray(values)) throw new StoreError('STORE_INVALID', `${name} must be a list`);
  for (const value of values) requireText(value, name);
  return values;
}

function requireValue(value: string, limits: StoreLimits): void {
  const size = Buffer.byteLength(requireText(value, 'value'));
  if (size > limits.maxSessionBytes)
    throw new StoreError('STORE_INVALID', `a session may hold at most ${limits.maxSessionBytes} bytes; this one has ${size}`);
}
