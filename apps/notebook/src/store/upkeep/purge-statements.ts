import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

interface Due {
  readonly expiredBefore: number;
  readonly openedBefore: number;
}

interface Portion {
  readonly limit: number;
  /** The time at which the portion before this one ended. */
  readonly from: number;
}

const firstOfAll: Portion = { limit: 1, from: 0 };

export function purgeStatements(builder: Kysely<Tables>, dialect: Dialect) {
  const isExpired = ({ expiredBefore }: Due) => sql<boolean>`expires_at < ${expiredBefore}`;
  const isBurned = ({ openedBefore }: Due) => sql<boolean>`(burn_after_read = ${true} AND opened_at < ${openedBefore})`;
  /** Excludes notebooks that were closed for the purge because they burned. */
  const isByTime = (due: Due) => sql<boolean>`(expires_at IS NOT NULL AND ${isExpired(due)} AND opened_at IS DISTINCT FROM 0)`;
  const isDue = (due: Due) => sql<boolean>`(${isExpired(due)} OR ${isBurned(due)})`;
  const counted = sql<number>`count(*)`.as('count');
  /**
   * Uses the order of an index, so that a portion costs the same in a large database. Rows that an owner is writing to, or that another
   * purge is deleting, are left to them.
   */
  const look = (order: 'expires_at' | 'opened_at', { limit, from }: Portion) =>
    builder
      .selectFrom('notebooks')
      .select(['id', sql<number>`${sql.ref(order)}`.as('place')])
      .where(order, '>=', from)
      .orderBy(order)
      .limit(sql<number>`${limit}`);
  const choose = (order: 'expires_at' | 'opened_at', portion: Portion) =>
    look(order, portion).$if(dialect.locksRows, locked => locked.forUpdate().skipLocked());
  const byIndexOnly = { compile: () => sql`SELECT set_config('enable_sort', 'off', true)`.compile(builder) };
  return {
    /**
     * For the transaction. A planner that expects few rows between two times would read all of them and sort them, in each portion again.
     * SQLite follows the index anyway.
     */
    followIndex: dialect.locksRows ? statement(() => byIndexOnly) : undefined,
    chooseExpired: statement((due: Due & Portion) => choose('expires_at', due).where(isExpired(due))),
    chooseBurned: statement((due: Due & Portion) => choose('opened_at', due).where(isBurned(due))),
    /** Sees those too that are locked. */
    findExpired: statement((due: Due) => look('expires_at', firstOfAll).where(isExpired(due))),
    findBurned: statement((due: Due) => look('opened_at', firstOfAll).where(isBurned(due))),
    /** Checks again: the owner may have postponed the expiry since the row was chosen. */
    delete: statement((due: Due & { id: string }) =>
      builder
        .deleteFrom('notebooks')
        .where('id', '=', due.id)
        .where(isDue(due))
        .returning(['slug', isByTime(due).as('byTime')]),
    ),
    /**
     * Closes a notebook that is deleted in portions: nobody can see it, whatever the clock says next, and no edit link opens it, because a
     * real hash is hexadecimal. `expires_at` 0 puts it first among those that are due; `opened_at` 0 marks one that burned, so that it
     * still counts as burned.
     */
    closeForPurge: statement((due: Due & { id: string }) =>
      builder
        .updateTable('notebooks')
        .set({
          visibility: 'private',
          edit_token_hash: sql<string>`'purged ' || CAST(${due.id} AS text)`,
          reader_hash: null,
          open_editing: false,
          comments: false,
          opened_at: sql<number | null>`CASE WHEN ${isExpired(due)} THEN opened_at ELSE 0 END`,
          expires_at: 0,
        })
        .where('id', '=', due.id)
        .where(isDue(due))
        .returning('id'),
    ),
    countSome: statement(({ most }: { most: number }) =>
      builder.selectFrom(builder.selectFrom('notebooks').select('id').limit(sql<number>`${most}`).as('some')).select(counted),
    ),
    countExpired: statement((due: Due) => builder.selectFrom('notebooks').select(counted).where(isByTime(due))),
    countBurned: statement((due: Due) =>
      builder
        .selectFrom('notebooks')
        .select(counted)
        .where(isBurned(due))
        .where(sql<boolean>`NOT ${isByTime(due)}`),
    ),
    ...expiredRecordStatements(builder, dialect),
  };
}

/** Deletes in portions and in the order of an index, so that neither a transaction nor its result grows without limit. */
function expiredRecordStatements(builder: Kysely<Tables>, dialect: Dialect) {
  const counted = sql<number>`count(*)`.as('count');
  return {
    countWindows: statement(({ now }: { now: number }) =>
      builder.selectFrom('rate_slots').select(counted).where('ends_at', '<=', now),
    ),
    countSlugs: statement(({ now }: { now: number }) =>
      builder.selectFrom('freed_slugs').select(counted).where('free_at', '<=', now),
    ),
    countReports: statement(({ before }: { before: number }) =>
      builder.selectFrom('reports').select(counted).where('created_at', '<', before),
    ),
    /**
     * Saves lock several slots in an order of their own: a statement that waits for none of them cannot deadlock. The portion is chosen once,
     * because PostgreSQL may look at a subquery again for each row, and what this statement has locked and deleted is passed over then.
     */
    deleteWindows: statement(({ now, limit, from }: Portion & { now: number }) =>
      builder
        .with(
          chosen => chosen('chosen').materialized(),
          some =>
            some
              .selectFrom('rate_slots as over')
              .select(['over.name', 'over.key'])
              .where('over.ends_at', '>=', from)
              .where('over.ends_at', '<=', now)
              .orderBy('over.ends_at')
              .limit(sql<number>`${limit}`)
              .$if(dialect.locksRows, locked => locked.forUpdate().skipLocked()),
        )
        .deleteFrom('rate_slots')
        .where(sql<boolean>`(name, key) IN (SELECT name, key FROM chosen)`)
        // Checked again: the window may have been restarted meanwhile.
        .where('ends_at', '<=', now)
        .returning('ends_at as place'),
    ),
    /** For slugs that were freed while the clock was ahead. */
    shortenSlugs: statement(({ most }: { most: number }) =>
      builder.updateTable('freed_slugs').set({ free_at: most }).where('free_at', '>', most),
    ),
    deleteSlugs: statement(({ now, limit, from }: Portion & { now: number }) =>
      builder
        .deleteFrom('freed_slugs')
        .where('slug_hash', 'in', some =>
          some
            .selectFrom('freed_slugs as over')
            .select('over.slug_hash')
            .where('over.free_at', '>=', from)
            .where('over.free_at', '<=', now)
            .orderBy('over.free_at')
            .limit(sql<number>`${limit}`),
        )
        .where('free_at', '<=', now)
        .returning('free_at as place'),
    ),
    deleteReports: statement(({ before, limit, from }: Portion & { before: number }) =>
      builder
        .deleteFrom('reports')
        .where('id', 'in', some =>
          some
            .selectFrom('reports as old')
            .select('old.id')
            .where('old.created_at', '>=', from)
            .where('old.created_at', '<', before)
            .orderBy('old.created_at')
            .limit(sql<number>`${limit}`),
        )
        .returning('created_at as place'),
    ),
  };
}

export type PurgeStatements = ReturnType<typeof purgeStatements>;
