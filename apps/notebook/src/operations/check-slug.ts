import { checkSlug } from '../model/slug.ts';
import type { Needs } from './parts.ts';
import { requireRateSlot } from './require-rate-slot.ts';

export interface SlugAnswer {
  readonly slug: string;
  readonly available: boolean;
  readonly reason?: 'taken' | 'reserved' | 'invalid';
}

/** Whether a slug may be chosen. About a notebook that has it, the answer reveals no more than "taken". */
export async function checkSlugAvailable(
  parts: Needs<'store' | 'now' | 'rateLimits'>,
  slug: string,
  clientKey: string,
): Promise<SlugAnswer> {
  await requireRateSlot(parts, 'slugCheck', clientKey);
  const fault = checkSlug(slug);
  if (fault) return { slug, available: false, reason: fault };
  return (await parts.store.isSlugTaken(slug, parts.now()))
    ? { slug, available: false, reason: 'taken' }
    : { slug, available: true };
}
