import type { PageFile } from '../model/notebook.ts';
import type { Needs } from './parts.ts';
import { type PresentedCredentials, requireOwner } from './require-access.ts';

/** The files that pages were imported from; for the owner alone, because the patches contain parts that readers must not see. */
export async function listPageFiles(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): Promise<PageFile[]> {
  const { notebook } = await requireOwner(parts, slug, presented);
  return parts.store.listPageFiles(notebook.id);
}
