import type { Report } from '../../model/report.ts';
import { type Engine, first } from '../engine.ts';
import type { HeavyWrites } from '../heavy-writes.ts';
import { takeDown } from '../notebooks/write-take-down.ts';
import type { Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';
import type { PurgeDue, UpkeepRecords } from '../upkeep.ts';

export function upkeep(engine: Engine, statements: Statements, heavy: HeavyWrites): UpkeepRecords {
  const { jobs, reports, times, purge, textEndings } = statements;
  return {
    takeJobLease: async (lease, now) => (await engine.run(jobs.take, { ...lease, now })).length > 0,
    extendJobLease: async lease => (await engine.run(jobs.extend, lease)).length > 0,
    async finishJobRun(lease) {
      await engine.run(jobs.finish, lease);
    },
    async releaseJobLease(lease, notBefore) {
      await engine.run(jobs.release, { ...lease, notBefore });
    },
    findJobDone: async name => (await engine.read(jobs.done, { name }))[0]?.doneDue ?? 0,
    async proveWrite(now) {
      await engine.requireDiskSpace();
      await engine.run(times.keep, { name: 'readiness', at: now });
    },
    findTimes: async () => new Map((await engine.read(times.list, {})).map(({ name, at }) => [name, at])),
    async keepTime(name, at) {
      if (at === null) await engine.run(times.delete, { name });
      else await engine.run(times.keep, { name, at });
    },
    databaseTime: async () =>
      engine.dialect.hasClock ? (await engine.read(times.ofDatabase, {})).map(({ at }) => Number(at))[0] : undefined,
    countNotebooks: async most => (await engine.read(purge.countSome, { most }))[0]?.count ?? 0,
    noteTextEnding: ending =>
      engine.write(function* () {
        yield textEndings.deleteOthers.with(ending);
        yield textEndings.note.with(ending);
      }),
    listUnsafeTexts: () => engine.read(textEndings.unsafe, {}),
    countPurgeable: (due, now) => countPurgeable(engine, statements, due, now),
    hasDueNotebook: async due =>
      (await engine.read(purge.findExpired, due)).length + (await engine.read(purge.findBurned, due)).length > 0,
    purgeNotebooks: heavy.purgeNotebooks,
    deleteExpired: heavy.deleteExpired,
    deleteOldRateSlots: heavy.deleteOldRateSlots,
    addReport: report => engine.write(() => addReport(statements, report)),
    listReports: () => engine.read(reports.list, {}),
    takeDown: (slug, at) => engine.write(() => takeDown(statements, slug, at)),
  };
}

/** Under the notebook's lock: a deletion empties the words of its reports, and none may come after it. */
function* addReport({ notebooks, reports }: Statements, report: Report): Steps<'added' | 'gone'> {
  if (!(yield* first(notebooks.lock, { id: report.notebookId }))) return 'gone';
  yield reports.insert.with(report);
  return 'added';
}

async function countPurgeable(engine: Engine, { purge }: Statements, due: PurgeDue, now: number) {
  const before = due.reportedBefore;
  const countOf = (rows: readonly { count: number }[]) => rows[0]?.count ?? 0;
  return {
    expired: countOf(await engine.read(purge.countExpired, due)),
    burned: countOf(await engine.read(purge.countBurned, due)),
    rateWindows: countOf(await engine.read(purge.countWindows, { now })),
    freedSlugs: countOf(await engine.read(purge.countSlugs, { now })),
    reports: countOf(await engine.read(purge.countReports, { before })),
  };
}
