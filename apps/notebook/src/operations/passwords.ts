import bcrypt from 'bcrypt';
import { invalid, Refusal } from '../errors.ts';
import { limits } from '../limits.ts';

/** bcrypt at cost 12 takes a core a quarter of a second, on a thread of its own: two at once leave room for everything else. */
const atOnce = 2;
const maxWaiting = 32;

export interface Passwords {
  /** @throws Refusal `invalid` outside 1 to 72 bytes: bcrypt would read no further, so longer is refused, never cut */
  hash(password: string): Promise<string>;
  matches(password: string, hash: string): Promise<boolean>;
}

/** @throws Refusal `invalid` */
export function requirePasswordFits(password: string): void {
  if (!fits(password)) throw invalid('password', `must have 1 to ${limits.maxPasswordBytes} bytes of UTF-8`);
}

function fits(password: string): boolean {
  const bytes = Buffer.byteLength(password);
  return bytes >= 1 && bytes <= limits.maxPasswordBytes;
}

/** A queue with an end: past it the answer is "try again", not a server that hashes until tomorrow. */
export function createPasswords(cost: number = limits.bcryptCost): Passwords {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting)
        throw new Refusal('unavailable', { retryAfterSeconds: 5, detail: 'Too many passwords are being checked right now.' });
      await new Promise<void>(resolve => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The place is handed on, not given back, so that nobody can slip in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    async hash(password) {
      requirePasswordFits(password);
      return inTurn(() => bcrypt.hash(password, cost));
    },
    // What could never have been set is wrong without asking bcrypt, which would compare only its first 72 bytes.
    matches: async (password, hash) => fits(password) && inTurn(() => bcrypt.compare(password, hash)),
  };
}
