import { type Kysely, sql } from 'kysely';
import { statement } from '../statement.ts';
import type { Tables } from '../tables.ts';
import type { JobLease } from '../upkeep.ts';

/** Longer than any lease and any wait after a failed run. */
const longestHoldMs = 3_600_000;

export function jobStatements(builder: Kysely<Tables>) {
  const mine = (lease: JobLease) =>
    builder.updateTable('job_runs').where('name', '=', lease.name).where('holder', '=', lease.holder);
  return {
    /** One statement: of all processes that ask for a run, exactly one gets a row back. */
    take: statement(({ name, due, holder, until, now }: JobLease & { now: number }) =>
      builder
        .insertInto('job_runs')
        .values({ name, done_due: 0, holder, held_until: until })
        .onConflict(conflict =>
          conflict
            .column('name')
            .doUpdateSet({
              holder: sql`excluded.holder`,
              held_until: sql`excluded.held_until`,
              done_due: sql`CASE WHEN job_runs.done_due > ${now} THEN 0 ELSE job_runs.done_due END`,
            })
            .where(
              // A time in the future was written by a clock that was wrong: it must not hold anybody up.
              sql<boolean>`(job_runs.done_due < ${due} OR job_runs.done_due > ${now}) AND (job_runs.held_until <= ${now} OR job_runs.held_until - ${longestHoldMs} > ${now})`,
            ),
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
