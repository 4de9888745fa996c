import { urls } from '../../urls.ts';
import { readEditLink } from '../device/edit-link.ts';
import { findSavedNotebook, saveNotebook } from '../device/saved-notebooks.ts';

/** Where this page's edit token is: in its address (`/e/…`), or kept by the browser (`/edit/{slug}`). */
export function findEditToken(mode: string | undefined, slug: string | undefined): string | undefined {
  if (mode === 'token') return readEditLink(location.pathname);
  return slug === undefined || mode === 'visitor' ? undefined : findSavedNotebook(slug)?.editToken;
}

/**
 * Takes the token out of the address bar, where it would be shared by accident. Only once the browser has kept this very one: a
 * reload must not lose the way back.
 */
export function hideEditToken(slug: string, editToken: string): void {
  if (findSavedNotebook(slug)?.editToken === editToken) history.replaceState(null, '', urls.edit(slug));
}

/**
 * At once, before anything is asked: a slow line must not leave the token where everybody sees it. One that this browser did not know is
 * kept and not listed: the link may be anybody's (list-question.ts asks).
 */
export function keepEditToken(slug: string, editToken: string): void {
  const saved = findSavedNotebook(slug) ?? { title: slug, expiresAt: null, listed: false as const };
  saveNotebook({ ...saved, slug, editToken, savedAt: Date.now() });
  hideEditToken(slug, editToken);
}

/**
 * The server does not know this token (any more). It stays in the list as one that is gone: a server may be wrong for an hour, and
 * who forgets the token then can never change the notebook again.
 */
export function markGone(slug: string, editToken: string): void {
  const saved = findSavedNotebook(slug);
  if (saved?.editToken === editToken) saveNotebook({ ...saved, seen: 'gone' });
}
