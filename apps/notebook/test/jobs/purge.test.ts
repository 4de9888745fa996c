import { setImmediate as nextTurn } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describePurge, purgeExpired } from '../../src/operations/purge-expired.ts';
import { createStore } from '../../src/store/open-store.ts';
import { aChange, atOnce, day, fewAtOnce, indexAll, make, minute, newId, noon } from '../store/contract/subject.ts';
import { type OpenSubject, openSubject } from '../store/open-subject.ts';
import { engines, postgres } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const grace = 3 * day;
const second = 1_000;
const nothing = { expired: 0, burned: 0, rateWindows: 0, freedSlugs: 0, reports: 0 };
const utc = { timezone: 'UTC' };

describe.each(engines)('the edges of expiry on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
  });
  afterAll(() => app.close());

  async function createExpiring() {
    const made = await app.create({ expiresIn: '1h', pages: [{ markdown: '# Mayfly' }] });
    return { ...made, expiresAt: app.clock.now + 60 * minute };
  }
  const purge = () => purgeExpired(app.parts, utc);
  const statusOf = async (path: string, token?: string) =>
    (await app.ask('GET', path, token === undefined ? {} : { token })).statusCode;
  const readersDoors = (slug: string) => [`/n/${slug}`, `/n/${slug}/print`, `/n/${slug}.md`, `/api/notebooks/${slug}`];

  it('converts a duration once, to an absolute time', async () => {
    const { notebook, slug, editToken, expiresAt } = await createExpiring();
    expect(notebook.expiresAt).toBe(new Date(expiresAt).toISOString());
    app.clock.now += 30 * minute;
    const title = await app.ask('PATCH', `/api/notebooks/${slug}`, { body: { title: 'Later' }, token: editToken });
    expect(title.json().expiresAt).toBe(new Date(expiresAt).toISOString());
  });

  it('answers until the second itself, and from it on 404 at every reader’s door', async () => {
    const { slug, editToken, expiresAt } = await createExpiring();
    app.clock.now = expiresAt - 1;
    for (const door of readersDoors(slug)) expect([door, await statusOf(door)]).toEqual([door, 200]);
    app.clock.now = expiresAt;
    for (const door of readersDoors(slug)) expect([door, await statusOf(door)]).toEqual([door, 404]);
    expect(await statusOf(`/e/${editToken}`)).toBe(200);
    expect((await app.ask('GET', '/api/notebook', { token: editToken })).json().lifecycle).toBe('expired');
  });

  it('keeps it for 2 d 23 h 59 m 59 s: the owner postpones, and readers are back', async () => {
    const { slug, editToken, expiresAt } = await createExpiring();
    app.clock.now = expiresAt + grace - second;
    await purge();
    expect(await statusOf(`/e/${editToken}`)).toBe(200);
    const later = new Date(app.clock.now + day).toISOString();
    const postponed = await app.ask('PATCH', `/api/notebooks/${slug}`, { body: { expiresAt: later }, token: editToken });
    expect([postponed.statusCode, postponed.json().lifecycle]).toEqual([200, 'active']);
    for (const door of readersDoors(slug)) expect([door, await statusOf(door)]).toEqual([door, 200]);
    app.clock.now += 2 * second;
    await purge();
    expect((await app.ask('GET', `/n/${slug}.md`)).body).toContain('Mayfly');
  });

  it('is over after 3 days for the owner too, and 3 d 1 s after the purge deletes it', async () => {
    const { slug, editToken, expiresAt } = await createExpiring();
    app.clock.now = expiresAt + grace;
    const never = { body: { expiresAt: null }, token: editToken };
    expect(await statusOf(`/e/${editToken}`)).toBe(404);
    expect((await app.ask('PATCH', `/api/notebooks/${slug}`, never)).statusCode).toBe(404);
    expect(await app.parts.store.findNotebookBySlug(slug)).toBeDefined();
    app.clock.now = expiresAt + grace + second;
    expect((await purge()).expired).toBe(1);
    expect(await app.parts.store.findNotebookBySlug(slug)).toBeUndefined();
    expect((await app.ask('PATCH', `/api/notebooks/${slug}`, never)).statusCode).toBe(404);
    expect((await app.ask('POST', '/api/notebooks', { body: { slug } })).json().code).toBe('slug_taken');
    app.clock.now += 90 * day;
    await purge();
    expect((await app.ask('POST', '/api/notebooks', { body: { slug } })).statusCode).toBe(201);
  });

  it('is either postponed with everything in it or gone, when postponing races the purge', async () => {
    app.clock.now += 5 * day;
    await purge();
    const outcomes = { postponed: 0, purged: 0 };
    // Turns that the purge waits, or postponing where it is negative: the one that lost begins earlier next time, so both come to win.
    let lead = 0;
    for (let round = 0; round < 80; round++) {
      const purgeWaits = lead + (round % 5) - 2;
      const { slug, editToken, expiresAt } = await createExpiring();
      app.clock.now = expiresAt + grace - 1;
      const later = new Date(app.clock.now + 5_000 * day).toISOString();
      const waitFor = async (turns: number) => {
        for (let turn = 0; turn < turns; turn++) await nextTurn();
      };
      const postpone = async () => {
        await waitFor(-purgeWaits);
        return app.ask('PATCH', `/api/notebooks/${slug}`, { body: { expiresAt: later }, token: editToken });
      };
      const purgeJustAfter = async () => {
        await waitFor(purgeWaits);
        return purgeExpired({ store: app.parts.store, now: () => expiresAt + grace + 1 }, utc);
      };
      const [postponed, purged] = await Promise.all([postpone(), purgeJustAfter()]);
      const kept = await app.ask('GET', `/n/${slug}.md`);
      if (postponed.statusCode === 200) {
        expect([purged.expired, kept.statusCode, kept.body]).toEqual([0, 200, '# Mayfly\n']);
        outcomes.postponed += 1;
        lead -= 1;
      } else {
        expect([postponed.statusCode, purged.expired, kept.statusCode]).toEqual([404, 1, 404]);
        outcomes.purged += 1;
        lead += 1;
      }
    }
    // Both sides have won, or nothing raced.
    expect(Math.min(outcomes.postponed, outcomes.purged)).toBeGreaterThan(5);
  });
});

describe.each(engines)('the purge on $name', engine => {
  let subject: OpenSubject;
  beforeAll(async () => {
    subject = await openSubject(engine);
  });
  afterAll(() => subject.close());

  const partsAt = (time: number) => ({ store: subject.store, now: () => time });
  const exists = async (slug: string) => (await subject.store.findNotebookBySlug(slug)) !== undefined;

  it('takes what is due and leaves the rest, however often it runs', async () => {
    const expired = await make(subject.store, { expiresAt: noon - grace - 1 });
    const inGrace = await make(subject.store, { expiresAt: noon - grace });
    const active = await make(subject.store, { expiresAt: noon + day });
    const forever = await make(subject.store);
    const unopened = await make(subject.store, { burnAfterRead: true });
    // Burning was switched off again: what was opened once is an ordinary notebook now.
    const disarmed = await make(subject.store, { burnAfterRead: false, openedAt: noon - 9 * day });
    expect(await purgeExpired(partsAt(noon), utc)).toEqual({ ...nothing, expired: 1 });
    expect(await purgeExpired(partsAt(noon), utc)).toEqual({ ...nothing, freedSlugs: 0 });
    expect(await exists(expired.notebook.slug)).toBe(false);
    for (const kept of [inGrace, active, forever, unopened, disarmed]) expect(await exists(kept.notebook.slug)).toBe(true);
  });

  it('leaves no row of the notebook, of its pages, snapshots, comments or renderings', async () => {
    const over = { visibility: 'public', title: 'Zeitung', expiresAt: noon - grace - 1 } as const;
    const { notebook, pages, owner } = await make(subject.store, over, ['Erdbeertorte']);
    const [page] = pages;
    await subject.store.changePage(owner, page!.id, aChange({ markdown: 'Kirschkuchen' }), noon);
    await subject.store.keepRendering(
      page!.id,
      { revision: 2, variant: 'view', engine: '1' },
      { json: '{"html":"Kirschkuchen"}', packed: null },
    );
    await subject.store.addComment({
      id: newId(),
      notebookId: notebook.id,
      pageId: null,
      author: 'A',
      body: 'Pflaumenmus',
      createdAt: noon,
    });
    const marks = [
      notebook.id,
      notebook.slug,
      notebook.editTokenHash,
      page!.id,
      'Zeitung',
      'Erdbeertorte',
      'Kirschkuchen',
      'Pflaumenmus',
    ];
    const search = async () => {
      const texts: string[] = [];
      for (const table of await subject.tables()) texts.push(JSON.stringify(await subject.sql(`SELECT * FROM ${table}`)));
      return marks.filter(mark => texts.join('').includes(mark));
    };
    await indexAll(subject.store);
    expect(await search()).toEqual(marks);
    expect((await purgeExpired(partsAt(noon), utc)).expired).toBe(1);
    // What left takes its words out of the index in its turn.
    await indexAll(subject.store);
    expect(await search()).toEqual([]);
    expect(await subject.store.isSlugTaken(notebook.slug, noon + 90 * day - 1)).toBe(true);
    expect(await subject.store.isSlugTaken(notebook.slug, noon + 90 * day)).toBe(false);
  });

  it('deletes an opened burn-after-read notebook on the next calendar day of the zone, not before', async () => {
    // In Berlin half past eleven in the evening, an hour later in the day of the UTC clock it is still the same day.
    const openedAt = Date.parse('2026-03-01T22:30:00Z');
    const later = openedAt + 45 * minute;
    const { notebook } = await make(subject.store, { burnAfterRead: true, openedAt, readerHash: newId() });
    expect((await purgeExpired(partsAt(later), utc)).burned).toBe(0);
    expect((await purgeExpired(partsAt(later), { timezone: 'Europe/Berlin' })).burned).toBe(1);
    expect(await exists(notebook.slug)).toBe(false);
  });

  it('leaves the one reader the promised ten minutes, even over midnight', async () => {
    const openedAt = Date.parse('2026-03-01T23:55:00Z');
    await make(subject.store, { burnAfterRead: true, openedAt, readerHash: newId() });
    expect((await purgeExpired(partsAt(openedAt + 10 * minute), utc)).burned).toBe(0);
    expect((await purgeExpired(partsAt(openedAt + 10 * minute + 1), utc)).burned).toBe(1);
  });

  it('forgets what is over: rate windows, freed slugs, reports of last year', async () => {
    const { store } = subject;
    await purgeExpired(partsAt(noon + 400 * day), utc);
    const slot = { name: 'create', max: 5, windowSeconds: 600 };
    await fewAtOnce(1_100, client => store.takeRateSlot({ ...slot, key: `over ${client}` }, noon));
    await store.takeRateSlot({ ...slot, key: 'running' }, noon + 600 * second);
    const { notebook, owner } = await make(store);
    const report = { notebookId: notebook.id, slug: notebook.slug, reason: 'spam', detail: '' } as const;
    await store.addReport({ ...report, id: newId(), createdAt: noon - 365 * day });
    await store.addReport({ ...report, id: newId(), createdAt: noon });
    await store.deleteNotebook(owner, noon + 600 * second);
    const expected = { ...nothing, rateWindows: 1_100, freedSlugs: 1, reports: 1 };
    const moment = partsAt(noon + 600 * second);
    expect(await purgeExpired(moment, { ...utc, dryRun: true })).toEqual(expected);
    expect(await purgeExpired(moment, utc)).toEqual(expected);
    expect(await purgeExpired(moment, utc)).toEqual(nothing);
    const rows = await subject.sql('SELECT key FROM rate_slots');
    expect(rows).toEqual([{ key: 'running' }]);
    expect(await store.listReports()).toHaveLength(1);
  });

  it('counts and deletes nothing on a dry run', async () => {
    const made = await make(subject.store, { expiresAt: noon - grace - 1, burnAfterRead: true, openedAt: noon - 5 * day });
    const burned = await make(subject.store, { burnAfterRead: true, openedAt: noon - 5 * day, expiresAt: noon + day });
    const counts = await purgeExpired(partsAt(noon), { ...utc, dryRun: true });
    expect(counts).toMatchObject({ expired: 1, burned: 1 });
    expect(describePurge(counts, true)).toMatch(/^Would delete 1 expired and 1 opened/);
    expect([await exists(made.notebook.slug), await exists(burned.notebook.slug)]).toEqual([true, true]);
    expect(await purgeExpired(partsAt(noon), utc)).toMatchObject({ expired: 1, burned: 1 });
  });

  it('may run twice at once, from two processes’ stores: each notebook is counted by one', async () => {
    const due = [];
    for (let count = 0; count < 90; count++) due.push(await make(subject.store, { expiresAt: noon - grace - 1 }));
    const other = await subject.another();
    const both = await Promise.all([subject.store, other].map(store => purgeExpired({ store, now: () => noon }, utc)));
    expect(both[0]!.expired + both[1]!.expired).toBe(90);
    for (const { notebook } of due) expect(await exists(notebook.slug)).toBe(false);
    await other.close();
  });

  it('stops between two portions when it is told to', async () => {
    for (let count = 0; count < 41; count++) await make(subject.store, { expiresAt: noon - grace - 1 });
    const stop = new AbortController();
    const store = {
      ...subject.store,
      purgeNotebooks: async (...args: Parameters<typeof subject.store.purgeNotebooks>) => {
        const answer = await subject.store.purgeNotebooks(...args);
        stop.abort(new Error('stopped'));
        return answer;
      },
    };
    await expect(purgeExpired({ store, now: () => noon }, { ...utc, signal: stop.signal })).rejects.toThrow();
    expect((await purgeExpired(partsAt(noon), utc)).expired).toBe(36);
  });
});

it('leaves a notebook alone that its owner is writing to at this moment (PostgreSQL)', async () => {
  const subject = await openSubject(postgres);
  const { notebook } = await make(subject.store, { expiresAt: noon - grace - 1 });
  const other = await make(subject.store, { expiresAt: noon - grace - 1 });
  await subject.sql('BEGIN');
  await subject.sql('UPDATE notebooks SET expires_at = ? WHERE id = ?', noon + day, notebook.id);
  const purged = await purgeExpired({ store: subject.store, now: () => noon }, utc);
  await subject.sql('COMMIT');
  expect(purged.expired).toBe(1);
  expect(await subject.store.findNotebookBySlug(other.notebook.slug)).toBeUndefined();
  expect((await subject.store.findNotebookBySlug(notebook.slug))?.expiresAt).toBe(noon + day);
  await subject.close();
});

it('looks at what it deleted once, not in each portion again, while a dump keeps the server from forgetting it (PostgreSQL)', async () => {
  const subject = await openSubject(postgres);
  const due = 400;
  await fewAtOnce(due, at => make(subject.store, { expiresAt: noon - grace - 1 - at }));
  // One connection: a planner looks at the index too, for the first few statements of each.
  const purging = createStore(subject.url, { poolSize: 1 });
  const server = new Client({ connectionString: subject.url });
  await server.connect();
  const store = {
    ...purging,
    purgeNotebooks: async (...args: Parameters<typeof purging.purgeNotebooks>) => {
      const answer = await purging.purgeNotebooks(...args);
      // As the server does by itself, at any time: from then on it prefers the index.
      if (answer.expired === 0) await server.query('ANALYZE notebooks');
      return answer;
    },
  };
  await subject.sql('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await subject.sql('SELECT 1 FROM notebooks LIMIT 1');
  expect((await purgeExpired({ store, now: () => noon }, utc)).expired).toBe(due);
  // A connection that closes has told what it read.
  await Promise.all([purging.close(), server.end()]);
  await subject.sql('COMMIT');
  const read = "SELECT idx_tup_read::int AS entries FROM pg_stat_user_indexes WHERE indexrelname = 'notebooks_expiring'";
  await expect.poll(async () => (await subject.sql(read))[0]!.entries).toBeGreaterThanOrEqual(due);
  // Each once, and once more to see that nothing was passed over.
  expect((await subject.sql(read))[0]!.entries).toBeLessThan(3 * due);
  await subject.close();
});

it('looks at rate windows, freed slugs and reports that it deleted once, beside a dump (PostgreSQL)', async () => {
  const subject = await openSubject(postgres);
  const due = 4_000;
  const each = (columns: string) => `SELECT ${columns} FROM generate_series(1, ${due}) AS number`;
  await subject.sql(`INSERT INTO rate_slots (name, key, used, ends_at) ${each(`'opens', number::text, 1, ${noon} - number`)}`);
  await subject.sql(`INSERT INTO freed_slugs (slug_hash, free_at) ${each(`'hash' || number, ${noon} - number`)}`);
  const old = `${noon - 400 * day} - number`;
  await subject.sql(
    `INSERT INTO reports (id, notebook_id, slug, reason, detail, created_at) ${each(`'r' || number, 'n', 's', 'spam', '', ${old}`)}`,
  );
  const purging = createStore(subject.url, { poolSize: 1 });
  await subject.sql('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await subject.sql('SELECT 1 FROM notebooks LIMIT 1');
  expect(await purgeExpired({ store: purging, now: () => noon }, utc)).toEqual({
    ...nothing,
    rateWindows: due,
    freedSlugs: due,
    reports: due,
  });
  await purging.close();
  await subject.sql('COMMIT');
  const names = ['freed_slugs_free', 'rate_slots_over', 'reports_by_age'];
  const read = `SELECT idx_tup_read::int AS entries FROM pg_stat_user_indexes
    WHERE indexrelname IN ('${names.join("', '")}') ORDER BY indexrelname`;
  const entries = async () => (await subject.sql(read)).map(row => Number(row.entries));
  await expect.poll(async () => Math.min(...(await entries()))).toBeGreaterThanOrEqual(due);
  // Each once, and once more to see that nothing was passed over.
  expect(Math.max(...(await entries()))).toBeLessThan(3 * due);
  await subject.close();
});

describe('a notebook that another transaction holds (PostgreSQL)', () => {
  let subject: OpenSubject;
  beforeEach(async () => {
    subject = await openSubject(postgres);
  });
  afterEach(() => subject.close());

  /** A notebook that is due, held until `COMMIT`. */
  async function makeHeld(how: 'UPDATE' | 'SHARE'): Promise<void> {
    const { notebook } = await make(subject.store, { expiresAt: noon - grace - 2 });
    await subject.sql('BEGIN');
    await subject.sql(`SELECT 1 FROM notebooks WHERE id = ? FOR ${how}`, notebook.id);
  }
  const purge = async (store = subject.store) => (await purgeExpired({ store, now: () => noon }, utc)).expired;
  /** A purge during which the notebook is let go after so many portions, and how many notebooks went with each. */
  async function purgeAndLetGo(portions: number): Promise<{ expired: number; gone: number[] }> {
    const gone: number[] = [];
    const store = {
      ...subject.store,
      purgeNotebooks: async (...args: Parameters<typeof subject.store.purgeNotebooks>) => {
        const answer = await subject.store.purgeNotebooks(...args);
        if (gone.push(answer.expired) === portions) await subject.sql('COMMIT');
        return answer;
      },
    };
    return { expired: await purge(store), gone };
  }

  it('is come back to when the purge has come past', async () => {
    await makeHeld('UPDATE');
    await atOnce(30, () => make(subject.store, { expiresAt: noon - grace - 1 }));
    const { expired, gone } = await purgeAndLetGo(1);
    expect(expired).toBe(31);
    // Nothing more after the others, the one from the start; then nothing after it.
    expect(gone.slice(-3)).toEqual([0, 1, 0]);
  });

  it('is waited for when everything else is gone', async () => {
    // As a page that is being kept for views.
    await makeHeld('SHARE');
    expect(await purgeAndLetGo(3)).toMatchObject({ expired: 1 });
  });

  it('is left to the next purge when it stays held', async () => {
    await makeHeld('SHARE');
    expect(await purge()).toBe(0);
    await subject.sql('COMMIT');
    expect(await purge()).toBe(1);
  });
});
