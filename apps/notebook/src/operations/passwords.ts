import bcrypt from 'bcrypt';
import { invalid, Refusal } from '../errors.ts';
import { limits } from '../limits.ts';
import { FairPool } from './fair-pool.ts';

/**
 * bcrypt at cost 12 takes a core a quarter of a second, on its own thread. Two concurrent unlocks leave room for everything else; new
 * passwords have a separate place, so that an owner who sets many does not keep readers waiting.
 */
const lanes = {
  unlock: { atOnce: 2, maxWaiting: 32, maxWaitingPerClient: 16 },
  set: { atOnce: 1, maxWaiting: 16, maxWaitingPerClient: 12 },
} as const;

export interface Passwords {
  /**
   * @param client clients take turns
   * @throws Refusal `invalid` outside 1 to 72 bytes: bcrypt would read no further, so a longer password is refused, never cut;
   * `unavailable` when too many wait
   */
  hash(password: string, client?: string): Promise<string>;
  /** @throws Refusal `unavailable` when too many wait */
  matches(password: string, hash: string, client?: string): Promise<boolean>;
  /**
   * Refuses everything that waits, and resolves when no hash is under way: a thread that ends before its hash is done crashes the process.
   */
  close(): Promise<void>;
}

/** @throws Refusal `invalid` */
export function requirePasswordFits(password: string): void {
  if (!fits(password)) throw invalid('password', `must have 1 to ${limits.maxPasswordBytes} bytes of UTF-8`);
}

function fits(password: string): boolean {
  const bytes = Buffer.byteLength(password);
  return bytes >= 1 && bytes <= limits.maxPasswordBytes;
}

/**
 * Bounded queues: past the limit the answer is "try again", rather than a server that hashes until tomorrow.
 * @param networkOf a client with many addresses is one of those who take turns
 */
export function createPasswords(cost: number = limits.bcryptCost, networkOf = (client: string) => client): Passwords {
  const full = (retryAfterSeconds: number, detail: string) => () => new Refusal('unavailable', { retryAfterSeconds, detail });
  const unlocks = new FairPool({ ...lanes.unlock, networkOf }, full(1, 'Too many passwords are being checked right now.'));
  const settings = new FairPool({ ...lanes.set, networkOf }, full(5, 'Too many passwords are being set right now.'));
  return {
    async hash(password, client = '') {
      requirePasswordFits(password);
      return settings.run(client, () => bcrypt.hash(password, cost));
    },
    // A password that could never have been set is wrong without asking bcrypt, which would compare only its first 72 bytes.
    matches: async (password, hash, client = '') => fits(password) && unlocks.run(client, () => bcrypt.compare(password, hash)),
    async close() {
      await Promise.all([unlocks.close(), settings.close()]);
    },
  };
}
