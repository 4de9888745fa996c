import { rateLimited } from '../errors.ts';
import { type RateLimitName, rateLimits } from '../limits.ts';
import type { Parts } from './parts.ts';

/**
 * Counts one use against a limit, in one statement of the store (spec 1 §8).
 * @param clientKey the address, or address and notebook, as the limit counts it
 * @throws Refusal `rate_limited`, with the seconds to wait; a refused use is not counted
 */
export async function requireRateSlot(parts: Parts, name: RateLimitName, clientKey: string): Promise<void> {
  if (parts.rateLimits === 'off') return;
  const { max, windowSeconds } = rateLimits[name];
  const answer = await parts.store.takeRateSlot({ name, key: clientKey, max, windowSeconds }, parts.now());
  if (!answer.allowed) throw rateLimited(answer.retryAfterSeconds);
}
