import { urls } from '../../urls.ts';
import { readEditLink } from '../edit-link.ts';
import { findSavedNotebook } from '../saved-notebooks.ts';

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
