import type { Kysely } from 'kysely';
import type { Notebook, Page } from '../model/notebook.ts';
import { notebookColumns, touchNotebook } from './notebook-statements.ts';
import { overweight, pushedOut, type SnapshotRoom } from './snapshot-room.ts';
import { type Query, statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** A notebook and one of its pages, side by side in one row. */
export type LockedPage = Notebook & Pick<Page, 'position' | 'givenTitle' | 'heading' | 'revision' | 'markdown'> & PageExtras;

interface PageExtras {
  readonly pageId: string;
  readonly pageUpdatedAt: number;
  readonly snapshotAt: number | null;
  readonly textByOwner: boolean;
}

/** A new text, and what becomes of the one that it replaces. */
export interface Save {
  readonly page: Page;
  readonly byOwner: boolean;
  /** When the page's newest snapshot was made. */
  readonly snapshotAt: number | null;
  /** Bytes more than the text that it replaces. */
  readonly grows: number;
  /** What the pages of the notebook may hold together. */
  readonly maxBytes: number;
  /** Absent: the replaced text is not kept. */
  readonly snapshot: NewSnapshot | undefined;
}

export interface NewSnapshot {
  readonly id: string;
  readonly revision: number;
  readonly givenTitle: string;
  readonly heading: string;
  readonly bytes: number;
  readonly byOwner: boolean;
  readonly markdown: string;
  /** What the snapshots of the notebook may hold together. */
  readonly maxBytes: number;
}

type Builder = Kysely<Tables>;
type NewText = Page & Pick<Save, 'snapshotAt' | 'byOwner' | 'grows' | 'maxBytes'>;
interface OldText extends SnapshotRoom {
  readonly snapshotId: string;
  readonly oldRevision: number;
  readonly oldTitle: string;
  readonly oldHeading: string;
  readonly oldMarkdown: string;
  readonly oldBytes: number;
  readonly oldByOwner: boolean;
}

/** The statements of a save: what everybody does all the time, so they are few. The last one answers no row when nothing may be saved. */
export function saveStatements(builder: Builder, engine: 'sqlite' | 'postgres') {
  return {
    /** Both rows are locked, and so both are read as they stand once the lock is there, not as they were when it was asked for. */
    lockPage: statement(({ notebook, page }: { notebook: string; page: string }) =>
      builder
        .selectFrom('notebooks')
        .innerJoin('pages', 'pages.notebook_id', 'notebooks.id')
        .select(notebookColumns)
        .select(['pages.id as pageId', 'pages.position', 'pages.given_title as givenTitle', 'pages.heading', 'pages.revision'])
        .select(['pages.updated_at as pageUpdatedAt', 'pages.snapshot_at as snapshotAt', 'pages.by_owner as textByOwner'])
        .select('pages.markdown')
        .where('notebooks.id', '=', notebook)
        .where('pages.id', '=', page)
        .$if(engine === 'postgres', locked => locked.forUpdate()),
    ),
    save: engine === 'postgres' ? inOneStatement(builder) : oneByOne(builder),
  };
}

export type SaveStatements = ReturnType<typeof saveStatements>;

/** SQLite: what costs is the commit, not the statement. */
function oneByOne(builder: Builder): (save: Save) => Query[] {
  const update = statement((text: NewText) => updatePage(builder, text));
  const touch = statement((text: NewText) => countChange(builder, text));
  const drop = statement((room: OldText) => builder.deleteFrom('snapshots').where('id', 'in', pushedOut(room)));
  const lighten = statement((room: OldText) => builder.deleteFrom('snapshots').where('id', 'in', overweight(room)));
  const insert = statement((text: NewText & OldText) => insertSnapshot(builder, text));
  return save => {
    const text = newText(save);
    const old = save.snapshot && { ...text, ...oldText(save, save.snapshot) };
    const kept = old ? [drop.with(old), lighten.with(old), insert.with(old)] : [];
    return [...kept, update.with(text), touch.with(text)];
  };
}

/** PostgreSQL: every statement is a journey to the server and back. Its parts all see the rows as they were before. */
function inOneStatement(builder: Builder): (save: Save) => Query[] {
  const withoutSnapshot = statement((text: NewText) =>
    countChange(
      builder.with('page', parts => updatePage(parts, text)),
      text,
    ),
  );
  const withSnapshot = statement((text: NewText & OldText) =>
    countChange(
      builder
        .with('page', parts => updatePage(parts, text))
        .with('dropped', parts => parts.deleteFrom('snapshots').where('id', 'in', pushedOut(text)))
        .with('lightened', parts => parts.deleteFrom('snapshots').where('id', 'in', overweight(text)))
        .with('snapshot', parts => insertSnapshot(parts, text)),
      text,
    ),
  );
  return save => {
    const text = newText(save);
    return [save.snapshot ? withSnapshot.with({ ...text, ...oldText(save, save.snapshot) }) : withoutSnapshot.with(text)];
  };
}

type Parts = Pick<Builder, 'updateTable' | 'insertInto' | 'deleteFrom'>;

function countChange(parts: Parts, { notebookId, updatedAt, grows, maxBytes }: NewText) {
  return touchNotebook(parts, { id: notebookId, now: updatedAt, grows, maxBytes }).returning('id');
}

function updatePage(parts: Parts, text: NewText) {
  return parts
    .updateTable('pages')
    .set({
      given_title: text.givenTitle,
      heading: text.heading,
      markdown: text.markdown,
      revision: text.revision,
      updated_at: text.updatedAt,
      snapshot_at: text.snapshotAt,
      by_owner: text.byOwner,
    })
    .where('id', '=', text.id);
}

function insertSnapshot(parts: Parts, text: NewText & OldText) {
  return parts.insertInto('snapshots').values({
    id: text.snapshotId,
    page_id: text.id,
    revision: text.oldRevision,
    given_title: text.oldTitle,
    heading: text.oldHeading,
    created_at: text.updatedAt,
    bytes: text.oldBytes,
    by_owner: text.oldByOwner,
    markdown: text.oldMarkdown,
  });
}

function newText({ page, snapshotAt, byOwner, grows, maxBytes }: Save): NewText {
  return { ...page, snapshotAt, byOwner, grows, maxBytes };
}

const dayMillis = 86_400_000;

function oldText({ page, byOwner }: Save, snapshot: NewSnapshot): OldText {
  return {
    id: page.id,
    notebookId: page.notebookId,
    guards: !byOwner,
    ownerTextIsKept: !snapshot.byOwner,
    dayAgo: page.updatedAt - dayMillis,
    roomBytes: snapshot.maxBytes - snapshot.bytes,
    snapshotId: snapshot.id,
    oldRevision: snapshot.revision,
    oldTitle: snapshot.givenTitle,
    oldHeading: snapshot.heading,
    oldMarkdown: snapshot.markdown,
    oldBytes: snapshot.bytes,
    oldByOwner: snapshot.byOwner,
  };
}
