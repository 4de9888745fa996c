import type { Notebook, Page } from '../model/notebook.ts';
import type { Owner, Writer } from '../model/rights.ts';
import { keptSnapshots, needsSnapshot } from '../model/snapshot.ts';
import { first, type Steps } from './engine.ts';
import { indexPage } from './search-index.ts';
import type { Statements } from './statements.ts';
import type { ChangePageResult, PageChange } from './store.ts';
import { lockForContent } from './write-rights.ts';

type NewText = Pick<Page, 'givenTitle' | 'heading' | 'markdown'>;

export function* changePage(
  statements: Statements,
  by: Writer,
  pageId: string,
  change: PageChange,
  now: number,
): Steps<ChangePageResult> {
  const notebook = yield* lockForContent(statements.notebooks, by);
  if ('kind' in notebook) return notebook;
  const page = yield* first(statements.pages.find, { notebook: notebook.id, page: pageId });
  if (!page) return { kind: 'page_missing' };
  if (change.expectedRevision !== undefined && change.expectedRevision !== page.revision) return { kind: 'stale', page };
  const text = {
    givenTitle: change.givenTitle ?? page.givenTitle,
    heading: change.heading ?? page.heading,
    markdown: change.markdown ?? page.markdown,
  };
  if (isSameText(page, text)) return { kind: 'unchanged', page };
  const newest = yield* first(statements.snapshots.newestTime, { page: page.id });
  const snapshotId = needsSnapshot(change.autosave, newest?.createdAt, now) ? change.newSnapshotId : undefined;
  return yield* replaceText(statements, { notebook, page, text, snapshotId, now });
}

export function* restoreSnapshot(
  statements: Statements,
  by: Owner,
  ids: { page: string; snapshot: string; newSnapshot: string },
  now: number,
): Steps<ChangePageResult> {
  const notebook = yield* lockForContent(statements.notebooks, by);
  if ('kind' in notebook) return notebook;
  const page = yield* first(statements.pages.find, { notebook: notebook.id, page: ids.page });
  if (!page) return { kind: 'page_missing' };
  const text = yield* first(statements.snapshots.find, { notebook: notebook.id, page: page.id, snapshot: ids.snapshot });
  if (!text) return { kind: 'snapshot_missing' };
  if (isSameText(page, text)) return { kind: 'unchanged', page };
  return yield* replaceText(statements, { notebook, page, text, snapshotId: ids.newSnapshot, now });
}

interface Replacement {
  readonly notebook: Notebook;
  readonly page: Page;
  readonly text: NewText;
  /** Absent: the replaced text is not kept. */
  readonly snapshotId: string | undefined;
  readonly now: number;
}

function* replaceText(statements: Statements, { notebook, page, text, snapshotId, now }: Replacement): Steps<ChangePageResult> {
  if (snapshotId !== undefined) yield* keepSnapshot(statements, snapshotId, page, now);
  const { givenTitle, heading, markdown } = text;
  const changed = { ...page, givenTitle, heading, markdown, revision: page.revision + 1, updatedAt: now };
  yield statements.pages.update.with(changed);
  yield* indexPage(statements.search, notebook, changed);
  yield statements.notebooks.touch.with({ id: notebook.id, now });
  return { kind: 'changed', page: changed };
}

function* keepSnapshot(statements: Statements, id: string, page: Page, now: number): Steps<void> {
  const { id: pageId, revision, givenTitle, heading, markdown } = page;
  const bytes = Buffer.byteLength(markdown);
  yield statements.snapshots.insert.with({ id, pageId, revision, givenTitle, heading, markdown, bytes, createdAt: now });
  yield statements.snapshots.keepNewest.with({ page: pageId, kept: keptSnapshots });
}

/** The heading only follows from the text. */
function isSameText(page: Page, text: NewText): boolean {
  return page.givenTitle === text.givenTitle && page.markdown === text.markdown;
}
