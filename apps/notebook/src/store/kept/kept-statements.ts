import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** Data kept beside the notebooks: secrets, rate slots, renderings. */
export function keptStatements(builder: Kysely<Tables>, dialect: Dialect) {
  return {
    ping: statement((_: object) => builder.selectNoFrom(sql<number>`1`.as('alive'))),
    findSecret: statement(({ name }: { name: string }) => builder.selectFrom('secrets').select('value').where('name', '=', name)),
    addSecret: statement((secret: { name: string; value: string }) =>
      builder
        .insertInto('secrets')
        .values({ name: secret.name, value: secret.value })
        .onConflict(conflict => conflict.column('name').doNothing()),
    ),
    takeSlot: takeSlot(builder),
    slotEnd: statement(({ name, key }: { name: string; key: string }) =>
      builder.selectFrom('rate_slots').select('ends_at as endsAt').where('name', '=', name).where('key', '=', key),
    ),
    countSlot: statement(({ name, key, now }: { name: string; key: string; now: number }) =>
      builder.selectFrom('rate_slots').select('used').where('name', '=', name).where('key', '=', key).where('ends_at', '>', now),
    ),
    giveBackSlot: statement(({ name, key, now }: { name: string; key: string; now: number }) =>
      builder
        .updateTable('rate_slots')
        .set({ used: sql`used - 1` })
        .where('name', '=', name)
        .where('key', '=', key)
        .where('used', '>', 0)
        .where('ends_at', '>', now),
    ),
    findOldSlot: statement(({ before, skip }: { before: number; skip: number }) =>
      builder
        .selectFrom('rate_slots')
        .select('ends_at as endsAt')
        .where('ends_at', '<=', before)
        .orderBy('ends_at')
        .limit(sql<number>`1`)
        .offset(sql<number>`${skip}`),
    ),
    findRendering: statement((key: { page: string; variant: string; revision: number; engine: string }) =>
      builder
        .selectFrom('renderings')
        .select(['json', 'packed'])
        .where('page_id', '=', key.page)
        .where('variant', '=', key.variant)
        .where('revision', '=', key.revision)
        .where('engine', '=', key.engine),
    ),
    keepRendering: keepRendering(builder, dialect),
    /** `pages`: page ids, a JSON array. */
    dropRenderings: statement(({ pages }: { pages: string }) =>
      builder.deleteFrom('renderings').where('page_id', 'in', sql<string>`${dialect.listOf(pages)}`),
    ),
  };
}

export type KeptStatements = ReturnType<typeof keptStatements>;

interface SlotArgs {
  name: string;
  key: string;
  max: number;
  now: number;
  endsAt: number;
}

/** The wait until a full slot's window ends; never longer than a window, whatever the clock was when its end was written. */
export function secondsToWait(slot: { readonly endsAt: number } | undefined, now: number, windowSeconds: number): number {
  return Math.min(windowSeconds, Math.max(1, Math.ceil(((slot?.endsAt ?? now) - now) / 1000)));
}

/**
 * Checks and counts in one statement (spec 1 §8). The slot is taken when a row comes back whose `used` is at most `max`. A window that ends
 * later than one that begins now was begun while a clock was ahead: its end is cut to that, and its count stays.
 */
function takeSlot(builder: Kysely<Tables>) {
  return statement(({ name, key, max, now, endsAt }: SlotArgs) => {
    const over = sql<boolean>`rate_slots.ends_at <= ${now}`;
    const tooLong = sql<boolean>`rate_slots.ends_at > ${endsAt}`;
    return builder
      .insertInto('rate_slots')
      .values({ name, key, used: 1, ends_at: endsAt })
      .onConflict(conflict =>
        conflict
          .columns(['name', 'key'])
          .doUpdateSet({
            used: sql`CASE WHEN ${over} THEN 1 ELSE rate_slots.used + 1 END`,
            ends_at: sql`CASE WHEN ${over} OR ${tooLong} THEN excluded.ends_at ELSE rate_slots.ends_at END`,
          })
          .where(sql<boolean>`rate_slots.used < ${max} OR ${over} OR ${tooLong}`),
      )
      .returning('used');
  });
}

interface RenderingArgs {
  page: string;
  variant: string;
  revision: number;
  engine: string;
  json: string;
  packed: Uint8Array | null;
}

function keepRendering(builder: Kysely<Tables>, dialect: Dialect) {
  return statement(({ page, variant, revision, engine, json, packed }: RenderingArgs) => {
    const row = builder
      .selectFrom('pages')
      .where('id', '=', page)
      .select(['id', textValue(variant).as('variant'), sql<number>`CAST(${revision} AS integer)`.as('revision')])
      .select([textValue(engine).as('engine'), textValue(json).as('json')])
      .select(dialect.typed<Uint8Array | null>(packed, 'bytea').as('packed'))
      // Waits for a deletion of the page and then finds no page; without the lock, the insert would violate its foreign key.
      .$if(dialect.locksRows, locked => locked.forKeyShare());
    return builder
      .insertInto('renderings')
      .columns(['page_id', 'variant', 'revision', 'engine', 'json', 'packed'])
      .expression(row)
      .onConflict(conflict =>
        conflict
          .columns(['page_id', 'variant'])
          .doUpdateSet({
            revision: sql`excluded.revision`,
            engine: sql`excluded.engine`,
            json: sql`excluded.json`,
            packed: sql`excluded.packed`,
          })
          // A slow renderer must not replace a newer rendering with an older one.
          .where(sql<boolean>`excluded.revision >= renderings.revision`),
      );
  });
}

/** Outside VALUES, PostgreSQL must be told the type of a placeholder. */
function textValue(value: string) {
  return sql<string>`CAST(${value} AS text)`;
}
