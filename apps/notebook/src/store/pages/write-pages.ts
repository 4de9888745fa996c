import type { Page } from '../../model/notebook.ts';
import { countFileBytes, hasRoomForText } from '../../model/notebook-room.ts';
import { hasRoomForPage } from '../../model/page-order.ts';
import type { Owner, Writer } from '../../model/rights.ts';
import { counted, first } from '../engine.ts';
import { lockForContent } from '../notebooks/write-rights.ts';
import { queuePages } from '../search/queue-pages.ts';
import type { Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';
import type { AddPageResult, DeletePageResult, NewPage } from '../store.ts';

export function* addPage(
  statements: Statements,
  by: Writer,
  newPage: NewPage,
  after: string | undefined,
  now: number,
): Steps<AddPageResult> {
  const notebook = yield* lockForContent(statements.notebooks, by, now);
  if ('kind' in notebook) return notebook;
  const { key } = newPage;
  // Under the notebook's lock, so that of two concurrent requests the second finds the page of the first.
  const made = key === undefined ? undefined : yield* first(statements.pages.findByKey, { notebook: notebook.id, key });
  if (made) return { kind: 'added_before', page: made };
  const count = yield* countPages(statements, notebook.id);
  if (!hasRoomForPage(count)) return { kind: 'page_limit' };
  const before = after === undefined ? undefined : yield* first(statements.pages.find, { notebook: notebook.id, page: after });
  if (after !== undefined && !before) return { kind: 'after_missing' };

  const position = before ? before.position + 1 : count;
  const { id, givenTitle, heading, markdown, file } = newPage;
  const page: Page = { id, notebookId: notebook.id, position, givenTitle, heading, markdown, revision: 1, updatedAt: now };
  const { maxNotebookBytes: maxBytes } = statements.budget;
  const grows = Buffer.byteLength(markdown);
  if (!hasRoomForText(notebook, grows + countFileBytes(file), maxBytes)) return { kind: 'notebook_too_large', maxBytes };
  if (before) yield statements.pages.shift.with({ notebook: notebook.id, from: position, by: 1 });
  yield statements.pages.insert.with({ ...page, byOwner: by.kind === 'owner' });
  if (key !== undefined) yield statements.pages.keepKey.with({ page: id, notebook: notebook.id, key });
  if (file) yield statements.pages.keepFile.with({ page: id, notebook: notebook.id, ...file });
  yield* queuePages(statements, notebook, [page]);
  yield* counted([statements.notebooks.touch.with({ id: notebook.id, now, grows, maxBytes })]);
  return { kind: 'added', page };
}

export function* deletePage(
  statements: Statements,
  by: Owner,
  pageId: string,
  now: number,
  expectedRevision?: number,
): Steps<DeletePageResult> {
  const notebook = yield* lockForContent(statements.notebooks, by, now);
  if ('kind' in notebook) return notebook;
  const page = yield* first(statements.pages.find, { notebook: notebook.id, page: pageId });
  if (!page) return { kind: 'page_missing' };
  if (expectedRevision !== undefined && expectedRevision !== page.revision) return { kind: 'stale', page };
  if ((yield* countPages(statements, notebook.id)) === 1) return { kind: 'last_page' };
  yield statements.pages.delete.with({ page: page.id });
  yield statements.pages.shift.with({ notebook: notebook.id, from: page.position, by: -1 });
  const freed = { grows: -Buffer.byteLength(page.markdown), maxBytes: statements.budget.maxNotebookBytes };
  yield* counted([statements.notebooks.touch.with({ id: notebook.id, now, ...freed })]);
  return { kind: 'deleted' };
}

function* countPages(statements: Statements, notebook: string): Steps<number> {
  const row = yield* first(statements.pages.count, { notebook });
  return row?.count ?? 0;
}
