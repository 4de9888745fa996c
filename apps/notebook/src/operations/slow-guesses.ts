import { setTimeout as sleep } from 'node:timers/promises';
import { rateLimited } from '../errors.ts';
import type { RateSlot } from '../store/store.ts';
import type { Needs } from './parts.ts';
import { rateSlot } from './require-rate-slot.ts';

/** The longest wait; after that the answer is "try again in a second". */
const longestWaitMillis = 1_000;
const pollMillis = 50;
/** Per notebook. Beyond it, an attempt of the most crowded network gives way. */
const maxWaiting = 64;
/** About a minute of turns at one notebook. */
const rememberedTurns = 256;

/** Who tries a password. */
export interface Guesser {
  readonly key: string;
  /** The networks that it is in, the widest first. Who has one of them has all of its addresses. */
  readonly networks: readonly string[];
}

interface Waiting {
  readonly networks: readonly string[];
  readonly isNew: boolean;
  readonly until: number;
  readonly go: () => void;
  readonly giveUp: () => void;
}

/** Attempts at one notebook's password that wait in this process. */
class Line {
  readonly #waiting: Waiting[] = [];
  /** The networks that had the latest turns. */
  readonly #turns: (readonly string[])[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** When the line is full, the oldest of those whose networks wait most makes room. */
  join(newcomer: Waiting): void {
    if (this.#waiting.length >= maxWaiting) this.#removeFirst(count(this.#waiting.map(({ networks }) => networks)), 1)?.giveUp();
    this.#waiting.push(newcomer);
  }

  hasSome(isNew: boolean): boolean {
    return this.#waiting.some(waiting => waiting.isNew === isNew);
  }

  /** The newest of those whose networks had the fewest turns: a network of many addresses is one guesser, and a reader is another. */
  callNext(isNew: boolean): void {
    const called = this.#removeFirst(count(this.#turns), -1, isNew);
    if (!called) return;
    this.#turns.push(called.networks);
    if (this.#turns.length > rememberedTurns) this.#turns.shift();
    called.go();
  }

  giveUpUntil(now: number): void {
    while (this.#waiting[0] && now >= this.#waiting[0].until) this.#waiting.shift()?.giveUp();
  }

  giveUpAll(): void {
    for (const { giveUp } of this.#waiting.splice(0)) giveUp();
  }

  /** @param direction 1: the oldest of the highest counts; -1: the newest of the lowest */
  #removeFirst(counts: ReadonlyMap<string, number>, direction: 1 | -1, isNew?: boolean): Waiting | undefined {
    let found: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (isNew !== undefined && waiting.isNew !== isNew) continue;
      const ahead = found ? direction * compare(counts, waiting.networks, found.networks) : 1;
      if (ahead > 0 || (ahead === 0 && direction === -1)) found = waiting;
    }
    if (found) this.#waiting.splice(this.#waiting.indexOf(found), 1);
    return found;
  }
}

function count(all: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const network of all.flat()) counts.set(network, (counts.get(network) ?? 0) + 1);
  return counts;
}

/** The widest network decides; where it is the same or has as many, the next one does. */
function compare(counts: ReadonlyMap<string, number>, one: readonly string[], other: readonly string[]): number {
  for (const [at, network] of one.entries()) {
    const more = (counts.get(network) ?? 0) - (counts.get(other[at] ?? '') ?? 0);
    if (more !== 0) return more;
  }
  return 0;
}

const lines = new Map<string, Line>();

/**
 * Slows down guesses at one password, from however many networks. The first ten in ten minutes are checked at once. After that, a network
 * that has not tried here before gets a turn every quarter of a second, and all others together get one a second. The network with the
 * fewest turns comes first, and of those the newest. So an attacker with many addresses guesses slowly, and a reader from another network
 * waits a moment, not for the guessers.
 * @returns a function that gives the attempt back when the password was right
 * @throws Refusal `rate_limited`, for one second
 */
export async function waitForGuess(
  parts: Needs<'store' | 'now' | 'rateLimits'>,
  notebookId: string,
  { key, networks }: Guesser,
): Promise<() => Promise<void>> {
  const burst = rateSlot(parts, 'notebookPassword', notebookId);
  if (!burst) return async () => {};
  if ((await parts.store.takeRateSlot(burst, parts.now())).allowed) {
    return () => parts.store.giveBackRateSlot(burst, parts.now());
  }
  const tries = await parts.store.countRateUses({ name: 'password', key }, parts.now());
  await new Promise<void>((go, reject) => {
    const giveUp = () => reject(rateLimited(1));
    join(parts, notebookId, { networks, isNew: tries <= 1, until: performance.now() + longestWaitMillis, go, giveUp });
  });
  return async () => {};
}

function join(parts: Needs<'store' | 'now' | 'rateLimits'>, notebookId: string, newcomer: Waiting): void {
  const line = lines.get(notebookId);
  if (line) {
    line.join(newcomer);
    return;
  }
  const started = new Line();
  started.join(newcomer);
  lines.set(notebookId, started);
  void callTurns(parts, notebookId, started);
}

async function callTurns(parts: Needs<'store' | 'now' | 'rateLimits'>, notebookId: string, line: Line): Promise<void> {
  try {
    while (!line.isEmpty) {
      await callNext(parts, line, true, rateSlot(parts, 'newGuess', notebookId));
      await callNext(parts, line, false, rateSlot(parts, 'anotherGuess', notebookId));
      line.giveUpUntil(performance.now());
      if (!line.isEmpty) await sleep(pollMillis);
    }
  } catch {
    // The database does not answer: no attempt is checked, and everybody may try again.
    line.giveUpAll();
  } finally {
    lines.delete(notebookId);
  }
}

async function callNext(parts: Needs<'store' | 'now'>, line: Line, isNew: boolean, slot: RateSlot | undefined): Promise<void> {
  if (!slot || !line.hasSome(isNew)) return;
  if ((await parts.store.takeRateSlot(slot, parts.now())).allowed) line.callNext(isNew);
}
