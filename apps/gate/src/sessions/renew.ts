import { errorFields, type Log } from '../operate/log.ts';
import type { Metrics } from '../operate/metrics.ts';
import type { Door, Renewal } from '../sign-in/door.ts';
import { hasLeftTokens, isSessionOver, readOidcFailure } from '../sign-in/oidc.ts';
import type { State } from '../state.ts';
import { isDue } from './due.ts';
import type { Revocations } from './revocations.ts';
import { isTooLarge, type KeyedSession, type Sessions } from './sessions.ts';

type RefreshingDoor = Door & { refresh: NonNullable<Door['refresh']> };
type Renewed = Pick<KeyedSession, 'identity' | 'record' | 'refreshAt' | 'version'>;

/**
 * Well within the time for which the package remembers the answer to a refresh token. When the store failed to keep a rotated
 * token, the next try gets the new one from that memory; the provider would take a second use of the old one for theft.
 */
const retryAfterMs = 5_000;
/** A provider that names a time is left alone for that long, but no longer: a lost group would stay as long. */
const longestRetryMs = 30_000;

/**
 * Asks the provider again when due. All requests of a session in this process share one question, and only one process at a time
 * asks. A provider that refuses ends the session; one that is unavailable does not.
 */
export class Renewals {
  readonly #sessions: Sessions;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #revocations: Revocations;
  readonly #now: () => Date;
  /** Called for a session that ended because its provider refused to renew it, or said more than the store takes. */
  onEnded: (session: KeyedSession) => void = () => {};
  readonly #inProgress = new Map<string, Promise<Renewed | undefined>>();
  /** By key: sessions that are not asked about, from when until when. */
  readonly #pauses = new Map<string, { readonly since: number; readonly until: number }>();

  constructor(sessions: Sessions, revocations: Revocations, log: Log, metrics: Metrics, now: () => Date) {
    this.#sessions = sessions;
    this.#revocations = revocations;
    this.#log = log;
    this.#metrics = metrics;
    this.#now = now;
  }

  isDue(session: KeyedSession, state: State): boolean {
    return isDue(session, state, this.#now().getTime());
  }

  /** For a request of the person, or of an application on their behalf. @returns undefined when the session is over */
  async renewIfDue<T extends KeyedSession>(session: T, state: State): Promise<T | undefined> {
    if (!this.isDue(session, state)) return session;
    const now = this.#now().getTime();
    const pause = this.#pauses.get(session.key);
    if (pause !== undefined && now >= pause.since && now < pause.until) return session;
    const door: Door | undefined = state.doors.get(session.identity.provider);
    if (door?.refresh === undefined) return session;
    let flight = this.#inProgress.get(session.key);
    if (flight === undefined) {
      flight = this.#renew(session, door as RefreshingDoor).finally(() => this.#inProgress.delete(session.key));
      this.#inProgress.set(session.key, flight);
    }
    const renewed = await flight;
    return renewed && { ...session, ...renewed };
  }

  async #renew(session: KeyedSession, door: RefreshingDoor): Promise<Renewed | undefined> {
    if (!(await this.#sessions.claimRefresh(session.key))) return session;
    try {
      // Another process may have renewed it after we read it: the provider would take the old refresh token for stolen.
      const latest = await this.#sessions.findByKey(session.key);
      return latest?.version === session.version ? await this.#ask(latest, door) : latest;
    } finally {
      await this.#sessions.releaseRefresh(session.key).catch(() => {});
    }
  }

  async #ask(session: KeyedSession, door: RefreshingDoor): Promise<Renewed | undefined> {
    try {
      const renewed = await door.refresh(session.record, session.identity);
      this.#metrics.refreshes.inc({ outcome: 'renewed' });
      this.#pauses.delete(session.key);
      return await this.#keep(session, renewed, door);
    } catch (error) {
      return await this.#afterFailure(session, error, door);
    }
  }

  async #keep(session: KeyedSession, renewed: Renewal, door: RefreshingDoor): Promise<Renewed | undefined> {
    try {
      const isKept = await this.#sessions.change(session, renewed);
      if (!isKept) return await this.#afterChange(session, renewed, door);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      // The provider counts on what it says now. With what it said before, the person could keep a group that they have lost.
      await this.#end(session, error);
      await this.#revocations.revokeAt(door, { ...session, record: renewed.record });
      return undefined;
    }
    return { identity: renewed.identity, record: renewed.record, refreshAt: renewed.refreshAt, version: session.version + 1 };
  }

  /** The session ended or changed while we asked: what the store has now counts. Nobody will revoke what an ended one was given. */
  async #afterChange(session: KeyedSession, { record }: Renewal, door: RefreshingDoor): Promise<Renewed | undefined> {
    const latest = await this.#sessions.findByKey(session.key);
    if (latest === undefined) await this.#revocations.revokeAt(door, { ...session, record });
    return latest;
  }

  async #afterFailure(session: KeyedSession, error: unknown, door: RefreshingDoor): Promise<Renewed | undefined> {
    if (!isSessionOver(error)) {
      const { provider } = session.identity;
      this.#metrics.refreshes.inc({ outcome: 'unreachable' });
      this.#log.warn('could not renew a session; it stays valid until it expires', { provider, ...errorFields(error) });
      if (this.#pauses.size > 10_000) this.#pauses.clear();
      const since = this.#now().getTime();
      const askedMs = (readOidcFailure(error)?.retryAfterSeconds ?? 0) * 1000;
      this.#pauses.set(session.key, { since, until: since + Math.min(Math.max(retryAfterMs, askedMs), longestRetryMs) });
      return session;
    }
    await this.#end(session, error);
    // The package knows for 10 s which token came with the answer.
    if (hasLeftTokens(error)) await this.#revocations.revokeAt(door, session, true);
    return undefined;
  }

  async #end(session: KeyedSession, error: unknown): Promise<void> {
    const { provider, subject } = session.identity;
    await this.#sessions.endByKey(session.key);
    this.onEnded(session);
    this.#metrics.refreshes.inc({ outcome: 'ended' });
    this.#log.audit('session-ended-at-refresh', { provider, subject, ...errorFields(error) });
  }
}
