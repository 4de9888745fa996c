import type { SignInStore } from '@octavo/sign-in-store';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import type { Renewals } from './renew.ts';
import type { Session, Sessions } from './sessions.ts';

/** What is known of a session that something is open for. */
export type OpenSession = Pick<Session, 'id' | 'key' | 'version' | 'refreshAt'>;

export interface OpenSessionsParts {
  readonly store: Pick<SignInStore, 'liveSessions'>;
  readonly sessions: Pick<Sessions, 'findByKey'>;
  readonly renewals: Pick<Renewals, 'renewIfDue'>;
  readonly now: () => Date;
  /** The session says something else than before: other groups, maybe. */
  readonly onChanged: (session: Session) => void;
  readonly onOver: (ids: ReadonlySet<string>) => void;
}

/**
 * Sessions behind open streams. Requests ask the store and, when it is time, the provider; a WebSocket makes none. So both are asked in its name: nobody
 * keeps by an open tab what their provider has taken from them. It counts as no use of the session.
 */
export class OpenSessions {
  readonly #parts: OpenSessionsParts;
  /** By key, when the provider may be asked again. */
  readonly #askedAt = new Map<string, number>();
  #isAsking = false;

  constructor(parts: OpenSessionsParts) {
    this.#parts = parts;
  }

  /** Throws what the store throws. Questions to providers go on after it. */
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

  /** A few at once: what takes a provider long holds up only the others that are due. */
  async #renew(open: readonly OpenSession[], state: State): Promise<void> {
    this.#isAsking = true;
    try {
      const due = open.filter(one => this.#isDue(one)).slice(0, limits.maxRenewalsOfOpenSessions);
      await Promise.all(due.map(one => this.#renewOne(one, state)));
      const keys = new Set(open.map(one => one.key));
      for (const key of this.#askedAt.keys()) if (!keys.has(key)) this.#askedAt.delete(key);
    } finally {
      this.#isAsking = false;
    }
  }

  #isDue({ key, refreshAt }: OpenSession): boolean {
    const now = this.#parts.now().getTime();
    const askedAt = this.#askedAt.get(key);
    const isPaused = askedAt !== undefined && now >= askedAt && now < askedAt + limits.openSessionEveryMs;
    return refreshAt !== undefined && refreshAt <= now && !isPaused;
  }

  async #renewOne({ key }: OpenSession, state: State): Promise<void> {
    this.#askedAt.set(key, this.#parts.now().getTime());
    try {
      const found = await this.#parts.sessions.findByKey(key);
      // What it comes to is seen at the next look: another version, or none.
      if (found !== undefined) await this.#parts.renewals.renewIfDue(found, state);
    } catch {
      // The store: the next look finds that too.
    }
  }
}
