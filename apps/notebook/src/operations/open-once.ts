import { Refusal } from '../errors.ts';
import { hashReaderCookie } from '../model/cookies.ts';
import type { Notebook } from '../model/notebook.ts';
import type { Needs } from './parts.ts';
import { onceMore, refuseGone } from './refused-write.ts';
import { findWithAccess, type PresentedCredentials } from './require-access.ts';

/**
 * Opens a burn-after-read notebook: the "first view" of spec 1 §3, for exactly one caller ever. The claim is one statement of the store: of
 * any number of concurrent callers, one gets the reader cookie and all others get `not_found`.
 * @throws Refusal `password_required` while locked, `taken_down`, else `not_found`
 */
export const openOnce = onceMore(
  async (
    parts: Needs<'store' | 'secretKey' | 'now' | 'randomBytes'>,
    slug: string,
    presented: PresentedCredentials,
  ): Promise<string> => {
    const notebook = await requireUnopened(parts, slug, presented);
    const readerCookie = Buffer.from(parts.randomBytes(32)).toString('base64url');
    const claimed = await parts.store.claimOpening(
      notebook.id,
      hashReaderCookie(readerCookie),
      notebook.passwordHash,
      parts.now(),
    );
    // Another reader opened it, or it was locked, closed or taken down since.
    return claimed ? readerCookie : refuseGone(() => requireUnopened(parts, slug, presented));
  },
);

async function requireUnopened(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): Promise<Notebook> {
  // The owner's own editor must not burn the notebook, so the edit token is ignored here.
  const opened = await findWithAccess(parts, slug, { ...presented, editToken: undefined });
  if (opened?.access.kind === 'locked') throw new Refusal('password_required');
  if (opened?.access.kind === 'taken-down') throw new Refusal('taken_down');
  if (opened?.access.kind !== 'opens-once') throw new Refusal('not_found');
  return opened.notebook;
}
