import { setTimeout as sleep } from 'node:timers/promises';
import { rateLimited } from '../errors.ts';
import type { RateSlot } from '../store/store.ts';
import type { Needs } from './parts.ts';
import { rateSlot } from './require-rate-slot.ts';

/** The longest wait; after that the answer is "try again in a second". */
const longestWaitMillis = 1_000;
const pollMillis = 50;
/** Per notebook. Beyond it, the oldest attempt gives way, so that a reader who arrives behind a crowd of guessers need not wait for it. */
const maxWaiting = 64;

interface Waiting {
  readonly isNew: boolean;
  readonly until: number;
  readonly go: () => void;
  readonly giveUp: () => void;
}

/** Attempts at a notebook's password that wait in this process. */
const lines = new Map<string, Waiting[]>();

/**
 * Slows down guesses at one password, from however many networks. The first ten in ten minutes are checked at once. After that, a network
 * that has not tried here before gets a turn every quarter of a second, the newest first, and all others together get one a second. So an
 * attacker with many addresses guesses slowly, and a reader from another network waits a moment, not for the guessers.
 * @returns a function that gives the attempt back when the password was right
 * @throws Refusal `rate_limited`, for one second
 */
export async function waitForGuess(
  parts: Needs<'store' | 'now' | 'rateLimits'>,
  notebookId: string,
  clientKey: string,
): Promise<() => Promise<void>> {
  const burst = rateSlot(parts, 'notebookPassword', notebookId);
  if (!burst) return async () => {};
  if ((await parts.store.takeRateSlot(burst, parts.now())).allowed) {
    return () => parts.store.giveBackRateSlot(burst, parts.now());
  }
  const tries = await parts.store.countRateUses({ name: 'password', key: clientKey }, parts.now());
  await new Promise<void>((go, reject) => {
    const giveUp = () => reject(rateLimited(1));
    join(parts, notebookId, { isNew: tries <= 1, until: performance.now() + longestWaitMillis, go, giveUp });
  });
  return async () => {};
}

function join(parts: Needs<'store' | 'now' | 'rateLimits'>, notebookId: string, newcomer: Waiting): void {
  const line = lines.get(notebookId);
  if (line) {
    if (line.length >= maxWaiting) line.shift()?.giveUp();
    line.push(newcomer);
    return;
  }
  const started = [newcomer];
  lines.set(notebookId, started);
  void callTurns(parts, notebookId, started);
}

async function callTurns(parts: Needs<'store' | 'now' | 'rateLimits'>, notebookId: string, line: Waiting[]): Promise<void> {
  try {
    while (line.length > 0) {
      await callNewest(parts, line, true, rateSlot(parts, 'newGuess', notebookId));
      await callNewest(parts, line, false, rateSlot(parts, 'anotherGuess', notebookId));
      while (line[0] && performance.now() >= line[0].until) line.shift()?.giveUp();
      if (line.length > 0) await sleep(pollMillis);
    }
  } catch {
    // The database does not answer: no attempt is checked, and everybody may try again.
    for (const { giveUp } of line.splice(0)) giveUp();
  } finally {
    lines.delete(notebookId);
  }
}

async function callNewest(
  parts: Needs<'store' | 'now'>,
  line: Waiting[],
  isNew: boolean,
  slot: RateSlot | undefined,
): Promise<void> {
  if (!slot || !line.some(waiting => waiting.isNew === isNew)) return;
  if (!(await parts.store.takeRateSlot(slot, parts.now())).allowed) return;
  const place = line.findLastIndex(waiting => waiting.isNew === isNew);
  if (place >= 0) line.splice(place, 1)[0]?.go();
}
