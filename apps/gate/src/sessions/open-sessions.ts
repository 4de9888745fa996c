import type { SignInStore } from '@octavo/sign-in-store';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import { isDue } from './due.ts';
import type { Renewals } from './renew.ts';
import type { Session, Sessions } from './sessions.ts';

/** The known facts about a session with open streams. */
export type OpenSession = Pick<Session, 'id' | 'key' | 'version' | 'refreshAt' | 'identity'>;

export interface OpenSessionsParts {
  readonly store: Pick<SignInStore, 'liveSessions'>;
  readonly sessions: Pick<Sessions, 'findByKey'>;
  readonly renewals: Pick<Renewals, 'renewIfDue'>;
  readonly now: () => Date;
  /** Called when a session changed: it may have other groups now. */
  readonly onChanged: (session: Session) => void;
  readonly onOver: (ids: ReadonlySet<string>) => void;
}

/**
 * Sessions behind open streams. For requests, the store is asked and, when due, the provider; an open WebSocket makes none. So
 * both are asked on its behalf: nobody keeps, through an open tab, what their provider took away. This does not count as use of
 * the session.
 */
export class OpenSessions {
  readonly #parts: OpenSessionsParts;
  /** By key: when the provider was last asked. */
  readonly #askedAt = new Map<string, number>();
  #isAsking = false;

  constructor(parts: OpenSessionsParts) {
    this.#parts = parts;
  }

  /** Throws what the store throws. Questions to providers continue after it returns. */
  async look(open: readonly OpenSession[], state: State): Promise<void> {
    const { store, sessions, onChanged, onOver } = this.#parts;
    const live = await store.liveSessions(open.map(one => one.id));
    onOver(new Set(open.flatMap(({ id }) => (live.has(id) ? [] : [id]))));
    for (const { id, key, version } of open) {
      if ((live.get(id) ?? version) === version) continue;
      const found = await sessions.findByKey(key);
      if (found !== undefined) onChanged({ ...found, id });
    }
    if (!this.#isAsking)
      void this.#renew(
        open.filter(({ id }) => live.has(id)),
        state,
      );
  }

  /** Renews a few at once. A slow provider delays only the other sessions that are due. */
  async #renew(open: readonly OpenSession[], state: State): Promise<void> {
    this.#isAsking = true;
    try {
      const due = open.filter(one => this.#isDue(one, state)).slice(0, limits.maxRenewalsOfOpenSessions);
      await Promise.all(due.map(one => this.#renewOne(one, state)));
      const keys = new Set(open.map(one => one.key));
      for (const key of this.#askedAt.keys()) if (!keys.has(key)) this.#askedAt.delete(key);
    } finally {
      this.#isAsking = false;
    }
  }

  #isDue(session: OpenSession, state: State): boolean {
    const now = this.#parts.now().getTime();
    const askedAt = this.#askedAt.get(session.key);
    const isPaused = askedAt !== undefined && now >= askedAt && now < askedAt + limits.openSessionEveryMs;
    return isDue(session, state, now) && !isPaused;
  }

  async #renewOne({ key }: OpenSession, state: State): Promise<void> {
    this.#askedAt.set(key, this.#parts.now().getTime());
    try {
      const found = await this.#parts.sessions.findByKey(key);
      // The next look sees the result: another version, or no session.
      if (found !== undefined) await this.#parts.renewals.renewIfDue(found, state);
    } catch {
      // The store failed: the next look finds that too.
    }
  }
}
