import * as calls from '../../api/first-calls.ts';
import type { ApiSlugState } from '../../api/types.ts';
import { slugLimits } from '../../slug-limits.ts';
import { ApiProblem, call } from '../api/api-client.ts';

export type SlugVerdict =
  | { readonly kind: 'empty' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'available'; readonly slug: string }
  | { readonly kind: 'refused'; readonly sentence: string }
  | { readonly kind: 'unknown'; readonly sentence: string };

const pauseMilliseconds = 300;

/** Corrects what is harmless in a typed slug: capitals and spaces. */
export function tidySlug(typed: string): string {
  return typed
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
}

/** Says why a slug is invalid, without asking the server. Undefined when its form is right. */
export function slugFault(slug: string): string | undefined {
  if (slug.length < slugLimits.minSlugChars) return `At least ${slugLimits.minSlugChars} characters.`;
  if (slug.length > slugLimits.maxSlugChars) return `At most ${slugLimits.maxSlugChars} characters.`;
  if (!/^[a-z0-9-]+$/.test(slug)) return 'Only the letters a to z, digits and hyphens.';
  if (/^-|-$|--/.test(slug)) return 'No hyphen at the start or the end, and no two together.';
  return undefined;
}

const refusals: Record<NonNullable<ApiSlugState['reason']>, string> = {
  taken: 'This address is already taken.',
  reserved: 'This address is reserved.',
  invalid: 'This address is not possible.',
};

const checkSlug = (slug: string, signal: AbortSignal) => call(calls.checkSlug, [encodeURIComponent(slug)], { signal });

/**
 * Asks the server a moment after the last key, one request at a time. A late answer to an older request is dropped.
 * @returns a function to call with each new text of the field
 */
export function slugChecker(show: (verdict: SlugVerdict) => void, ask: typeof checkSlug = checkSlug): (typed: string) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;
  return typed => {
    clearTimeout(timer);
    running?.abort();
    const slug = tidySlug(typed);
    if (slug === '') return show({ kind: 'empty' });
    const fault = slugFault(slug);
    if (fault !== undefined) return show({ kind: 'refused', sentence: fault });
    show({ kind: 'checking' });
    const asking = new AbortController();
    running = asking;
    timer = setTimeout(async () => {
      const verdict = await askServer(slug, asking.signal, ask);
      if (!asking.signal.aborted) show(verdict);
    }, pauseMilliseconds);
  };
}

async function askServer(slug: string, signal: AbortSignal, ask: typeof checkSlug): Promise<SlugVerdict> {
  try {
    const state = await ask(slug, signal);
    if (state.available) return { kind: 'available', slug };
    return { kind: 'refused', sentence: refusals[state.reason ?? 'invalid'] };
  } catch (problem) {
    const wait = problem instanceof ApiProblem && problem.code === 'rate_limited';
    const sentence = wait
      ? 'Too many checks; it is checked again when you create it.'
      : 'Could not be checked now; it is checked when you create it.';
    return { kind: 'unknown', sentence };
  }
}
