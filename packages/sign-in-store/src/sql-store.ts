import { type Engine, sql } from './engine.ts';
import { hashKey, requireKey } from './keys.ts';
import type { StoreLimits } from './limits.ts';
import { findPending, keepPending, takePending } from './pending.ts';
import { createRecordStore } from './records.ts';
import { readLimits, requireCount, requireInstant } from './requirements.ts';
import {
  changeSession,
  createSession,
  createSessionFinder,
  endSession,
  endSessions,
  findSessionByKey,
  liveSessions,
} from './sessions.ts';
import type { PurgeResult, ReplayStore, SignInStore } from './store.ts';

const expiring = [
  ['sign_in_pending', 'handle', 'expires_at'],
  ['sign_in_claim', 'key', 'until_at'],
  ['sign_in_session', 'id', 'ends_at'],
  ['sign_in_tombstone', 'key', 'until_at'],
  ['sign_in_record', 'id', 'expires_at'],
] as const;

/** Creates the store on an engine. The clock is a parameter; by default it is the machine's. */
export function createSqlStore(engine: Engine, options: { limits?: Partial<StoreLimits>; now?: () => Date } = {}): SignInStore {
  const limits = readLimits(options.limits);
  const now = options.now === undefined ? Date.now : (): number => (options.now as () => Date)().getTime();
  const finder = createSessionFinder(engine, limits, now);
  return {
    limits,
    replay: createReplayStore(engine, now),
    records: createRecordStore(engine, limits, now),
    keepPending: entry => keepPending(engine, limits, now(), entry),
    takePending: (handle, browser) => takePending(engine, now(), handle, browser),
    findPending: (handle, browser) => findPending(engine, now(), handle, browser),
    createSession: session => createSession(engine, limits, now(), session),
    findSession: finder.find,
    recallSession: finder.recall,
    findSessionByKey: key => findSessionByKey(engine, now(), key),
    liveSessions: ids => liveSessions(engine, now(), ids),
    changeSession: (id, version, value) => changeSession(engine, limits, now(), hashKey(id), version, value),
    changeSessionByKey: (key, version, value) => changeSession(engine, limits, now(), key, version, value),
    endSession: id => endSession(engine, hashKey(id)),
    endSessionByKey: key => endSession(engine, key),
    endSessions: logout => endSessions(engine, limits, now(), logout),
    purge: most => purge(engine, now(), most ?? 200),
    async count() {
      const at = now();
      const [sessions] = await engine.run(sql('SELECT count(*) AS rows FROM sign_in_session WHERE ends_at > ?', at));
      const [pending] = await engine.run(sql('SELECT count(*) AS rows FROM sign_in_pending WHERE expires_at > ?', at));
      return { sessions: Number(sessions?.rows), pending: Number(pending?.rows) };
    },
    async ping() {
      await engine.run(sql('SELECT 1 AS one'));
    },
    close: () => engine.close(),
  };
}

function createReplayStore(engine: Engine, now: () => number): ReplayStore {
  return {
    // A single statement: of two concurrent callers one inserts and the other finds nothing to change.
    async claim(key, until) {
      const rows = await engine.run(
        sql(
          `INSERT INTO sign_in_claim (key, until_at) VALUES (?, ?)
            ON CONFLICT (key) DO UPDATE SET until_at = excluded.until_at WHERE sign_in_claim.until_at <= ?
            RETURNING key`,
          requireKey(key, 'claim key'),
          requireInstant(until, 'until'),
          now(),
        ),
      );
      return rows.length === 1;
    },
    async release(key) {
      await engine.run(sql('DELETE FROM sign_in_claim WHERE key = ?', requireKey(key, 'claim key')));
    },
  };
}

async function purge(engine: Engine, now: number, given: number): Promise<PurgeResult> {
  const most = requireCount(given, 'most');
  let deleted = 0;
  let more = false;
  for (const [table, key, time] of expiring) {
    // The time is checked twice: a row that another process renewed after the inner query must stay.
    const rows = await engine.run(
      sql(
        `DELETE FROM ${table} WHERE ${time} <= ?
          AND ${key} IN (SELECT ${key} FROM ${table} WHERE ${time} <= ? ORDER BY ${time} LIMIT ?) RETURNING ${key}`,
        now,
        now,
        most,
      ),
    );
    deleted += rows.length;
    more ||= rows.length === most;
  }
  return { deleted, more };
}
