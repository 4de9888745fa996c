import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../src/store/open-store.ts';
import type { JobLease, Store } from '../../src/store/store.ts';
import { make, minute, newId, noon } from './contract/subject.ts';

// In memory, as in-memory.test.ts: records of upkeep that the contract leaves to the tests of the service.
let store: Store;
beforeEach(async () => {
  store = createStore('sqlite::memory:');
  await store.migrate();
});
afterEach(() => store.close());

describe('the lease of a job', () => {
  const lease = (over: Partial<JobLease> = {}): JobLease => ({
    name: 'purge',
    due: noon,
    holder: 'one',
    until: noon + minute,
    ...over,
  });
  const other = (over: Partial<JobLease> = {}) => lease({ holder: 'other', ...over });

  it('is one holder’s until it is over, and each job has its own', async () => {
    expect(await store.takeJobLease(lease(), noon)).toBe(true);
    expect(await store.takeJobLease(other(), noon + minute - 1)).toBe(false);
    expect(await store.takeJobLease(other({ name: 'sweep' }), noon)).toBe(true);
    expect(await store.takeJobLease(other({ until: noon + 3 * minute }), noon + minute)).toBe(true);
    expect(await store.takeJobLease(lease(), noon + 3 * minute - 1)).toBe(false);
  });

  it('is made longer by its holder alone', async () => {
    await store.takeJobLease(lease(), noon);
    expect(await store.extendJobLease(lease({ until: noon + 2 * minute }))).toBe(true);
    expect(await store.extendJobLease(other({ until: noon + 9 * minute }))).toBe(false);
    expect(await store.extendJobLease(lease({ name: 'sweep' }))).toBe(false);
    expect(await store.takeJobLease(other(), noon + 2 * minute - 1)).toBe(false);
    expect(await store.takeJobLease(other(), noon + 2 * minute)).toBe(true);
    expect(await store.extendJobLease(lease({ until: noon + 9 * minute }))).toBe(false);
  });

  it('ends with the run: that one is done, and the next may begin at once', async () => {
    expect(await store.findJobDone('purge')).toBe(0);
    await store.takeJobLease(lease(), noon);
    await store.finishJobRun(other());
    await store.finishJobRun(lease({ name: 'sweep' }));
    expect(await store.findJobDone('purge')).toBe(0);
    expect(await store.takeJobLease(other(), noon)).toBe(false);
    await store.finishJobRun(lease());
    expect([await store.findJobDone('purge'), await store.findJobDone('sweep')]).toEqual([noon, 0]);
    expect(await store.takeJobLease(other(), noon)).toBe(false);
    expect(await store.takeJobLease(other({ due: noon + 1 }), noon + 1)).toBe(true);
    expect(await store.findJobDone('purge')).toBe(noon);
  });

  it('is given back by its holder, and free from the moment that it says', async () => {
    await store.takeJobLease(lease(), noon);
    await store.releaseJobLease(other(), noon);
    expect(await store.takeJobLease(other(), noon)).toBe(false);
    await store.releaseJobLease(lease(), noon + 5);
    expect(await store.extendJobLease(lease())).toBe(false);
    expect([await store.takeJobLease(other(), noon + 4), await store.takeJobLease(other(), noon + 5)]).toEqual([false, true]);
    expect(await store.findJobDone('purge')).toBe(0);
  });

  it('that a wrong clock took for more than an hour holds nobody up, and neither does a run that it did', async () => {
    const hour = 60 * minute;
    await store.takeJobLease(lease({ until: noon + hour }), noon);
    expect(await store.takeJobLease(other(), noon)).toBe(false);
    expect(await store.takeJobLease(other({ until: noon + hour + 1 }), noon - 1)).toBe(true);
    await store.finishJobRun(other({ due: noon + 1 }));
    expect(await store.takeJobLease(lease(), noon + 1)).toBe(false);
    expect(await store.takeJobLease(lease(), noon)).toBe(true);
    expect(await store.findJobDone('purge')).toBe(0);
  });
});

describe('times', () => {
  it('are kept under their names, and forgotten', async () => {
    await store.keepTime('one', 1);
    await store.keepTime('two', 2);
    await store.keepTime('one', 3);
    await store.proveWrite(noon);
    expect(Object.fromEntries(await store.findTimes())).toEqual({ one: 3, two: 2, readiness: noon });
    await store.keepTime('one', null);
    expect(Object.fromEntries(await store.findTimes())).toEqual({ two: 2, readiness: noon });
  });

  it('are this process’s own: SQLite has no other clock', async () => {
    expect(await store.databaseTime()).toBeUndefined();
  });
});

describe('a use of a limit', () => {
  const slot = { name: 'guess', key: 'someone', max: 2, windowSeconds: 60 };
  const uses = (over = {}) => store.countRateUses({ ...slot, ...over }, noon);

  it('is given back once, while its window lasts, and no other’s is', async () => {
    const others = [slot, { ...slot, key: 'another' }, { ...slot, name: 'create' }];
    for (const each of others) for (const _ of [1, 2]) await store.takeRateSlot(each, noon);
    await store.giveBackRateSlot(slot, noon + minute);
    expect(await uses()).toBe(2);
    await store.giveBackRateSlot(slot, noon + minute - 1);
    expect([await uses(), await uses({ key: 'another' }), await uses({ name: 'create' })]).toEqual([1, 2, 2]);
    expect((await store.takeRateSlot(slot, noon)).allowed).toBe(true);
    expect((await store.takeRateSlot(slot, noon)).allowed).toBe(false);
    for (const _ of [1, 2, 3]) await store.giveBackRateSlot(slot, noon);
    expect(await uses()).toBe(0);
    expect(await store.countRateUses(slot, noon + minute)).toBe(0);
  });
});

describe('reports', () => {
  it('come back as they were made, newest first, and say what became of the notebook', async () => {
    const [there, down, gone] = [await make(store), await make(store), await make(store)];
    const reports = [there, down, gone].map(({ notebook }, at) => ({
      id: newId(),
      notebookId: notebook.id,
      slug: notebook.slug,
      reason: 'spam' as const,
      detail: `number ${at}`,
      createdAt: noon + at,
    }));
    for (const report of reports) await store.addReport(report);
    await store.takeDown(down.notebook.slug, noon);
    await store.deleteNotebook(gone.owner, noon);
    // The reporter's words go with the notebook.
    const seen = [{ state: 'there' }, { state: 'taken-down' }, { state: 'gone', detail: '' }];
    expect(await store.listReports()).toStrictEqual(reports.map((report, at) => ({ ...report, ...seen[at] })).reverse());
  });
});
