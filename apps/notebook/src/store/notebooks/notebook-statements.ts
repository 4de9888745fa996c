import { type Kysely, sql } from 'kysely';
import { limits } from '../../limits.ts';
import { believedTime } from '../../model/kept-times.ts';
import type { Notebook } from '../../model/notebook.ts';
import type { Dialect } from '../dialect.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** Qualified, because a save reads a page beside its notebook. */
export const notebookColumns = [
  'notebooks.id',
  'notebooks.slug',
  'notebooks.title',
  'notebooks.visibility',
  'notebooks.expires_at as expiresAt',
  'notebooks.password_hash as passwordHash',
  'notebooks.read_only as readOnly',
  'notebooks.burn_after_read as burnAfterRead',
  'notebooks.opened_at as openedAt',
  'notebooks.reader_hash as readerHash',
  'notebooks.open_editing as openEditing',
  'notebooks.embedding',
  'notebooks.comments',
  'notebooks.paper',
  'notebooks.edit_token_hash as editTokenHash',
  'notebooks.taken_down_at as takenDownAt',
  'notebooks.created_at as createdAt',
  'notebooks.updated_at as updatedAt',
  'notebooks.version',
  'notebooks.markdown_bytes as markdownBytes',
] as const;

/** PostgreSQL only: SQLite has no arrays. */
export const isOneOf = (slugs: readonly string[]) => sql<boolean>`notebooks.slug = ANY(${slugs})`;

const believed = sql<number>`(SELECT at FROM kept_times WHERE name = ${believedTime})`;
const freedMs = limits.freedSlugDays * 86_400_000;

/** By the believed time, too: while a clock is ahead, nobody gets the address of another's notebook. */
const isHeld = (now: number) => sql<boolean>`(free_at > ${now} OR free_at > ${believed})`;

const notBefore = (freeAt: number) =>
  sql<number>`CASE WHEN ${believed} + ${freedMs} > ${freeAt} THEN ${believed} + ${freedMs} ELSE ${freeAt} END`;

export function notebookStatements(builder: Kysely<Tables>, dialect: Dialect) {
  const select = builder.selectFrom('notebooks').select(notebookColumns);
  return {
    bySlug: statement(({ slug }: { slug: string }) => select.where('slug', '=', slug)),
    bySlugs: statement(({ slugs }: { slugs: readonly string[] }) => select.where(isOneOf(slugs))),
    /** Another notebook that has this edit token, or began with it and has another one since. */
    otherOfToken: statement(({ id, hash }: { id: string; hash: string }) =>
      builder
        .selectFrom('notebooks')
        .select('id')
        .where(({ eb, or }) => or([eb('edit_token_hash', '=', hash), eb('first_token_hash', '=', hash)]))
        .where('id', '<>', id),
    ),
    byTokenHash: statement(({ hash }: { hash: string }) => select.where('edit_token_hash', '=', hash)),
    /** Every other writer to this notebook waits until the transaction ends. SQLite has only one writer anyway. */
    lock: statement(({ id }: { id: string }) => select.where('id', '=', id).$if(dialect.locksRows, locked => locked.forUpdate())),
    insert: statement((notebook: Notebook) =>
      builder
        .insertInto('notebooks')
        .values(notebookRow(notebook))
        // A conflict on the slug or the edit token: the same request may arrive twice at once.
        .onConflict(conflict => conflict.doNothing())
        .returning('id'),
    ),
    /** Counts a change of the text. Returns no row when the notebook would exceed its limit. */
    touch: statement((change: TextGrowth) => touchNotebook(builder, change).returning('id')),
    /** Invalidates everything drawn from the notebook. */
    outdate: statement(({ id }: { id: string }) =>
      builder.updateTable('notebooks').set({ version: sql`version + 1` }).where('id', '=', id),
    ),
    rotateToken: statement((given: { id: string; hash: string; newHash: string; now: number }) =>
      builder
        .updateTable('notebooks')
        .set({
          edit_token_hash: given.newHash,
          first_token_hash: sql`COALESCE(first_token_hash, edit_token_hash)`,
          version: sql`version + 1`,
          updated_at: given.now,
        })
        .where('id', '=', given.id)
        .where('edit_token_hash', '=', given.hash)
        .where('taken_down_at', 'is', null)
        .returning('id'),
    ),
    /** One statement, so that of concurrent requests exactly one finds the notebook unopened. */
    claimOpening: statement((given: { id: string; readerHash: string; passwordHash: string | null; now: number }) =>
      builder
        .updateTable('notebooks')
        .set({ opened_at: given.now, reader_hash: given.readerHash, version: sql`version + 1` })
        .where('id', '=', given.id)
        .where('opened_at', 'is', null)
        .where('burn_after_read', '=', true)
        .where('visibility', '<>', 'private')
        .where(sql<boolean>`(expires_at IS NULL OR expires_at > ${given.now})`)
        .where('taken_down_at', 'is', null)
        .where(sql<boolean>`password_hash IS NOT DISTINCT FROM ${given.passwordHash}`)
        .returning('id'),
    ),
    delete: statement(({ id }: { id: string }) => builder.deleteFrom('notebooks').where('id', '=', id).returning('id')),
    isTaken: statement(({ slug, slugHash, now }: { slug: string; slugHash: string; now: number }) =>
      builder
        .selectFrom('notebooks')
        .select(sql<number>`1`.as('taken'))
        .where('slug', '=', slug)
        .unionAll(
          builder
            .selectFrom('freed_slugs')
            .select(sql<number>`1`.as('taken'))
            .where('slug_hash', '=', slugHash)
            .where(isHeld(now)),
        ),
    ),
    findFreed: statement(({ slugHash, now }: { slugHash: string; now: number }) =>
      builder.selectFrom('freed_slugs').select(isHeld(now).as('held')).where('slug_hash', '=', slugHash),
    ),
    /** From a clock that is behind the believed time, which would free the slug too early, the believed time counts. */
    freeSlug: statement(({ slugHash, freeAt }: { slugHash: string; freeAt: number }) =>
      builder
        .insertInto('freed_slugs')
        .values({ slug_hash: slugHash, free_at: notBefore(freeAt) })
        .onConflict(conflict => conflict.column('slug_hash').doUpdateSet({ free_at: sql`excluded.free_at` })),
    ),
    deleteFreedSlug: statement(({ slugHash }: { slugHash: string }) =>
      builder.deleteFrom('freed_slugs').where('slug_hash', '=', slugHash),
    ),
  };
}

/** A change in the size of a notebook's pages. */
export interface TextGrowth {
  readonly id: string;
  readonly now: number;
  /** The growth in bytes; negative when the notebook shrinks. */
  readonly grows: number;
  readonly maxBytes: number;
}

/** Checks and counts in one statement. A change that makes a notebook smaller is always accepted, even while it exceeds the limit. */
export function touchNotebook(parts: Pick<Kysely<Tables>, 'updateTable'>, { id, now, grows, maxBytes }: TextGrowth) {
  const more = sql`CAST(${grows} AS bigint)`;
  return parts
    .updateTable('notebooks')
    .set({ version: sql`version + 1`, updated_at: now, markdown_bytes: sql`markdown_bytes + ${more}` })
    .where('id', '=', id)
    .where(sql<boolean>`(${more} <= 0 OR markdown_bytes + ${more} <= ${maxBytes})`);
}

export type NotebookStatements = ReturnType<typeof notebookStatements>;

/** The columns that a change of settings updates. */
export function settingsRow(notebook: Notebook) {
  return {
    title: notebook.title,
    visibility: notebook.visibility,
    expires_at: notebook.expiresAt,
    password_hash: notebook.passwordHash,
    read_only: notebook.readOnly,
    burn_after_read: notebook.burnAfterRead,
    opened_at: notebook.openedAt,
    reader_hash: notebook.readerHash,
    open_editing: notebook.openEditing,
    embedding: notebook.embedding,
    comments: notebook.comments,
    paper: notebook.paper,
    updated_at: notebook.updatedAt,
    version: notebook.version,
  };
}

function notebookRow(notebook: Notebook) {
  return {
    ...settingsRow(notebook),
    id: notebook.id,
    slug: notebook.slug,
    edit_token_hash: notebook.editTokenHash,
    taken_down_at: notebook.takenDownAt,
    created_at: notebook.createdAt,
    markdown_bytes: notebook.markdownBytes,
  };
}

/** SQLite returns booleans as 0 and 1. */
export function toNotebook(row: Notebook): Notebook {
  return {
    id: row.id,
    slug: row.slug,
    title: row.title,
    visibility: row.visibility,
    expiresAt: row.expiresAt,
    passwordHash: row.passwordHash,
    readOnly: Boolean(row.readOnly),
    burnAfterRead: Boolean(row.burnAfterRead),
    openedAt: row.openedAt,
    readerHash: row.readerHash,
    openEditing: Boolean(row.openEditing),
    embedding: Boolean(row.embedding),
    comments: Boolean(row.comments),
    paper: row.paper,
    editTokenHash: row.editTokenHash,
    takenDownAt: row.takenDownAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    version: row.version,
    markdownBytes: row.markdownBytes,
  };
}

/** The values of `notebookColumns`, in their order: an object made of them by name would cost a view more than reading them does. */
export function toNotebookInOrder(values: readonly unknown[]): Notebook {
  return {
    id: values[0] as string,
    slug: values[1] as string,
    title: values[2] as string,
    visibility: values[3] as Notebook['visibility'],
    expiresAt: values[4] as number | null,
    passwordHash: values[5] as string | null,
    readOnly: Boolean(values[6]),
    burnAfterRead: Boolean(values[7]),
    openedAt: values[8] as number | null,
    readerHash: values[9] as string | null,
    openEditing: Boolean(values[10]),
    embedding: Boolean(values[11]),
    comments: Boolean(values[12]),
    paper: values[13] as Notebook['paper'],
    editTokenHash: values[14] as string,
    takenDownAt: values[15] as number | null,
    createdAt: values[16] as number,
    updatedAt: values[17] as number,
    version: values[18] as number,
    markdownBytes: values[19] as number,
  };
}
