import { urls } from '../../urls.ts';
import { findSavedNotebook } from '../saved-notebooks.ts';

/** The edit token in a pasted edit link, or the bare token itself. */
export function readEditLink(pasted: string): string | undefined {
  const text = pasted.trim();
  const inLink = /\/e\/([\w-]{43})(?![\w-])/.exec(text)?.[1];
  return inLink ?? (/^[\w-]{43}$/.test(text) ? text : undefined);
}

/** Where this page's edit token is: in its address (`/e/…`), or kept by the browser (`/edit/{slug}`). */
export function findEditToken(mode: string | undefined, slug: string | undefined): string | undefined {
  if (mode === 'token') return readEditLink(location.pathname);
  return slug === undefined || mode === 'visitor' ? undefined : findSavedNotebook(slug)?.editToken;
}

/**
 * Takes the token out of the address bar, where it would be shared by accident. Only once the browser has kept it: a reload must
 * not lose the way back.
 */
export function hideEditToken(slug: string): void {
  if (findSavedNotebook(slug)) history.replaceState(null, '', urls.edit(slug));
}
