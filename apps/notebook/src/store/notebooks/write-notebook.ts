import type { Notebook, PageToKeep } from '../../model/notebook.ts';
import { countMarkdownBytes } from '../../model/notebook-room.ts';
import type { Owner } from '../../model/rights.ts';
import { hashSlug } from '../../model/slug.ts';
import { first } from '../engine.ts';
import { removeWithObjects } from '../images/write-images.ts';
import { queuePages } from '../search/queue-pages.ts';
import type { Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';
import { lockForOwner } from './write-rights.ts';

export function* createNotebook(
  statements: Statements,
  notebook: Notebook,
  pages: readonly PageToKeep[],
): Steps<'created' | 'slug_taken'> {
  const { notebooks } = statements;
  const slugHash = hashSlug(notebook.slug);
  const markdownBytes = countMarkdownBytes(pages);
  if (!(yield* first(notebooks.insert, { ...notebook, markdownBytes }))) return 'slug_taken';
  // After the insert, which waited for a deletion of this slug that was under way: only now its mark can be seen.
  const freed = yield* first(notebooks.freedUntil, { slugHash });
  if (freed && freed.freeAt > notebook.createdAt) {
    yield notebooks.delete.with({ id: notebook.id });
    return 'slug_taken';
  }
  if (freed) yield notebooks.forgetFreedSlug.with({ slugHash });
  for (const { file, ...page } of pages) {
    yield statements.pages.insert.with({ ...page, byOwner: true });
    if (file) yield statements.pages.keepFile.with({ page: page.id, notebook: notebook.id, ...file });
  }
  yield* queuePages(statements, notebook, pages);
  return 'created';
}

const portionBytes = 1_048_576;

/** Deleted texts are written over: tens of mebibytes of snapshots in one transaction would hold everybody else for seconds. */
export function inPortions(snapshots: readonly { readonly id: string; readonly bytes: number }[]): string[][] {
  const portions: string[][] = [];
  let room = 0;
  for (const { id, bytes } of snapshots) {
    // An empty one costs a row all the same.
    const cost = Math.max(bytes, 1_024);
    if (cost > room) {
      portions.push([]);
      room = Math.max(cost, portionBytes);
    }
    portions.at(-1)!.push(id);
    room -= cost;
  }
  return portions;
}

/** Only the owner sees them, and the owner is deleting the notebook. */
export function* dropSnapshots(statements: Statements, by: Owner, ids: readonly string[]): Steps<void> {
  if (yield* lockForOwner(statements.notebooks, by)) yield statements.snapshots.drop.with({ ids: JSON.stringify(ids) });
}

export function* deleteNotebook(statements: Statements, by: Owner, slugFreeAt: number): Steps<boolean> {
  const notebook = yield* lockForOwner(statements.notebooks, by);
  if (!notebook) return false;
  yield statements.notebooks.freeSlug.with({ slugHash: hashSlug(notebook.slug), freeAt: slugFreeAt });
  const { id } = notebook;
  yield* removeWithObjects(statements, id, () => first(statements.notebooks.delete, { id }));
  return true;
}
