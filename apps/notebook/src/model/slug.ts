import { createHash } from 'node:crypto';
import { limits } from '../limits.ts';
import { reservedSlugs } from '../urls.ts';
import type { RandomBytes } from './edit-token.ts';

export type SlugFault = 'reserved' | 'invalid';

/** `a-z 0-9 -`, 3 to 64 characters, no hyphen at either end, none doubled: one spelling for one address. */
export function isSlug(text: string): boolean {
  return text.length >= limits.minSlugChars && text.length <= limits.maxSlugChars && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}

export function checkSlug(text: string): SlugFault | undefined {
  if (reservedSlugs.has(text)) return 'reserved';
  return isSlug(text) ? undefined : 'invalid';
}

export const slugRule = `must be ${limits.minSlugChars} to ${limits.maxSlugChars} characters of a-z, 0-9 and single hyphens, none at either end`;

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Evenly distributed letters; bytes past the last whole run of the alphabet are thrown away. */
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

/** A freed slug is remembered by its hash only. */
export function hashSlug(slug: string): string {
  return createHash('sha256').update(slug).digest('hex');
}
