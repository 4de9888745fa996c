import { first } from '../engine.ts';
import type { Steps } from '../statement.ts';
import type { RateLimited } from '../write-refused.ts';
import { type KeptStatements, secondsToWait } from './kept-statements.ts';
import type { RateSlot } from './rate-slot.ts';

/** Does the work and counts it in one transaction: a save costs one commit, and is counted whatever its result. */
export function* withRateSlot<Result>(
  kept: KeptStatements,
  slot: RateSlot | undefined,
  now: number,
  work: () => Steps<Result>,
): Steps<Result | RateLimited> {
  if (slot) {
    const { name, key, max, windowSeconds } = slot;
    const taken = yield* first(kept.takeSlot, { name, key, max, now, endsAt: now + windowSeconds * 1000 });
    if (!taken || taken.used > max)
      return {
        kind: 'rate_limited',
        retryAfterSeconds: secondsToWait(yield* first(kept.slotEnd, { name, key }), now, windowSeconds),
      };
  }
  return yield* work();
}
