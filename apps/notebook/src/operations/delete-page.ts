import { Refusal } from '../errors.ts';
import type { Parts } from './parts.ts';
import { refusalOfWrite } from './refused-write.ts';
import { type Presented, requireOwner } from './require-access.ts';

export async function deletePage(parts: Parts, slug: string, pageId: string, presented: Presented): Promise<void> {
  const { owner } = await requireOwner(parts, slug, presented);
  const answer = await parts.store.deletePage(owner, pageId, parts.now());
  switch (answer.kind) {
    case 'deleted':
      return;
    case 'last_page':
      throw new Refusal('last_page', { detail: 'Delete the notebook instead.' });
    case 'page_missing':
      throw new Refusal('not_found');
    default:
      throw refusalOfWrite(answer);
  }
}
