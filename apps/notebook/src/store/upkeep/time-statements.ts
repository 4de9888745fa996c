import { type Kysely, sql } from 'kysely';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** Times that must be known after a restart. */
export function timeStatements(builder: Kysely<Tables>) {
  return {
    list: statement((_: object) => builder.selectFrom('kept_times').select(['name', 'at'])),
    keep: statement((kept: { name: string; at: number }) =>
      builder
        .insertInto('kept_times')
        .values({ name: kept.name, at: kept.at })
        .onConflict(conflict => conflict.column('name').doUpdateSet({ at: sql`excluded.at` })),
    ),
    delete: statement(({ name }: { name: string }) => builder.deleteFrom('kept_times').where('name', '=', name)),
    /** PostgreSQL only; the time of the statement, not of its transaction. */
    ofDatabase: statement((_: object) =>
      builder.selectNoFrom(sql<number>`CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)`.as('at')),
    ),
  };
}

export type TimeStatements = ReturnType<typeof timeStatements>;
