import { Refusal } from '../errors.ts';
import { createEditToken, hashEditToken } from '../model/edit-token.ts';
import type { Needs } from './parts.ts';
import { type Presented, requireOwner } from './require-access.ts';

/** The new edit token, answered once; the old one is dead when this resolves. */
export async function rotateEditToken(
  parts: Needs<'store' | 'secretKey' | 'now' | 'randomBytes'>,
  slug: string,
  presented: Presented,
): Promise<string> {
  const { owner } = await requireOwner(parts, slug, presented);
  const editToken = createEditToken(parts.randomBytes);
  const rotated = await parts.store.rotateEditToken(owner, hashEditToken(editToken), parts.now());
  if (!rotated) throw new Refusal('not_found');
  return editToken;
}
