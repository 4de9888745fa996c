import { Refusal } from '../errors.ts';
import { hashReaderCookie } from '../model/cookies.ts';
import type { Needs } from './parts.ts';
import { findWithAccess, type PresentedCredentials } from './require-access.ts';

/**
 * Opens a burn-after-read notebook: the "first view" of spec 1 §3, for exactly one caller ever. The claim is one statement of the store: of
 * any number of concurrent callers, one gets the reader cookie and all others get `not_found`.
 * @throws Refusal `password_required` while locked, `taken_down`, else `not_found`
 */
export async function openOnce(
  parts: Needs<'store' | 'secretKey' | 'now' | 'randomBytes'>,
  slug: string,
  presented: PresentedCredentials,
): Promise<string> {
  // The owner's own editor must not burn the notebook, so the edit token is ignored here.
  const opened = await findWithAccess(parts, slug, { ...presented, editToken: undefined });
  if (opened?.access.kind === 'locked') throw new Refusal('password_required');
  if (opened?.access.kind === 'taken-down') throw new Refusal('taken_down');
  if (opened?.access.kind !== 'opens-once') throw new Refusal('not_found');
  const { notebook } = opened;
  const readerCookie = Buffer.from(parts.randomBytes(32)).toString('base64url');
  const claimed = await parts.store.claimOpening(notebook.id, hashReaderCookie(readerCookie), notebook.passwordHash, parts.now());
  if (!claimed) throw new Refusal('not_found');
  return readerCookie;
}
