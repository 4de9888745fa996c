import type { PageFile } from '../model/notebook.ts';
import type { Needs } from './parts.ts';
import { type PresentedCredentials, readAsOwner } from './require-access.ts';

/** The files that pages were imported from; for the owner alone, because the patches contain parts that readers must not see. */
export function listPageFiles(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): Promise<PageFile[]> {
  return readAsOwner(parts, slug, presented, id => parts.store.listPageFiles(id));
}
