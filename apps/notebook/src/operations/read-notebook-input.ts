import { invalid, Refusal } from '../errors.ts';
import { limits } from '../limits.ts';
import { firstHeading } from '../markdown/heading.ts';
import { type Duration, expiryAfter, readTimestamp } from '../model/expiry.ts';
import type { ImportedFile } from '../model/notebook.ts';
import { isPagePath, pagePathRule } from '../model/page-path.ts';
import { checkSlug, slugRule } from '../model/slug.ts';
import { tidyTitle } from '../model/title.ts';
import type { NewPage } from '../store/store.ts';

/** Refuses a text of more than 1 MiB of UTF-8 and never cuts it. */
export function requireMarkdownFits(markdown: string, path: string): void {
  const { maxMarkdownBytes: most } = limits;
  // A code unit is one to three bytes, so few texts need counting, and none of 8 MiB.
  if (markdown.length * 3 <= most || (markdown.length <= most && Buffer.byteLength(markdown) <= most)) return;
  const message = `is longer than ${most} bytes of UTF-8`;
  throw new Refusal('too_large', { detail: `${path} ${message}`, errors: [{ path, message }] });
}

export interface FileInput {
  readonly path: string;
  readonly patch?: string | undefined;
}

export function readFile(file: FileInput | undefined, path: string): ImportedFile | undefined {
  if (file && !isPagePath(file.path)) throw invalid(path === '' ? 'file.path' : `${path}.file.path`, pagePathRule);
  return file && { path: file.path, patch: file.patch ?? '' };
}

export function readPage(
  id: string,
  input: { title?: string | undefined; markdown?: string | undefined; file?: FileInput | undefined },
  path: string,
): NewPage {
  const markdown = input.markdown ?? '';
  requireMarkdownFits(markdown, path === '' ? 'markdown' : `${path}.markdown`);
  const file = readFile(input.file, path);
  return { id, givenTitle: tidyTitle(input.title ?? ''), heading: firstHeading(markdown), markdown, ...(file ? { file } : {}) };
}

/** @throws Refusal `slug_reserved` or `invalid` */
export function requireSlug(slug: string): string {
  const fault = checkSlug(slug);
  if (fault === 'reserved')
    throw new Refusal('slug_reserved', {
      detail: `"${slug}" is reserved for the service.`,
      errors: [{ path: 'slug', message: 'is reserved' }],
    });
  if (fault === 'invalid') throw invalid('slug', slugRule);
  return slug;
}

export interface ExpiryInput {
  readonly expiresIn?: Duration | undefined;
  readonly expiresAt?: string | null | undefined;
}

/** Undefined: not set. Null: never. A chosen duration is converted to an absolute time here, once. */
export function readExpiry(input: ExpiryInput, now: number): number | null | undefined {
  if (input.expiresIn !== undefined && input.expiresAt !== undefined) throw invalid('expiresIn', 'goes without expiresAt');
  if (input.expiresIn !== undefined) return expiryAfter(input.expiresIn, now);
  if (input.expiresAt === undefined || input.expiresAt === null) return input.expiresAt;
  const time = readTimestamp(input.expiresAt);
  if (time === undefined) throw invalid('expiresAt', 'must be an RFC 3339 timestamp, for example 2030-01-31T12:00:00Z');
  if (time <= now) throw invalid('expiresAt', 'must lie in the future');
  return time;
}
