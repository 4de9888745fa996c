import type { Notebook, PageToKeep } from '../../model/notebook.ts';
import { countMarkdownBytes } from '../../model/notebook-room.ts';
import type { Owner } from '../../model/rights.ts';
import { hashSlug } from '../../model/slug.ts';
import { first } from '../engine.ts';
import { removeWithObjects } from '../images/write-images.ts';
import { queuePages } from '../search/queue-pages.ts';
import type { Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';
import type { CreateResult } from '../store.ts';
import { lockForOwner } from './write-rights.ts';

export function* createNotebook(statements: Statements, notebook: Notebook, pages: readonly PageToKeep[]): Steps<CreateResult> {
  const { notebooks } = statements;
  const slugHash = hashSlug(notebook.slug);
  const markdownBytes = countMarkdownBytes(pages);
  const { id, editTokenHash: hash } = notebook;
  for (let inserted: unknown, tries = 1; !inserted; tries++) {
    if (tries > 2) return 'slug_taken';
    inserted = yield* first(notebooks.insert, { ...notebook, markdownBytes });
    // After the insert, which waits for a replacement of this token or a deletion of this slug under way: only now can their marks be seen.
    if (yield* first(notebooks.otherOfToken, { id, hash })) {
      if (inserted) yield notebooks.delete.with({ id });
      return 'token_used';
    }
    // The notebook that was in the way may have had this token, and have been deleted between the two statements: once more.
  }
  const freed = yield* first(notebooks.findFreed, { slugHash, now: notebook.createdAt });
  if (freed?.held) {
    yield notebooks.delete.with({ id });
    return 'slug_taken';
  }
  if (freed) yield notebooks.deleteFreedSlug.with({ slugHash });
  for (const { file, ...page } of pages) {
    yield statements.pages.insert.with({ ...page, byOwner: true });
    if (file) yield statements.pages.keepFile.with({ page: page.id, notebook: notebook.id, ...file });
  }
  yield* queuePages(statements, notebook, pages);
  return 'created';
}

export function* deleteNotebook(statements: Statements, by: Owner, slugFreeAt: number): Steps<boolean> {
  const notebook = yield* lockForOwner(statements.notebooks, by);
  if (!notebook || notebook.takenDownAt !== null) return false;
  yield statements.notebooks.freeSlug.with({ slugHash: hashSlug(notebook.slug), freeAt: slugFreeAt });
  const { id } = notebook;
  yield* removeWithObjects(statements, id, () => first(statements.notebooks.delete, { id }));
  return true;
}
