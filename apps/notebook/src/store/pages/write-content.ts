import { limits } from '../../limits.ts';
import type { ImportedFile, Notebook, Page } from '../../model/notebook.ts';
import { countFileBytes, hasRoomForText } from '../../model/notebook-room.ts';
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
  const locked = yield* lockPage(statements, by, pageId, now);
  if ('kind' in locked) return locked;
  const { page, snapshotAt } = locked;
  if (change.expectedRevision !== undefined && change.expectedRevision !== page.revision) return { kind: 'stale', page };
  const text = {
    givenTitle: change.givenTitle ?? page.givenTitle,
    heading: change.heading ?? page.heading,
    markdown: change.markdown ?? page.markdown,
  };
  const file = change.file && (yield* readFileChange(statements, page, change.file));
  if (isSameText(page, text)) return yield* replaceFile(statements, locked, file);
  // The owner's text is kept when a visitor replaces it, regardless of time: no later save could bring it back.
  const covers = by.kind === 'visitor' && locked.textByOwner;
  const keeps = covers || needsSnapshot(change.autosave, snapshotAt ?? undefined, now);
  const snapshotId = keeps ? change.newSnapshotId : undefined;
  return yield* replaceText(statements, by, locked, { text, snapshotId, file }, now);
}

export function* restoreSnapshot(
  statements: Statements,
  by: Owner,
  ids: { page: string; snapshot: string; newSnapshot: string },
  now: number,
): Steps<ChangePageResult> {
  const locked = yield* lockPage(statements, by, ids.page, now);
  if ('kind' in locked) return locked;
  const { notebook, page } = locked;
  const text = yield* first(statements.snapshots.find, { notebook: notebook.id, snapshot: ids.snapshot });
  if (text?.pageId !== page.id) return { kind: 'snapshot_missing' };
  if (isSameText(page, text)) return { kind: 'unchanged', page };
  return yield* replaceText(statements, by, locked, { text, snapshotId: ids.newSnapshot, file: undefined }, now);
}

interface Locked {
  readonly notebook: Notebook;
  readonly page: Page;
  readonly snapshotAt: number | null;
  readonly textByOwner: boolean;
}

function* lockPage(
  statements: Statements,
  by: Writer,
  pageId: string,
  now: number,
): Steps<Locked | WriteRefused | { kind: 'page_missing' }> {
  const row = yield* first(statements.saves.lockPage, { notebook: by.notebookId, page: pageId });
  if (!row) {
    const notebook = yield* lockForContent(statements.notebooks, by, now);
    return 'kind' in notebook ? notebook : { kind: 'page_missing' };
  }
  const { pageId: id, position, givenTitle, heading, revision, markdown, pageUpdatedAt: updatedAt, ...others } = row;
  const { snapshotAt, textByOwner, ...rest } = others;
  const notebook = authorize(toNotebook(rest), by, now);
  if ('kind' in notebook) return notebook;
  const page = { id, notebookId: notebook.id, position, givenTitle, heading, revision, updatedAt, markdown };
  return { notebook, page, snapshotAt, textByOwner: Boolean(textByOwner) };
}

/** The page now comes from another file than before. */
interface FileChange {
  readonly file: ImportedFile;
  readonly grows: number;
}

function* readFileChange(statements: Statements, page: Page, file: ImportedFile): Steps<FileChange | undefined> {
  const before = yield* first(statements.pages.file, { page: page.id });
  if (before?.path === file.path && before.patch === file.patch) return undefined;
  return { file, grows: countFileBytes(file) - countFileBytes(before) };
}

function* replaceFile(
  statements: Statements,
  { notebook, page }: Locked,
  change: FileChange | undefined,
): Steps<ChangePageResult> {
  if (!change) return { kind: 'unchanged', page };
  const { maxNotebookBytes: maxBytes } = statements.budget;
  if (!hasRoomForText(notebook, change.grows, maxBytes)) return { kind: 'notebook_too_large', maxBytes };
  yield statements.pages.keepFile.with({ page: page.id, notebook: notebook.id, ...change.file });
  // Links from file to file may lead elsewhere now, so everything drawn becomes outdated.
  yield statements.notebooks.outdate.with({ id: notebook.id });
  return { kind: 'unchanged', page };
}

interface NewContent {
  readonly text: NewText;
  /** Absent: the replaced text is not kept. */
  readonly snapshotId: string | undefined;
  readonly file: FileChange | undefined;
}

/** Writes the text and its file together, or neither. */
function* replaceText(
  statements: Statements,
  by: Writer,
  { notebook, page, snapshotAt, textByOwner }: Locked,
  { text: { givenTitle, heading, markdown }, snapshotId, file }: NewContent,
  now: number,
): Steps<ChangePageResult> {
  const changed = { ...page, givenTitle, heading, markdown, revision: page.revision + 1, updatedAt: now };
  const { maxNotebookBytes: maxBytes } = statements.budget;
  const bytes = Buffer.byteLength(page.markdown);
  const grows = Buffer.byteLength(markdown) - bytes;
  if (!hasRoomForText(notebook, grows + (file?.grows ?? 0), maxBytes)) return { kind: 'notebook_too_large', maxBytes };
  if (file) yield statements.pages.keepFile.with({ page: page.id, notebook: notebook.id, ...file.file });
  const kept = { ...page, bytes, byOwner: textByOwner, maxBytes: maxBytes * limits.snapshotBytesPerNotebookByte };
  const snapshot = snapshotId === undefined ? undefined : { ...kept, id: snapshotId };
  const byOwner = by.kind === 'owner';
  const save = { page: changed, byOwner, snapshot, snapshotAt: snapshot ? now : snapshotAt, grows, maxBytes };
  yield* statements.saves.save(save);
  yield* queuePages(statements, notebook, [changed]);
  return { kind: 'changed', page: changed };
}

/** The heading follows from the text and need not be compared. */
function isSameText(page: Page, text: NewText): boolean {
  return page.givenTitle === text.givenTitle && page.markdown === text.markdown;
}
