import { urls } from '../../urls.ts';
import { readEditLink } from '../device/edit-link.ts';
import { findSavedNotebook, saveNotebook } from '../device/saved-notebooks.ts';

/** Finds this page's edit token in its address (`/e/…`) or in the browser's storage (`/edit/{slug}`). */
export function findEditToken(mode: string | undefined, slug: string | undefined): string | undefined {
  if (mode === 'token') return readEditLink(location.pathname);
  return slug === undefined || mode === 'visitor' ? undefined : findSavedNotebook(slug)?.editToken;
}

/**
 * Takes the token out of the address bar, where it could be shared by accident. It does so only if the browser has stored this very
 * token: a reload must not lose the way back.
 */
export function hideEditToken(slug: string, editToken: string): void {
  if (findSavedNotebook(slug)?.editToken === editToken) history.replaceState(null, '', urls.edit(slug));
}

/**
 * Stores the token and hides it before the server is asked: on a slow connection it must not stay where everybody sees it. A token new to
 * this browser is kept but not listed, because anybody may have sent the link (list-question.ts asks).
 */
export function keepEditToken(slug: string, editToken: string): void {
  const saved = findSavedNotebook(slug) ?? { title: slug, expiresAt: null, listed: false as const };
  saveNotebook({ ...saved, slug, editToken, savedAt: Date.now() });
  hideEditToken(slug, editToken);
}

/**
 * Marks a notebook whose token the server does not (or no longer) know. The token stays in the list: a server may be wrong for an hour,
 * and a person who loses the token can never change the notebook again.
 */
export function markGone(slug: string, editToken: string): void {
  const saved = findSavedNotebook(slug);
  if (saved?.editToken === editToken) saveNotebook({ ...saved, seen: 'gone' });
}
