import { errorFields, type Log } from '../operate/log.ts';
import type { Metrics } from '../operate/metrics.ts';
import { isSessionOver, OidcDoor } from '../sign-in/oidc.ts';
import type { State } from '../state.ts';
import type { Session, Sessions } from './sessions.ts';

const retryAfterMs = 10_000;

/**
 * Asks the provider again when it is time. All requests of a session in this process share one question, and one process
 * at a time asks. A provider that says no ends the session; one that is out of reach does not.
 */
export class Renewals {
  readonly #sessions: Sessions;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #now: () => Date;
  /** Told of a session that a provider ended here. */
  onEnded: (session: Session) => void = () => {};
  readonly #underWay = new Map<string, Promise<Session | undefined>>();
  readonly #notBefore = new Map<string, number>();

  constructor(sessions: Sessions, log: Log, metrics: Metrics, now: () => Date) {
    this.#sessions = sessions;
    this.#log = log;
    this.#metrics = metrics;
    this.#now = now;
  }

  async renewIfDue(session: Session, state: State): Promise<Session | undefined> {
    const now = this.#now().getTime();
    if (session.refreshAt === undefined || session.refreshAt > now) return session;
    if ((this.#notBefore.get(session.id) ?? 0) > now) return session;
    const door = state.doors.get(session.identity.provider);
    if (!(door instanceof OidcDoor)) return session;
    let flight = this.#underWay.get(session.id);
    if (flight === undefined) {
      flight = this.#renew(session, door).finally(() => this.#underWay.delete(session.id));
      this.#underWay.set(session.id, flight);
    }
    return flight;
  }

  async #renew(session: Session, door: OidcDoor): Promise<Session | undefined> {
    if (!(await this.#sessions.claimRefresh(session.id))) return session;
    try {
      const renewed = await door.refresh(session.record, session.identity);
      this.#metrics.refreshes.inc({ outcome: 'renewed' });
      this.#notBefore.delete(session.id);
      const isKept = await this.#sessions.change(session, renewed);
      // Ended while we asked, or changed by somebody: what the store says now is what counts.
      if (!isKept) return await this.#sessions.find(session.id);
      return {
        ...session,
        identity: renewed.identity,
        record: renewed.record,
        refreshAt: renewed.refreshAt,
        version: session.version + 1,
      };
    } catch (error) {
      return await this.#afterFailure(session, error);
    } finally {
      await this.#sessions.releaseRefresh(session.id).catch(() => {});
    }
  }

  async #afterFailure(session: Session, error: unknown): Promise<Session | undefined> {
    const { provider } = session.identity;
    if (!isSessionOver(error)) {
      this.#metrics.refreshes.inc({ outcome: 'unreachable' });
      this.#log.warn('a session could not be renewed; it goes on until its end', { provider, ...errorFields(error) });
      if (this.#notBefore.size > 10_000) this.#notBefore.clear();
      this.#notBefore.set(session.id, this.#now().getTime() + retryAfterMs);
      return session;
    }
    await this.#sessions.end(session.id);
    this.onEnded(session);
    this.#metrics.refreshes.inc({ outcome: 'ended' });
    this.#log.audit('session-ended-at-refresh', { provider, subject: session.identity.subject, ...errorFields(error) });
    return undefined;
  }
}
