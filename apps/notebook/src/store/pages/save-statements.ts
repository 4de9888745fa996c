import { type Kysely, sql } from 'kysely';
import type { Notebook, Page } from '../../model/notebook.ts';
import { keptSnapshots } from '../../model/snapshot.ts';
import type { Dialect } from '../dialect.ts';
import { all, counted } from '../engine.ts';
import { notebookColumns, touchNotebook } from '../notebooks/notebook-statements.ts';
import { type Steps, statement } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { evictedByCount, evictedBySize, type SnapshotRoom } from './snapshot-room.ts';

/** A notebook and one of its pages in one row. */
export type LockedPage = Notebook & Pick<Page, 'position' | 'givenTitle' | 'heading' | 'revision' | 'markdown'> & PageExtras;

interface PageExtras {
  readonly pageId: string;
  readonly pageUpdatedAt: number;
  readonly snapshotAt: number | null;
  readonly textByOwner: boolean;
}

/** A new text, and what happens to the text that it replaces. */
export interface Save {
  readonly page: Page;
  readonly byOwner: boolean;
  /** When the page's newest snapshot was made. */
  readonly snapshotAt: number | null;
  /** The growth in bytes over the replaced text. */
  readonly grows: number;
  /** The limit for all pages of the notebook together. */
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
  /** The limit for all snapshots of the notebook together. */
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

/** A snapshot to remove, named by the revision that it keeps. */
interface Leaving {
  readonly id: string;
  readonly leaving: number;
}

/** The statements of a save. Saves are the most common write, so they are few. PostgreSQL needs them only to restore (postgres-save.ts). */
export function saveStatements(builder: Builder, dialect: Dialect) {
  return {
    /** Locks both rows, so both are read as they are when the lock is granted, not as they were when it was requested. */
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
        .$if(dialect.locksRows, locked => locked.forUpdate()),
    ),
    save: oneByOne(builder),
  };
}

export type SaveStatements = ReturnType<typeof saveStatements>;

function oneByOne(builder: Builder): (save: Save) => Steps<void> {
  const update = statement((text: NewText) => updatePage(builder, text));
  const touch = statement((text: NewText) => countChange(builder, text));
  const weigh = statement(({ id, notebookId }: OldText) =>
    builder
      .selectFrom('snapshots')
      .innerJoin('pages', 'pages.id', 'snapshots.page_id')
      .select(sql<number>`coalesce(sum(snapshots.bytes), 0)`.as('bytes'))
      .select(sql<number>`count(*) FILTER (WHERE snapshots.page_id = ${id})`.as('count'))
      .select(sql<number | null>`min(snapshots.revision) FILTER (WHERE snapshots.page_id = ${id})`.as('oldest'))
      .where('pages.notebook_id', '=', notebookId),
  );
  const over = statement((room: OldText) =>
    builder.selectFrom('snapshots').select(['revision', 'bytes']).where('id', 'in', evictedByCount(room)),
  );
  const drop = statement(({ id, leaving }: Leaving) =>
    builder.deleteFrom('snapshots').where('page_id', '=', id).where('revision', '=', leaving),
  );
  const lighten = statement((room: OldText) => builder.deleteFrom('snapshots').where('id', 'in', evictedBySize(room)));
  const insert = statement((text: NewText & OldText) => builder.insertInto('snapshots').values(snapshotRow(text)));
  const reuse = statement((text: NewText & OldText & Leaving) =>
    builder.updateTable('snapshots').set(snapshotRow(text)).where('page_id', '=', text.id).where('revision', '=', text.leaving),
  );

  function* keep(text: NewText & OldText): Steps<void> {
    const [held] = yield* all(weigh, text);
    if (!held) throw new Error('The snapshots of a notebook were not counted.');
    const { oldest, bytes } = held;
    // The common case: an owner's save replaces the oldest snapshot, and the other snapshots need not be read.
    if (oldest !== null && held.count === keptSnapshots && !text.guards && bytes <= text.roomBytes)
      return yield* writeOver(text, oldest);
    const pushed = held.count < keptSnapshots ? [] : yield* all(over, text);
    const weight = pushed.reduce((rest, leaving) => rest - leaving.bytes, bytes);
    if (pushed[0] && pushed.length === 1 && weight <= text.roomBytes) return yield* writeOver(text, pushed[0].revision);
    for (const { revision } of pushed) yield drop.with({ id: text.id, leaving: revision });
    // This statement's cost grows with the notebook, so it runs only when the limit is exceeded.
    if (weight > text.roomBytes) yield lighten.with(text);
    yield insert.with(text);
  }

  /** Overwrites the row in place: half as many pages of the file change as with a delete and an insert. */
  function* writeOver(text: NewText & OldText, leaving: number): Steps<void> {
    yield reuse.with({ ...text, leaving });
  }

  return function* (save) {
    const text = newText(save);
    if (save.snapshot) yield* keep({ ...text, ...oldText(save, save.snapshot) });
    yield* counted([update.with(text), touch.with(text)]);
  };
}

type Parts = Pick<Builder, 'updateTable'>;

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

function snapshotRow(text: NewText & OldText) {
  return {
    id: text.snapshotId,
    page_id: text.id,
    revision: text.oldRevision,
    given_title: text.oldTitle,
    heading: text.oldHeading,
    created_at: text.updatedAt,
    bytes: text.oldBytes,
    by_owner: text.oldByOwner,
    markdown: text.oldMarkdown,
  };
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
