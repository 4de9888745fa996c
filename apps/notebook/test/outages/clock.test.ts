import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClockWatch } from '../../src/operations/clock-watch.ts';
import { describeGuardedPurge, purgeGuarded, purgeWithoutAsking } from '../../src/operations/purge-guarded.ts';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { addMany } from '../store/contract/images.ts';
import { aChange, atOnce, countBy, day, make, minute, newId } from '../store/contract/subject.ts';
import { type Database, engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const hour = 60 * minute;
const utc = { timezone: 'UTC' };

describe.each(engines)('a clock that is wrong, on $name', engine => {
  let database: Database;
  let store: Store;
  let app: NotebookApp;
  /** The wall clock, and the time that really passes; near the real one, because PostgreSQL has a clock of its own. */
  let time: { now: number; passed: number };

  beforeEach(async () => {
    database = await engine.createDatabase();
    time = { now: Date.now(), passed: 0 };
    await start();
  });
  afterEach(async () => {
    await app.close();
    database.remove();
  });

  const watchOf = (of: Store) => createClockWatch({ store: of, now: () => time.now, passed: () => time.passed });
  const pass = (ms: number) => {
    time.now += ms;
    time.passed += ms;
  };
  async function start(): Promise<void> {
    store = createStore(database.url);
    // What PostgreSQL's machine says is the subject of one test below.
    store.databaseTime = async () => undefined;
    app = await startNotebookApp({
      engine: { ...engine, createDatabase: async () => ({ url: database.url, remove: () => {} }) },
      env: { LOG_LEVEL: 'silent', RATE_LIMITS: 'on' },
      overrides: { store, now: () => time.now, clock: watchOf(store) },
    });
  }
  async function restart(): Promise<void> {
    await app.close();
    await start();
  }
  const exists = async (slug: string) => (await store.findNotebookBySlug(slug)) !== undefined;

  it('40 days ahead for a minute: a notebook of 30 days is there afterwards, and the purge of the next day runs', async () => {
    expect(await app.jobs.check()).toContain('purge');
    const { slug } = await app.create({ expiresIn: '30d', pages: [{ markdown: '# Kept' }] });
    const due = (await make(store, { expiresAt: time.now - 3 * day + hour })).notebook.slug;
    pass(hour);
    time.now += 40 * day;
    expect(await app.jobs.check()).not.toContain('purge');
    pass(minute);
    expect(await app.jobs.check()).not.toContain('purge');
    expect(await exists(slug)).toBe(true);
    time.now -= 40 * day;
    expect((await app.ask('GET', `/n/${slug}`)).statusCode).toBe(200);
    expect(await store.findJobDone('purge')).toBeLessThanOrEqual(time.now);
    pass(day);
    expect(await app.jobs.check()).toContain('purge');
    expect([await exists(slug), await exists(due)]).toEqual([true, false]);
  });

  it('40 days ahead over a restart: nothing goes, until the clock has stood by it for a day', async () => {
    await app.jobs.check();
    const { slug } = await app.create({ expiresIn: '30d' });
    time.now += 40 * day;
    await restart();
    expect(await app.jobs.check()).not.toContain('purge');
    pass(day - hour);
    await restart();
    expect(await app.jobs.check()).not.toContain('purge');
    expect(await exists(slug)).toBe(true);
    pass(2 * hour);
    expect(await app.jobs.check()).toContain('purge');
    expect(await exists(slug)).toBe(false);
  });

  it('a service that was off for a weekend, and a machine that slept for a night, purge as always', async () => {
    await app.jobs.check();
    time.now += 3 * day;
    await restart();
    expect(await app.jobs.check()).toContain('purge');
    time.now += 12 * hour;
    pass(12 * hour);
    expect(await app.jobs.check()).toContain('purge');
  });

  it('the operator, who looked, may say that it is right', async () => {
    await app.jobs.check();
    const { slug } = await app.create({ expiresIn: '30d' });
    time.now += 40 * day;
    const parts = { store, now: () => time.now, clock: watchOf(store) };
    const refused = await purgeGuarded(parts, utc);
    expect(describeGuardedPurge(refused)).toBe(
      'Refused: the clock is 40 days ahead of when the service last ran. Nothing was deleted. Look at the clock and at what is due: octavo job purge --dry-run --force. If it is right: octavo job purge --force',
    );
    expect(await purgeGuarded(parts, { ...utc, force: true, dryRun: true })).toMatchObject({ counts: { expired: 1 } });
    expect((await purgeGuarded(parts, { ...utc, dryRun: true })).kind).toBe('refused');
    expect(await exists(slug)).toBe(true);
    expect(await purgeGuarded(parts, { ...utc, force: true })).toMatchObject({ kind: 'purged', counts: { expired: 1 } });
    expect((await purgeGuarded(parts, utc)).kind).toBe('purged');
  });

  it('a run that a clock ahead noted as done, or took and never gave back, holds nobody up', async () => {
    await app.jobs.check();
    const late = { name: 'purge', due: time.now + 40 * day, holder: 'gone', until: time.now + 40 * day };
    pass(day);
    expect(await store.takeJobLease({ ...late, due: time.now }, time.now)).toBe(true);
    expect(await store.findJobDone('purge')).toBeLessThanOrEqual(time.now);
    await restart();
    expect(await app.jobs.check()).toContain('purge');
    const lease = { ...late, due: time.now + 30 * day };
    await store.takeJobLease(lease, time.now + 30 * day);
    await store.finishJobRun(lease);
    await restart();
    pass(day);
    expect(await app.jobs.check()).toContain('purge');
    expect(await store.findJobDone('purge')).toBeLessThanOrEqual(time.now);
  });

  /** The service runs so many days. It is looked at in the first, now and then, and each day of the last week: when things are due. */
  async function live(days: number, look: (days: number) => Promise<void> = async () => {}): Promise<void> {
    let lived = 0;
    for (const until of [0, 1, 2, 30, 60, ...Array.from({ length: 8 }, (_, at) => days - 7 + at)]) {
      pass((until - lived) * day);
      lived = until;
      await app.jobs.check();
      await look(until);
    }
  }
  const isFree = async (slug: string) => (await app.ask('GET', `/api/slugs/${slug}`)).json().available;
  const take = async (slug: string) => (await app.ask('POST', '/api/notebooks', { body: { slug } })).statusCode;
  const remove = async (slug: string) => {
    const { editToken } = await app.create({ slug });
    expect((await app.ask('DELETE', `/api/notebooks/${slug}`, { token: editToken })).statusCode).toBe(200);
  };

  it('100 days ahead: nobody gets the address of a deleted notebook before its 90 days are over', async () => {
    await app.jobs.check();
    await remove('once-mine');
    for (const beginsAgain of [false, true]) {
      time.now += 100 * day;
      if (beginsAgain) await restart();
      await app.jobs.check();
      expect([await isFree('once-mine'), await take('once-mine')]).toEqual([false, 409]);
      time.now -= 100 * day;
      await app.jobs.check();
      expect([await isFree('once-mine'), await take('once-mine')]).toEqual([false, 409]);
    }
    await live(92);
    expect([await isFree('once-mine'), await take('once-mine')]).toEqual([true, 201]);
  });

  it.each([
    ['40 days back', -40 * day],
    ['30 years back', -30 * 365 * day],
    ['12 years ahead', 12 * 365 * day],
  ])('%s while a notebook is deleted: its address is free after its 90 days, not sooner and not years later', async (_, by) => {
    await app.jobs.check();
    time.now += by;
    await remove('deleted-then');
    time.now -= by;
    await app.jobs.check();
    await live(95, async days => {
      if (days < 90) expect([days, await isFree('deleted-then')]).toEqual([days, false]);
    });
    expect([await isFree('deleted-then'), await take('deleted-then')]).toEqual([true, 201]);
  });

  it('2 hours back: a client that is refused waits for a window at most, and then is not refused', async () => {
    const ask = () => app.ask('GET', '/api/slugs/some-slug-or-other');
    while ((await ask()).statusCode === 200) time.passed += 1;
    time.now -= 2 * hour;
    const refused = await ask();
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    pass(61_000);
    expect((await ask()).statusCode).toBe(200);
  });

  it('2 hours back: an auto-save keeps what it replaces', async () => {
    const { owner, pages, notebook } = await make(store, {}, ['first']);
    const page = pages[0]!.id;
    const save = (markdown: string) => store.changePage(owner, page, aChange({ markdown, autosave: true }), time.now);
    pass(2 * hour);
    await save('second');
    // A minute after a snapshot there is none, also where another process's clock is a little behind.
    time.now -= 4 * minute;
    await save('third');
    expect(await store.listSnapshots(notebook.id, page)).toHaveLength(1);
    time.now -= 2 * hour;
    await save('fourth');
    expect(await store.listSnapshots(notebook.id, page)).toHaveLength(2);
    await save('fifth');
    expect(await store.listSnapshots(notebook.id, page)).toHaveLength(2);
  });

  it('40 days ahead while an image was uploaded and another could not be deleted: neither waits for that day', async () => {
    const { owner, notebook } = await make(store);
    const [first] = await addMany(store, owner, 1);
    const ahead = time.now + 40 * day;
    for (let count = 0; count < 49; count++) await store.takeUploadSlot(owner, newId(), undefined, ahead);
    await store.deleteImage(owner, first!.id, ahead);
    await store.postponeObjectDeletions([first!.key], ahead + 50_000);
    expect(await store.listObjectDeletions(time.now, 500)).toEqual([first!.key]);
    expect(await store.takeUploadSlot(owner, newId(), undefined, time.now)).toEqual({ kind: 'taken' });
    const more = await atOnce(50, () => store.takeUploadSlot(owner, newId(), undefined, time.now + 1_000));
    expect(countBy(more, ({ kind }) => kind)).toEqual({ taken: 49, image_limit: 1 });
    expect(await store.queueAbandonedUploads(time.now, 500)).toBe(49);
    expect((await store.listQueuedObjectsOf(notebook.id)).length).toBeGreaterThan(49);
  });

  it('back and forth within a window gives nobody more than the limit', async () => {
    const slot = { name: 'test', key: 'address', max: 5, windowSeconds: 600 };
    let allowed = 0;
    for (let turn = 0; turn < 40; turn++) {
      // Two processes whose clocks are a second apart.
      if ((await store.takeRateSlot(slot, time.now + (turn % 2) * 1_000)).allowed) allowed += 1;
    }
    expect(allowed).toBe(5);
  });

  it('the clock of the database’s machine has a say', async () => {
    await app.jobs.check();
    store.databaseTime = async () => time.now - 2 * hour;
    const parts = { store, now: () => time.now, clock: watchOf(store) };
    expect(await purgeGuarded(parts, utc)).toMatchObject({ kind: 'refused', reason: 'clock' });
    store.databaseTime = async () => time.now - minute;
    expect((await purgeGuarded(parts, utc)).kind).toBe('purged');
    const asked = await createStore(database.url).databaseTime();
    if (engine.name === 'PostgreSQL') expect(Math.abs(asked! - Date.now())).toBeLessThan(hour);
    else expect(asked).toBeUndefined();
  });

  it('more than half of all waits for the operator, and a few never do', async () => {
    const clock = watchOf(store);
    const expired = time.now - 4 * day;
    const few = { store, now: () => time.now, clock };
    for (let number = 0; number < purgeWithoutAsking.notebooks; number++) await make(store, { expiresAt: expired });
    expect(await purgeGuarded(few, utc)).toMatchObject({ kind: 'purged', counts: { expired: purgeWithoutAsking.notebooks } });
    const total = purgeWithoutAsking.notebooks + 1;
    for (let number = 0; number < total; number++) await make(store, { expiresAt: expired });
    expect(await purgeGuarded(few, utc)).toMatchObject({ kind: 'refused', reason: 'share', counts: { expired: total } });
    expect(await store.countNotebooks(total + 1)).toBe(total);
    for (let number = 0; number < total; number++) await make(store);
    expect(await purgeGuarded(few, utc)).toMatchObject({ kind: 'purged', counts: { expired: total } });
    expect(await store.countNotebooks(total + 1)).toBe(total);
  });
});
