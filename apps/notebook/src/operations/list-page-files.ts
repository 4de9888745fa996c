import type { PageFile } from '../model/notebook.ts';
import type { Needs } from './parts.ts';
import { type Presented, requireOwner } from './require-access.ts';

/** Which pages were imported from which files; the owner's alone, because the patches hold what readers shall not see. */
export async function listPageFiles(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: Presented,
): Promise<PageFile[]> {
  const { notebook } = await requireOwner(parts, slug, presented);
  return parts.store.listPageFiles(notebook.id);
}
