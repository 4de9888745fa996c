import { type Kysely, sql } from 'kysely';
import { statement } from './statement.ts';
import type { Tables } from './tables.ts';
import type { JobLease } from './upkeep.ts';

export function jobStatements(builder: Kysely<Tables>) {
  const mine = (lease: JobLease) =>
    builder.updateTable('job_runs').where('name', '=', lease.name).where('holder', '=', lease.holder);
  return {
    /** One statement: of all processes that come for a run, exactly one gets a row back. */
    take: statement(({ name, due, holder, until, now }: JobLease & { now: number }) =>
      builder
        .insertInto('job_runs')
        .values({ name, done_due: 0, holder, held_until: until })
        .onConflict(conflict =>
          conflict
            .column('name')
            .doUpdateSet({ holder: sql`excluded.holder`, held_until: sql`excluded.held_until` })
            .where(sql<boolean>`job_runs.done_due < ${due} AND job_runs.held_until <= ${now}`),
        )
        .returning('name'),
    ),
    extend: statement((lease: JobLease) => mine(lease).set({ held_until: lease.until }).returning('name')),
    finish: statement((lease: JobLease) => mine(lease).set({ done_due: lease.due, holder: null, held_until: 0 })),
    release: statement((lease: JobLease & { notBefore: number }) =>
      mine(lease).set({ holder: null, held_until: lease.notBefore }),
    ),
    done: statement(({ name }: { name: string }) =>
      builder.selectFrom('job_runs').select('done_due as doneDue').where('name', '=', name),
    ),
  };
}

export type JobStatements = ReturnType<typeof jobStatements>;
