import { errorFields, type Log } from '../operate/log.ts';
import type { Metrics } from '../operate/metrics.ts';
import type { Door, Renewal } from '../sign-in/door.ts';
import { hasLeftTokens, isSessionOver } from '../sign-in/oidc.ts';
import type { State } from '../state.ts';
import type { Revocations } from './revocations.ts';
import { isTooLarge, type KeyedSession, type Sessions } from './sessions.ts';

type RefreshingDoor = Door & { refresh: NonNullable<Door['refresh']> };
type Renewed = Pick<KeyedSession, 'identity' | 'record' | 'refreshAt' | 'version'>;

/**
 * Well within the time for which the package remembers the answer to a refresh token. When the store failed to keep a rotated
 * token, the next try gets the new one from that memory; the provider would take a second use of the old one for theft.
 */
const retryAfterMs = 5_000;

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
  readonly #notBefore = new Map<string, number>();

  constructor(sessions: Sessions, revocations: Revocations, log: Log, metrics: Metrics, now: () => Date) {
    this.#sessions = sessions;
    this.#revocations = revocations;
    this.#log = log;
    this.#metrics = metrics;
    this.#now = now;
  }

  isDue({ refreshAt }: KeyedSession): boolean {
    return refreshAt !== undefined && refreshAt <= this.#now().getTime();
  }

  /** For a request of the person, or of an application on their behalf. @returns undefined when the session is over */
  async renewIfDue<T extends KeyedSession>(session: T, state: State): Promise<T | undefined> {
    if (!this.isDue(session)) return session;
    const now = this.#now().getTime();
    if ((this.#notBefore.get(session.key) ?? 0) > now) return session;
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
      this.#notBefore.delete(session.key);
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
      await this.#revocations.revoke(door, renewed.record);
      return undefined;
    }
    return { identity: renewed.identity, record: renewed.record, refreshAt: renewed.refreshAt, version: session.version + 1 };
  }

  /** The session ended or changed while we asked: what the store has now counts. Nobody will revoke what an ended one was given. */
  async #afterChange(session: KeyedSession, { record }: Renewal, door: RefreshingDoor): Promise<Renewed | undefined> {
    const latest = await this.#sessions.findByKey(session.key);
    if (latest === undefined) await this.#revocations.revoke(door, record);
    return latest;
  }

  async #afterFailure(session: KeyedSession, error: unknown, door: RefreshingDoor): Promise<Renewed | undefined> {
    if (!isSessionOver(error)) {
      const { provider } = session.identity;
      this.#metrics.refreshes.inc({ outcome: 'unreachable' });
      this.#log.warn('could not renew a session; it stays valid until it expires', { provider, ...errorFields(error) });
      if (this.#notBefore.size > 10_000) this.#notBefore.clear();
      this.#notBefore.set(session.key, this.#now().getTime() + retryAfterMs);
      return session;
    }
    await this.#end(session, error);
    if (hasLeftTokens(error)) await this.#revocations.revoke(door, session.record);
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
