import { limits } from '../limits.ts';
import { errorFields, type Log } from '../operate/log.ts';
import type { Metrics } from '../operate/metrics.ts';
import type { Door } from '../sign-in/door.ts';
import type { State } from '../state.ts';
import type { KeyedSession } from './sessions.ts';

type RevokingDoor = Pick<Door, 'id' | 'revoke'>;

/** One provider's: its door changes with the configuration, so each record keeps the one it was let out by. */
interface Queue {
  readonly waiting: { readonly door: RevokingDoor; readonly record: unknown }[];
  asked: number;
}

/**
 * Revokes the refresh tokens of ended sessions: nobody else will, and some of them never expire. Nobody waits for it: a provider
 * that does not respond must hold up no sign-out. A logout may name any number of sessions, so a provider gets few requests at once.
 */
export class Revocations {
  readonly #log: Log;
  readonly #metrics: Pick<Metrics, 'revocations'>;
  readonly #queues = new Map<string, Queue>();
  readonly #inProgress = new Set<Promise<void>>();
  #isClosing = false;

  constructor(log: Log, metrics: Pick<Metrics, 'revocations'>) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /** A provider that was given another issuer is another party, which must not see the token. */
  revokeLater(sessions: readonly Pick<KeyedSession, 'identity' | 'record'>[], { doors }: State): void {
    for (const { identity, record } of sessions) {
      const door = doors.get(identity.provider);
      if (door?.vouchesFor(identity.issuer) === true) this.revokeAt(door, record);
    }
  }

  revokeAt(door: RevokingDoor, record: unknown): void {
    if (door.revoke === undefined) return;
    const queue = this.#queues.get(door.id) ?? { waiting: [], asked: 0 };
    this.#queues.set(door.id, queue);
    queue.waiting.push({ door, record });
    if (this.#isClosing) this.#drop(door.id, queue, 'stopped before all tokens were revoked');
    // Those that wait hold whole sessions in memory.
    if (queue.waiting.length > limits.maxRevocationsWaiting)
      this.#drop(door.id, { ...queue, waiting: queue.waiting.splice(-1) }, 'a provider is too slow to revoke all tokens');
    this.#askNext(queue);
  }

  #askNext(queue: Queue): void {
    while (queue.asked < limits.maxRevocationsAtOnce) {
      const next = queue.waiting.shift();
      if (next === undefined) return;
      queue.asked += 1;
      const work = this.#revoke(next.door, next.record).then(() => {
        queue.asked -= 1;
        this.#inProgress.delete(work);
        this.#askNext(queue);
      });
      this.#inProgress.add(work);
    }
  }

  /** A session stays over, even if its provider cannot do so. */
  async #revoke(door: RevokingDoor, record: unknown): Promise<void> {
    const provider = door.id;
    try {
      if ((await door.revoke?.(record)) === true) this.#metrics.revocations.inc({ provider, outcome: 'revoked' });
    } catch (error) {
      this.#metrics.revocations.inc({ provider, outcome: 'failed' });
      this.#log.warn('could not revoke tokens', { provider, ...errorFields(error) });
    }
  }

  #drop(provider: string, { waiting }: Queue, why: string): void {
    const sessions = waiting.splice(0).length;
    if (sessions === 0) return;
    this.#metrics.revocations.inc({ provider, outcome: 'dropped' }, sessions);
    this.#log.warn(why, { provider, sessions });
  }

  /** Waits for what providers are being asked, and asks no more: with one that does not respond, the rest could take hours. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const [provider, queue] of this.#queues) this.#drop(provider, queue, 'stopped before all tokens were revoked');
    await Promise.all(this.#inProgress);
  }
}
