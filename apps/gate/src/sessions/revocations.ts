import { errorFields, type Log } from '../operate/log.ts';
import type { Door } from '../sign-in/door.ts';
import type { State } from '../state.ts';
import type { KeyedSession } from './sessions.ts';

/** Revokes the refresh tokens of ended sessions: nobody else will, and some of them never expire. */
export class Revocations {
  readonly #log: Log;
  readonly #inProgress = new Set<Promise<void>>();
  #isClosing = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** A provider that cannot do so keeps no session open. */
  async revoke(door: Pick<Door, 'id' | 'revoke'>, record: unknown): Promise<void> {
    await door
      .revoke?.(record)
      .catch(error => this.#log.warn('could not revoke tokens', { provider: door.id, ...errorFields(error) }));
  }

  /** The same for each of these, without waiting: a logout may name any number, so the provider gets one request at a time. */
  revokeLater(sessions: readonly Pick<KeyedSession, 'identity' | 'record'>[], state: State): void {
    const work = this.#revokeEach(sessions, state).finally(() => this.#inProgress.delete(work));
    this.#inProgress.add(work);
  }

  async #revokeEach(sessions: readonly Pick<KeyedSession, 'identity' | 'record'>[], { doors }: State): Promise<void> {
    for (const [at, { identity, record }] of sessions.entries()) {
      if (this.#isClosing)
        return this.#log.warn('stopped before all tokens were revoked', {
          provider: identity.provider,
          sessions: sessions.length - at,
        });
      const door = doors.get(identity.provider);
      // A provider that was given another issuer is another party, which must not see this token.
      if (door?.vouchesFor(identity.issuer) === true) await this.revoke(door, record);
    }
  }

  /** Waits for what providers are being asked, and asks no more: with one that does not respond, the rest could take hours. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#inProgress);
  }
}
