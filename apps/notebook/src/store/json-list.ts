import { type RawBuilder, sql } from 'kysely';

/** The texts of a JSON array, as a subquery: one fixed statement for a list of any length, where an engine bounds its placeholders. */
export function listOf(engine: 'sqlite' | 'postgres', json: string): RawBuilder<string> {
  return engine === 'postgres'
    ? sql<string>`(SELECT json_array_elements_text(CAST(${json} AS json)))`
    : sql<string>`(SELECT value FROM json_each(${json}))`;
}
