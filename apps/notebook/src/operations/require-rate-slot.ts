import { rateLimited } from '../errors.ts';
import { type RateLimitName, rateLimits } from '../limits.ts';
import type { Notebook } from '../model/notebook.ts';
import type { RateSlot } from '../store/store.ts';
import type { Needs } from './parts.ts';
import type { PresentedCredentials } from './require-access.ts';

/** The rate slot that a content write uses; the store counts it together with the write. */
export function writeSlot(
  parts: Needs<'rateLimits'>,
  name: 'contentWrite' | 'newPage',
  { id }: Notebook,
  { client }: PresentedCredentials,
) {
  return rateSlot(parts, name, `${client ?? 'unknown'} ${id}`);
}

export function rateSlot(parts: Needs<'rateLimits'>, name: RateLimitName, key: string): RateSlot | undefined {
  return parts.rateLimits === 'off' ? undefined : { name, key, ...rateLimits[name] };
}

/**
 * Counts one use against a limit, in one statement of the store (spec 1 §8).
 * @param clientKey the address, or address and notebook, as the limit counts it
 * @throws Refusal `rate_limited`, with the seconds to wait; a refused use is not counted
 */
export async function requireRateSlot(
  parts: Needs<'store' | 'now' | 'rateLimits'>,
  name: RateLimitName,
  clientKey: string,
): Promise<void> {
  const slot = rateSlot(parts, name, clientKey);
  if (!slot) return;
  const answer = await parts.store.takeRateSlot(slot, parts.now());
  if (!answer.allowed) throw rateLimited(answer.retryAfterSeconds);
}
