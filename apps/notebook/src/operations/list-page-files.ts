import { nextTurn } from '../event-loop-turns.ts';
import type { PageFile } from '../model/notebook.ts';
import type { Needs } from './parts.ts';
import { type PresentedCredentials, readAsOwner } from './require-access.ts';

/**
 * The files that pages were imported from, in the order of the pages; for the owner alone, because the patches contain parts that readers
 * must not see. All patches together may be as long as a notebook: each is read in its own turn of the event loop, and the access check is
 * made again after each.
 */
export async function* listPageFiles(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): AsyncGenerator<PageFile> {
  const { store } = parts;
  const found = await readAsOwner(parts, slug, presented, async id => ({ id, paths: await store.listPagePaths(id) }));
  for (const { pageId } of found.paths) {
    await nextTurn();
    const file = await readAsOwner(parts, slug, presented, () => store.findPageFile(found.id, pageId));
    if (file) yield file;
  }
}
