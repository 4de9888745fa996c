import { createEditToken, deriveEditToken, hashEditToken } from '../model/edit-token.ts';
import type { Needs } from './parts.ts';
import { onceMore, refuseGone } from './refused-write.ts';
import { accessOf, findWithAccess, type NotebookWithAccess, ownerOf, type PresentedCredentials } from './require-access.ts';

/**
 * Returns the new edit token, once; the old one is invalid when this resolves.
 * @param key the `Idempotency-Key` of the request: with the same key and the old token, the new token is answered again while it is valid
 */
export const rotateEditToken = onceMore(
  async (
    parts: Needs<'store' | 'secretKey' | 'now' | 'randomBytes'>,
    slug: string,
    presented: PresentedCredentials,
    key?: string,
  ): Promise<string> => {
    const opened = await findWithAccess(parts, slug, presented);
    const before = replacedBefore(parts, opened, presented, key);
    if (before !== undefined) return before;
    const { notebook, owner } = ownerOf(opened);
    const old = presented.editToken;
    const editToken =
      key === undefined || old === undefined
        ? createEditToken(parts.randomBytes)
        : deriveEditToken(parts.secretKey, { notebookId: notebook.id, old, key });
    if (await parts.store.rotateEditToken(owner, hashEditToken(editToken), parts.now())) return editToken;
    // The same request may have arrived twice at once.
    const openedSince = await findWithAccess(parts, slug, presented);
    const beside = replacedBefore(parts, openedSince, presented, key);
    if (beside !== undefined) return beside;
    // Another request replaced the token in between: this one is told what a wrong token is told.
    return refuseGone(async () => ownerOf(openedSince));
  },
);

/**
 * The first answer may have been lost: without the old edit link or the new one, nobody could change the notebook again.
 * @param opened one record decides both this and who owns it: the same request beside this one may be through between two reads
 */
function replacedBefore(
  parts: Needs<'secretKey' | 'now'>,
  opened: NotebookWithAccess | undefined,
  { editToken: old }: PresentedCredentials,
  key: string | undefined,
): string | undefined {
  if (key === undefined || old === undefined || !opened) return undefined;
  const editToken = deriveEditToken(parts.secretKey, { notebookId: opened.notebook.id, old, key });
  return accessOf(parts, opened.notebook, { editToken }).kind === 'owner' ? editToken : undefined;
}
