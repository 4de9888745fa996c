import { limits } from '../../limits.ts';
import type { Notebook, Page } from '../../model/notebook.ts';
import { hasRoomForText } from '../../model/notebook-room.ts';
import type { Owner, Writer } from '../../model/rights.ts';
import { needsSnapshot } from '../../model/snapshot.ts';
import { first } from '../engine.ts';
import { toNotebook } from '../notebooks/notebook-statements.ts';
import { authorize, lockForContent } from '../notebooks/write-rights.ts';
import { queuePages } from '../search/queue-pages.ts';
import type { Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';
import type { ChangePageResult, PageChange, WriteRefused } from '../store.ts';

type NewText = Pick<Page, 'givenTitle' | 'heading' | 'markdown'>;

export function* changePage(
  statements: Statements,
  by: Writer,
  pageId: string,
  change: PageChange,
  now: number,
): Steps<ChangePageResult> {
  const locked = yield* lockPage(statements, by, pageId);
  if ('kind' in locked) return locked;
  const { page, snapshotAt } = locked;
  if (change.expectedRevision !== undefined && change.expectedRevision !== page.revision) return { kind: 'stale', page };
  const text = {
    givenTitle: change.givenTitle ?? page.givenTitle,
    heading: change.heading ?? page.heading,
    markdown: change.markdown ?? page.markdown,
  };
  if (isSameText(page, text)) return { kind: 'unchanged', page };
  // The owner's text under a visitor's is kept whatever the clock says: no later save could bring it back.
  const covers = by.kind === 'visitor' && locked.textByOwner;
  const keeps = covers || needsSnapshot(change.autosave, snapshotAt ?? undefined, now);
  return yield* replaceText(statements, by, locked, { text, snapshotId: keeps ? change.newSnapshotId : undefined }, now);
}

export function* restoreSnapshot(
  statements: Statements,
  by: Owner,
  ids: { page: string; snapshot: string; newSnapshot: string },
  now: number,
): Steps<ChangePageResult> {
  const locked = yield* lockPage(statements, by, ids.page);
  if ('kind' in locked) return locked;
  const { notebook, page } = locked;
  const text = yield* first(statements.snapshots.find, { notebook: notebook.id, page: page.id, snapshot: ids.snapshot });
  if (!text) return { kind: 'snapshot_missing' };
  if (isSameText(page, text)) return { kind: 'unchanged', page };
  return yield* replaceText(statements, by, locked, { text, snapshotId: ids.newSnapshot }, now);
}

interface Locked {
  readonly notebook: Notebook;
  readonly page: Page;
  readonly snapshotAt: number | null;
  readonly textByOwner: boolean;
}

function* lockPage(statements: Statements, by: Writer, pageId: string): Steps<Locked | WriteRefused | { kind: 'page_missing' }> {
  const row = yield* first(statements.saves.lockPage, { notebook: by.notebookId, page: pageId });
  if (!row) {
    const notebook = yield* lockForContent(statements.notebooks, by);
    return 'kind' in notebook ? notebook : { kind: 'page_missing' };
  }
  const { pageId: id, position, givenTitle, heading, revision, markdown, pageUpdatedAt: updatedAt, ...others } = row;
  const { snapshotAt, textByOwner, ...rest } = others;
  const notebook = authorize(toNotebook(rest), by);
  if ('kind' in notebook) return notebook;
  const page = { id, notebookId: notebook.id, position, givenTitle, heading, revision, updatedAt, markdown };
  return { notebook, page, snapshotAt, textByOwner: Boolean(textByOwner) };
}

/** Without a `snapshotId` the replaced text is not kept. */
function* replaceText(
  statements: Statements,
  by: Writer,
  { notebook, page, snapshotAt, textByOwner }: Locked,
  { text: { givenTitle, heading, markdown }, snapshotId }: { text: NewText; snapshotId: string | undefined },
  now: number,
): Steps<ChangePageResult> {
  const changed = { ...page, givenTitle, heading, markdown, revision: page.revision + 1, updatedAt: now };
  const { maxNotebookBytes: maxBytes } = statements.budget;
  const bytes = Buffer.byteLength(page.markdown);
  const grows = Buffer.byteLength(markdown) - bytes;
  if (!hasRoomForText(notebook, grows, maxBytes)) return { kind: 'notebook_too_large', maxBytes };
  const kept = { ...page, bytes, byOwner: textByOwner, maxBytes: maxBytes * limits.snapshotBytesPerNotebookByte };
  const snapshot = snapshotId === undefined ? undefined : { ...kept, id: snapshotId };
  const byOwner = by.kind === 'owner';
  const save = { page: changed, byOwner, snapshot, snapshotAt: snapshot ? now : snapshotAt, grows, maxBytes };
  yield* statements.saves.save(save);
  yield* queuePages(statements, notebook, [changed]);
  return { kind: 'changed', page: changed };
}

/** The heading only follows from the text. */
function isSameText(page: Page, text: NewText): boolean {
  return page.givenTitle === text.givenTitle && page.markdown === text.markdown;
}
