import type { Notebook, Page } from '../../model/notebook.ts';
import type { Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';

/** Queues the pages that a write changed, in its transaction. */
export function* queuePages({ queue }: Statements, notebook: Notebook, pages: Iterable<Pick<Page, 'id'>>): Steps<void> {
  if (notebook.visibility !== 'public' || notebook.takenDownAt !== null) return;
  for (const { id } of pages) yield queue.add.with({ page: id, notebook: notebook.id });
}

/** Queues all pages after a change of title or visibility. */
export function* queueNotebook({ queue }: Statements, notebook: Notebook): Steps<void> {
  if (notebook.visibility !== 'public' || notebook.takenDownAt !== null) return;
  yield queue.addAll.with({ notebook: notebook.id });
}
