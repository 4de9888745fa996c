import { createHash } from 'node:crypto';
import { limits } from '../limits.ts';
import { reservedSlugs } from '../urls.ts';
import type { RandomBytes } from './edit-token.ts';

export type SlugFault = 'reserved' | 'invalid';

/** `a-z 0-9 -`, 3 to 64 characters, no hyphen at either end, no double hyphen: one spelling for each address. */
export function isSlug(text: string): boolean {
  return text.length >= limits.minSlugChars && text.length <= limits.maxSlugChars && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}

export function checkSlug(text: string): SlugFault | undefined {
  if (reservedSlugs.has(text)) return 'reserved';
  return isSlug(text) ? undefined : 'invalid';
}

export const slugRule = `must be ${limits.minSlugChars} to ${limits.maxSlugChars} characters of a-z, 0-9 and single hyphens, none at either end`;

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Evenly distributed letters; bytes beyond the last full multiple of the alphabet's length are discarded. */
export function createId(randomBytes: RandomBytes, length: number): string {
  let id = '';
  while (id.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 252 && id.length < length) id += letters[byte % 36];
    }
  }
  return id;
}

/** An unlisted slug is a capability: 16 random characters (82 bits), never made from the title. */
export function createSlug(randomBytes: RandomBytes): string {
  return createId(randomBytes, limits.generatedSlugChars);
}

/** Only the hash of a freed slug is kept. */
export function hashSlug(slug: string): string {
  return createHash('sha256').update(slug).digest('hex');
}
