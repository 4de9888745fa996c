import { randomUUID } from 'node:crypto';
import type { RecordStore } from '@octavo/sign-in-store';
import { limits } from '../limits.ts';
import { errorFields, type Log } from '../operate/log.ts';
import type { Metrics } from '../operate/metrics.ts';
import type { Door } from '../sign-in/door.ts';
import type { State } from '../state.ts';
import { type OwedRevocation, OwedRevocations } from './owed-revocations.ts';
import type { Sealer } from './seal.ts';
import type { KeyedSession } from './sessions.ts';

type RevokingDoor = Pick<Door, 'id' | 'toRevoke' | 'revoke'>;
type Revocable = Pick<KeyedSession, 'identity' | 'subjectKey' | 'record'>;
type Doors = Pick<State, 'doors'>;

/** One token: its door changes with the configuration, so it keeps the one it was let out by. */
interface Waiting {
  readonly door: RevokingDoor;
  readonly owed: OwedRevocation;
  /** Whether the store has it, so that it is not lost if we do not get to it. */
  readonly isKept: Promise<boolean>;
}

interface Queue {
  waiting: Waiting[];
  asked: number;
}

export interface RevocationParts {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'revocations'>;
  readonly now: () => Date;
  readonly records: RecordStore;
  readonly sealer: () => Sealer;
  readonly againEveryMs?: number;
}

/**
 * Revokes the refresh tokens of ended sessions: nobody else will, and some of them never expire. Nobody waits for the provider: one that
 * does not respond must hold up no sign-out. A logout may name any number of sessions, so a provider gets few requests at once. What it
 * still has to revoke is in the store, so that an end of the process loses nothing.
 */
export class Revocations {
  readonly #parts: RevocationParts;
  readonly #owed: OwedRevocations;
  readonly #queues = new Map<string, Queue>();
  readonly #inProgress = new Set<Promise<void>>();
  /** Ids of what this process will ask about. */
  readonly #here = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(parts: RevocationParts) {
    this.#parts = parts;
    this.#owed = new OwedRevocations(parts.records, parts.sealer);
  }

  /**
   * Goes on with what an earlier process left, and tries again from time to time what a provider did not revoke.
   * @returns when the providers are asked or each token waits for its turn
   */
  open(stateNow: () => Doors): Promise<void> {
    const look = () => this.#track(this.#goOn(stateNow()));
    this.#timer = setInterval(look, this.#parts.againEveryMs ?? limits.revokeAgainEveryMs);
    return look();
  }

  /** @returns when the tokens are in the store. A provider that was given another issuer is another party, which must not see the token. */
  async revokeLater(sessions: readonly Revocable[], { doors }: Doors): Promise<void> {
    await Promise.all(
      sessions.map(async session => {
        const { provider, issuer } = session.identity;
        const door = doors.get(provider);
        if (door?.vouchesFor(issuer) === true) await this.revokeAt(door, session);
      }),
    );
  }

  /** @param isUrgent when only the memory of the last seconds leads to the token in use: then it does not wait for others */
  async revokeAt(door: RevokingDoor, { identity, subjectKey, record }: Revocable, isUrgent = false): Promise<void> {
    const least = this.#leastOf(door, record);
    if (least === undefined) return;
    const until = this.#parts.now().getTime() + limits.revokeWithinMs;
    const { issuer } = identity;
    await this.#begin(door, { id: randomUUID(), provider: door.id, issuer, subjectKey, record: least, until }, isUrgent);
  }

  /**
   * A token that waits for a person who has signed in again is only forgotten: some providers take the end of one token for the end of all that they
   * gave this person, and the new session would end with it.
   */
  async spare({ identity, subjectKey }: Omit<Revocable, 'record'>): Promise<void> {
    const { issuer } = identity;
    for (const queue of this.#queues.values()) {
      const [theirs, others] = [[] as Waiting[], [] as Waiting[]];
      for (const one of queue.waiting)
        (one.owed.issuer === issuer && one.owed.subjectKey === subjectKey ? theirs : others).push(one);
      queue.waiting = others;
      for (const { owed } of theirs) this.#here.delete(owed.id);
      await Promise.all(theirs.map(one => one.isKept));
    }
    try {
      await this.#owed.forgive({ issuer, subjectKey });
    } catch (error) {
      this.#parts.log.warn('could not look for tokens that are to be revoked', errorFields(error));
    }
  }

  /** A record that its door cannot read must not keep anybody from signing out. */
  #leastOf(door: RevokingDoor, record: unknown): unknown {
    try {
      return door.toRevoke?.(record);
    } catch (error) {
      this.#failed(door.id, error);
      return undefined;
    }
  }

  #failed(provider: string, error: unknown): void {
    this.#parts.metrics.revocations.inc({ provider, outcome: 'failed' });
    this.#parts.log.warn('could not revoke tokens', { provider, ...errorFields(error) });
  }

  async #begin(door: RevokingDoor, owed: OwedRevocation, isUrgent: boolean): Promise<void> {
    const isKept = this.#keep(owed);
    const queue = this.#queues.get(door.id) ?? { waiting: [], asked: 0 };
    this.#queues.set(door.id, queue);
    this.#here.add(owed.id);
    if (isUrgent && !this.#isClosing) this.#ask(queue, { door, owed, isKept });
    else queue.waiting.push({ door, owed, isKept });
    if (this.#isClosing) this.#leave(door.id, queue.waiting.splice(0), stopped);
    if (queue.waiting.length > limits.maxRevocationsWaiting) this.#leave(door.id, queue.waiting.splice(-1), tooSlow);
    this.#askNext(queue);
    await isKept;
  }

  async #keep(owed: OwedRevocation): Promise<boolean> {
    try {
      await this.#owed.keep(owed);
      return true;
    } catch (error) {
      this.#parts.log.warn('could not keep a token that is to be revoked', { provider: owed.provider, ...errorFields(error) });
      return false;
    }
  }

  #askNext(queue: Queue): void {
    while (queue.asked < limits.maxRevocationsAtOnce) {
      const next = queue.waiting.shift();
      if (next === undefined) return;
      this.#ask(queue, next);
    }
  }

  #ask(queue: Queue, one: Waiting): void {
    queue.asked += 1;
    void this.#track(
      this.#revoke(one).then(() => {
        queue.asked -= 1;
        this.#askNext(queue);
      }),
    );
  }

  #track(work: Promise<void>): Promise<void> {
    this.#inProgress.add(work);
    void work.finally(() => this.#inProgress.delete(work));
    return work;
  }

  /** A session stays over, even if its provider cannot do so. */
  async #revoke({ door, owed, isKept }: Waiting): Promise<void> {
    const provider = door.id;
    try {
      if ((await door.revoke?.(owed.record)) === true) this.#parts.metrics.revocations.inc({ provider, outcome: 'revoked' });
      if (await isKept) await this.#owed.settle(owed.id);
    } catch (error) {
      this.#failed(provider, error);
    } finally {
      this.#here.delete(owed.id);
    }
  }

  async #goOn({ doors }: Doors): Promise<void> {
    try {
      const all = await this.#owed.takeAll();
      // All go back into the store at once: for as long as one is in neither place, a crash loses it.
      await Promise.all(
        all.map(async owed => {
          const door = doors.get(owed.provider);
          if (this.#here.has(owed.id)) await this.#keep(owed);
          else if (door?.vouchesFor(owed.issuer) === true) await this.#begin(door, owed, false);
        }),
      );
    } catch (error) {
      this.#parts.log.warn('could not look for tokens that are to be revoked', errorFields(error));
    }
  }

  /** The store's tokens are tried again; the rest is lost. */
  #leave(provider: string, waiting: readonly Waiting[], why: string): void {
    if (waiting.length === 0) return;
    for (const { owed } of waiting) this.#here.delete(owed.id);
    void this.#track(
      Promise.all(waiting.map(one => one.isKept)).then(all => {
        const kept = all.filter(Boolean).length;
        const lost = all.length - kept;
        if (lost > 0) this.#parts.metrics.revocations.inc({ provider, outcome: 'dropped' }, lost);
        this.#parts.log.warn(why, { provider, sessions: all.length, kept });
      }),
    );
  }

  /** Waits for what providers are being asked, and asks no more: with one that does not respond, the rest could take hours. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#timer);
    for (const [provider, { waiting }] of this.#queues) this.#leave(provider, waiting.splice(0), stopped);
    while (this.#inProgress.size > 0) await Promise.all(this.#inProgress);
  }
}

const stopped = 'stopped before all tokens were revoked';
const tooSlow = 'a provider is too slow to revoke all tokens';
