import { Refusal } from '../errors.ts';
import { createEditToken, deriveEditToken, hashEditToken } from '../model/edit-token.ts';
import type { Needs } from './parts.ts';
import { accessOf, findOpened, type Presented, requireOwner } from './require-access.ts';

/**
 * The new edit token, answered once; the old one is dead when this resolves.
 * @param key the `Idempotency-Key` of the request: with the same one and the old token, the new token is answered again while it is in force
 */
export async function rotateEditToken(
  parts: Needs<'store' | 'secretKey' | 'now' | 'randomBytes'>,
  slug: string,
  presented: Presented,
  key?: string,
): Promise<string> {
  const before = await findRotated(parts, slug, presented, key);
  if (before !== undefined) return before;
  const { notebook, owner } = await requireOwner(parts, slug, presented);
  const old = presented.editToken;
  const editToken =
    key === undefined || old === undefined
      ? createEditToken(parts.randomBytes)
      : deriveEditToken(parts.secretKey, { notebookId: notebook.id, old, key });
  if (await parts.store.rotateEditToken(owner, hashEditToken(editToken), parts.now())) return editToken;
  // The same request may have arrived twice at once.
  const beside = await findRotated(parts, slug, presented, key);
  if (beside === undefined) throw new Refusal('not_found');
  return beside;
}

/** Answered before, perhaps to nobody: who has neither the old edit link nor the new one could never change the notebook again. */
async function findRotated(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: Presented,
  key: string | undefined,
): Promise<string | undefined> {
  const old = presented.editToken;
  if (key === undefined || old === undefined) return undefined;
  const opened = await findOpened(parts, slug, presented);
  if (!opened) return undefined;
  const editToken = deriveEditToken(parts.secretKey, { notebookId: opened.notebook.id, old, key });
  return accessOf(parts, opened.notebook, { editToken }).kind === 'owner' ? editToken : undefined;
}
