import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Image } from '../../model/image.ts';
import type { Dialect } from '../dialect.ts';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

const columns = [
  'id',
  'notebook_id as notebookId',
  'object_key as key',
  'type',
  'bytes',
  'width',
  'height',
  'created_at as createdAt',
] as const;

export function imageStatements(builder: Kysely<Tables>, dialect: Dialect) {
  return {
    list: statement(({ notebook }: { notebook: string }) =>
      builder.selectFrom('images').select(columns).where('notebook_id', '=', notebook).orderBy('number', 'desc'),
    ),
    find: statement(({ notebook, id }: { notebook: string; id: string }) =>
      builder
        .selectFrom('images')
        .innerJoin('notebooks', 'notebooks.id', 'images.notebook_id')
        .select(columns.map(column => `images.${column}` as const))
        .select(['notebooks.expires_at as expiresAt', 'notebooks.taken_down_at as takenDownAt'])
        .where('images.id', '=', id)
        .where('images.notebook_id', '=', notebook),
    ),
    insert: statement((image: Image) =>
      builder.insertInto('images').values({
        id: image.id,
        notebook_id: image.notebookId,
        object_key: image.key,
        type: image.type,
        bytes: image.bytes,
        width: image.width,
        height: image.height,
        created_at: image.createdAt,
      }),
    ),
    delete: statement(({ notebook, image }: { notebook: string; image: string }) =>
      builder.deleteFrom('images').where('id', '=', image).where('notebook_id', '=', notebook).returning('object_key as key'),
    ),
    /** Keys of images, and the ids of uploads under way, whose keys are not known yet. */
    objectsOf: statement(({ notebook }: { notebook: string }) =>
      builder
        .selectFrom('images')
        .select(['object_key as key', sql<string | null>`NULL`.as('underWay')])
        .where('notebook_id', '=', notebook)
        .unionAll(
          builder
            .selectFrom('upload_slots')
            .select([sql<string>`NULL`.as('key'), 'image_id as underWay'])
            .where('notebook_id', '=', notebook),
        ),
    ),
    living: statement(({ ids }: { ids: string }) =>
      builder
        .selectFrom('notebooks')
        .select('id')
        .where(sql<boolean>`id IN ${dialect.listOf(ids)}`),
    ),
    anyNotebook: statement((_: object) => builder.selectFrom('notebooks').select('id').limit(1)),
    ...slots(builder, dialect),
  };
}

export type ImageStatements = ReturnType<typeof imageStatements>;

interface SlotArgs {
  readonly image: string;
  readonly notebook: string;
  readonly overAt: number;
  readonly now: number;
  readonly max: number;
}

/** Longer than any slot lasts: one that ends later was taken while a clock was wrong, and counts as expired. */
const longestSlotMs = 3_600_000;

function longestSlotOf(now: number) {
  return sql<number>`CAST(${now} AS bigint) + ${sql.lit(longestSlotMs)}`;
}

function slots(builder: Kysely<Tables>, dialect: Dialect) {
  return {
    /** Returns no row when the notebook is full. Race-free under the notebook's lock, which every writer of these tables takes. */
    takeSlot: statement(({ image, notebook, overAt, now, max }: SlotArgs) => {
      const images = sql`(SELECT count(*) FROM images WHERE notebook_id = ${notebook})`;
      const taken = sql`(SELECT count(*) FROM upload_slots WHERE notebook_id = ${notebook} AND over_at > ${now}
        AND over_at <= ${longestSlotOf(now)})`;
      const row = builder
        .selectNoFrom([
          sql<string>`CAST(${image} AS text)`.as('image_id'),
          sql<string>`CAST(${notebook} AS text)`.as('notebook_id'),
          sql<number>`CAST(${overAt} AS bigint)`.as('over_at'),
        ])
        .where(sql<boolean>`${images} + ${taken} < ${max}`);
      return builder
        .insertInto('upload_slots')
        .columns(['image_id', 'notebook_id', 'over_at'])
        .expression(row)
        .returning('image_id');
    }),
    freeSlot: statement(({ image }: { image: string }) => builder.deleteFrom('upload_slots').where('image_id', '=', image)),
    /** Returns no row when the slot expired or was given back. */
    fillSlot: statement(({ image, notebook, now }: { image: string; notebook: string; now: number }) =>
      builder
        .deleteFrom('upload_slots')
        .where('image_id', '=', image)
        .where('notebook_id', '=', notebook)
        .where('over_at', '>', now)
        .returning('image_id'),
    ),
    dropOverSlots: statement(({ now, limit }: { now: number; limit: number }) =>
      dropSlots(builder, dialect, sql<boolean>`over.over_at <= ${now}`, limit),
    ),
    /** Separate from `dropOverSlots`, so that each can use an index. */
    dropImpossibleSlots: statement(({ now, limit }: { now: number; limit: number }) =>
      dropSlots(builder, dialect, sql<boolean>`over.over_at > ${longestSlotOf(now)}`, limit),
    ),
  };
}

function dropSlots(builder: Kysely<Tables>, dialect: Dialect, isOver: RawBuilder<boolean>, limit: number) {
  return (
    builder
      // Once: see `deleteWindows` in ../upkeep/purge-statements.ts.
      .with(
        chosen => chosen('chosen').materialized(),
        some =>
          some
            .selectFrom('upload_slots as over')
            .select('over.image_id')
            .where(isOver)
            .orderBy('over.over_at')
            .limit(sql<number>`${limit}`)
            // The deletion of a notebook handles that notebook's slots itself.
            .$if(dialect.locksRows, locked => locked.forUpdate().skipLocked()),
      )
      .deleteFrom('upload_slots')
      .where('image_id', 'in', some => some.selectFrom('chosen').select('chosen.image_id'))
      .returning(['image_id as image', 'notebook_id as notebook'])
  );
}
