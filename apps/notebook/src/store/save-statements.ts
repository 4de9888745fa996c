import { type Kysely, sql } from 'kysely';
import type { Notebook, Page } from '../model/notebook.ts';
import { keptSnapshots } from '../model/snapshot.ts';
import { notebookColumns } from './notebook-statements.ts';
import { type Query, statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** A notebook and one of its pages, side by side in one row. */
export type LockedPage = Notebook & Pick<Page, 'position' | 'givenTitle' | 'heading' | 'revision' | 'markdown'> & PageExtras;

interface PageExtras {
  readonly pageId: string;
  readonly pageUpdatedAt: number;
  readonly snapshotAt: number | null;
}

/** A new text, and what becomes of the one that it replaces. */
export interface Save {
  readonly page: Page;
  /** When the page's newest snapshot was made. */
  readonly snapshotAt: number | null;
  /** Absent: the replaced text is not kept. */
  readonly snapshot: NewSnapshot | undefined;
}

export interface NewSnapshot {
  readonly id: string;
  readonly revision: number;
  readonly givenTitle: string;
  readonly heading: string;
  readonly bytes: number;
  readonly markdown: string;
}

type Builder = Kysely<Tables>;
type NewText = Page & { readonly snapshotAt: number | null };
interface OldText {
  readonly snapshotId: string;
  readonly oldRevision: number;
  readonly oldTitle: string;
  readonly oldHeading: string;
  readonly oldMarkdown: string;
  readonly oldBytes: number;
}

/** The statements of a save: what everybody does all the time, so they are few. */
export function saveStatements(builder: Builder, engine: 'sqlite' | 'postgres') {
  return {
    /** Both rows are locked, and so both are read as they stand once the lock is there, not as they were when it was asked for. */
    lockPage: statement(({ notebook, page }: { notebook: string; page: string }) =>
      builder
        .selectFrom('notebooks')
        .innerJoin('pages', 'pages.notebook_id', 'notebooks.id')
        .select(notebookColumns)
        .select(['pages.id as pageId', 'pages.position', 'pages.given_title as givenTitle', 'pages.heading', 'pages.revision'])
        .select(['pages.updated_at as pageUpdatedAt', 'pages.snapshot_at as snapshotAt', 'pages.markdown'])
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
  const touch = statement((text: NewText) => touchNotebook(builder, text));
  const insert = statement((text: NewText & OldText) => insertSnapshot(builder, text));
  const drop = statement((text: NewText) => dropOlder(builder, text, keptSnapshots));
  return ({ page, snapshotAt, snapshot }) => {
    const text = { ...page, snapshotAt };
    const kept = snapshot ? [insert.with({ ...text, ...oldText(snapshot) }), drop.with(text)] : [];
    return [...kept, update.with(text), touch.with(text)];
  };
}

/** PostgreSQL: every statement is a journey to the server and back. Its parts all see the rows as they were before. */
function inOneStatement(builder: Builder): (save: Save) => Query[] {
  const withoutSnapshot = statement((text: NewText) =>
    touchNotebook(
      builder.with('page', parts => updatePage(parts, text)),
      text,
    ),
  );
  const withSnapshot = statement((text: NewText & OldText) =>
    touchNotebook(
      builder
        .with('page', parts => updatePage(parts, text))
        .with('snapshot', parts => insertSnapshot(parts, text))
        .with('dropped', parts => dropOlder(parts, text, keptSnapshots - 1)),
      text,
    ),
  );
  return ({ page, snapshotAt, snapshot }) => {
    const text = { ...page, snapshotAt };
    return [snapshot ? withSnapshot.with({ ...text, ...oldText(snapshot) }) : withoutSnapshot.with(text)];
  };
}

type Parts = Pick<Builder, 'updateTable' | 'insertInto' | 'deleteFrom'>;

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
    })
    .where('id', '=', text.id);
}

function touchNotebook(parts: Parts, text: NewText) {
  return parts
    .updateTable('notebooks')
    .set({ version: sql`version + 1`, updated_at: text.updatedAt })
    .where('id', '=', text.notebookId);
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
    markdown: text.oldMarkdown,
  });
}

/** By revision: two snapshots of one millisecond still have an order. */
function dropOlder(parts: Parts, text: NewText, kept: number) {
  return parts
    .deleteFrom('snapshots')
    .where('page_id', '=', text.id)
    .where('revision', 'not in', query =>
      query
        .selectFrom('snapshots as newer')
        .select('newer.revision')
        .where('newer.page_id', '=', text.id)
        .orderBy('newer.revision', 'desc')
        .limit(kept),
    );
}

function oldText({ id, revision, givenTitle, heading, markdown, bytes }: NewSnapshot): OldText {
  return {
    snapshotId: id,
    oldRevision: revision,
    oldTitle: givenTitle,
    oldHeading: heading,
    oldMarkdown: markdown,
    oldBytes: bytes,
  };
}
