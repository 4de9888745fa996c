import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/limits.ts';
import { atOnce, countBy, day, make, newId, noon, type Subject } from './subject.ts';

export function keptContract(subject: () => Subject): void {
  it('ping reaches the database', async () => {
    expect(await subject().store.ping()).toBeUndefined();
  });

  describe('getSecret', () => {
    it('gives everybody the same one, no matter who made it', async () => {
      const { store, another } = subject();
      const stores = [store, await another()];
      const name = newId();
      const secrets = await atOnce(20, turn => stores[turn % 2]!.getSecret(name, () => `made by ${turn}`));
      expect(new Set(secrets).size).toBe(1);
      expect(await stores[1]!.getSecret(name, () => 'made later')).toBe(secrets[0]);
      expect(await store.getSecret(newId(), () => 'another')).toBe('another');
      await stores[1]!.close();
    });
  });

  describe('takeRateSlot', () => {
    const slot = (over = {}) => ({ name: 'create', key: newId(), max: 3, windowSeconds: 10, ...over });

    it('allows exactly the maximum of 200 at once', async () => {
      const { store, another } = subject();
      const stores = [store, await another()];
      const wanted = slot({ max: 60, windowSeconds: 600 });
      const results = await atOnce(200, turn => stores[turn % 2]!.takeRateSlot(wanted, noon));
      expect(countBy(results, ({ allowed }) => String(allowed))).toEqual({ true: 60, false: 140 });
      await stores[1]!.close();
    });

    it('starts its window with the first use, and is free again when it is over', async () => {
      const { store } = subject();
      const wanted = slot();
      const allowed = async (now: number) => (await store.takeRateSlot(wanted, now)).allowed;
      expect([await allowed(noon), await allowed(noon + 8_000), await allowed(noon + 9_000)]).toEqual([true, true, true]);
      expect(await store.takeRateSlot(wanted, noon + 9_100)).toEqual({ allowed: false, retryAfterSeconds: 1 });
      expect(await store.takeRateSlot(wanted, noon + 9_999)).toEqual({ allowed: false, retryAfterSeconds: 1 });
      expect([await allowed(noon + 10_000), await allowed(noon + 10_001), await allowed(noon + 19_999)]).toEqual([
        true,
        true,
        true,
      ]);
      expect(await store.takeRateSlot(wanted, noon + 10_002)).toEqual({ allowed: false, retryAfterSeconds: 10 });
    });

    it('does not count what it refuses', async () => {
      const { store, sql } = subject();
      const wanted = slot({ max: 2 });
      for (let turn = 0; turn < 10; turn++) await store.takeRateSlot(wanted, noon + turn);
      const [row] = await sql('SELECT used, ends_at FROM rate_slots WHERE key = ?', wanted.key);
      expect([Number(row?.used), Number(row?.ends_at)]).toEqual([2, noon + 10_000]);
    });

    it('counts each name and each key for itself', async () => {
      const { store } = subject();
      const one = slot({ max: 1 });
      const others = [one, { ...one, key: newId() }, { ...one, name: 'comment' }];
      for (const other of others) expect(await store.takeRateSlot(other, noon)).toEqual({ allowed: true });
      for (const other of others) expect((await store.takeRateSlot(other, noon)).allowed).toBe(false);
    });

    it('is forgotten when its window is over, and not before', async () => {
      const { store, sql } = subject();
      const [over, running] = [slot(), slot({ windowSeconds: 11 })];
      await store.takeRateSlot(over, noon);
      await store.takeRateSlot(running, noon);
      await store.deleteOldRateSlots(noon + 10_000, 1_000);
      const kept = await sql('SELECT key FROM rate_slots WHERE key IN (?, ?)', over.key, running.key);
      expect(kept).toEqual([{ key: running.key }]);
    });

    it('says whether many are over, and deletes them in portions, the oldest first', async () => {
      const { store, sql } = subject();
      // Earlier than those of every other test here.
      const keys = Array.from({ length: 5 }, newId);
      for (const [at, key] of keys.entries()) await store.takeRateSlot(slot({ key }), at * 1_000);
      const before = 14_000;
      expect([await store.hasManyOldRateSlots(before, 4), await store.hasManyOldRateSlots(before, 5)]).toEqual([true, false]);
      expect(await store.deleteOldRateSlots(before, 3)).toBe(3);
      const kept = await sql(`SELECT key FROM rate_slots WHERE ends_at <= ${before} ORDER BY ends_at`);
      expect(kept).toEqual(keys.slice(3).map(key => ({ key })));
      expect([await store.deleteOldRateSlots(before, 3), await store.deleteOldRateSlots(before, 3)]).toEqual([2, 0]);
    });
  });

  describe('renderings', () => {
    const key = (revision: number, over = {}) => ({ revision, variant: 'view', engine: '1', ...over });
    const kept = (json: string, packed: Uint8Array | null = null) => ({ json, packed });

    it('are found for their revision, variant and engine only', async () => {
      const { store } = subject();
      const page = (await make(store)).pages[0]!.id;
      await store.keepRendering(page, key(1), kept('{"html":"<p>✓</p>"}'));
      await store.keepRendering(page, key(1, { variant: 'print' }), kept('{}', Buffer.from([0, 255, 1])));
      expect(await store.findRendering(page, key(1))).toEqual(kept('{"html":"<p>✓</p>"}'));
      const { json, packed } = (await store.findRendering(page, key(1, { variant: 'print' })))!;
      expect([json, ...packed!]).toEqual(['{}', 0, 255, 1]);
      for (const other of [key(2), key(1, { variant: 'x' }), key(1, { engine: '2' })]) {
        expect(await store.findRendering(page, other)).toBeUndefined();
      }
    });

    it('keep only the newest revision of a variant, in whatever order they arrive', async () => {
      const { store, sql } = subject();
      const page = (await make(store)).pages[0]!.id;
      for (const revision of [2, 3, 1])
        await store.keepRendering(page, key(revision), kept(`{"of":${revision}}`, Buffer.from([revision])));
      const newest = (await store.findRendering(page, key(3)))!;
      expect([newest.json, ...newest.packed!]).toEqual(['{"of":3}', 3]);
      expect(await sql('SELECT json FROM renderings WHERE page_id = ?', page)).toHaveLength(1);
      await store.keepRendering(page, key(3, { engine: '2' }), kept('{"engine":2}'));
      expect(await store.findRendering(page, key(3))).toBeUndefined();
      expect(await store.findRendering(page, key(3, { engine: '2' }))).toEqual(kept('{"engine":2}'));
    });

    it('of a page that is gone, or goes at the same time, are not kept', async () => {
      const { store, another, sql } = subject();
      const other = await another();
      await store.keepRendering(newId(), key(1), kept('{}'));
      for (let round = 0; round < 10; round++) {
        const { owner, pages } = await make(store, {}, ['a', 'b']);
        const page = pages[0]!.id;
        await Promise.all([
          other.keepRendering(page, key(1), kept('{}')),
          store.deletePage(owner, page, noon),
          other.keepRendering(page, key(1), kept('{}')),
        ]);
        await store.keepRendering(page, key(1), kept('{}'));
        expect(await sql('SELECT json FROM renderings WHERE page_id = ?', page)).toEqual([]);
      }
      await other.close();
    });
  });
  describe('cards', () => {
    const card = (text: string) => Buffer.from(`png ${text}`);
    const has = async (id: string) => (await subject().sql('SELECT version FROM cards WHERE notebook_id = ?', id)).length > 0;

    it('are found for the version and the build, and written over', async () => {
      const { store } = subject();
      const { notebook, owner } = await make(store);
      await store.keepCard(notebook.id, 1, 'one', card('first'), noon);
      expect(await store.findCard(notebook.id, 1, 'one')).toEqual(card('first'));
      expect(await store.findCard(notebook.id, 1, 'two')).toBeUndefined();
      expect(await store.findCard(newId(), 1, 'one')).toBeUndefined();
      await store.changeSettings(owner, { title: 'Another' }, noon);
      await store.keepCard(notebook.id, 1, 'one', card('late'), noon);
      expect(await store.findCard(notebook.id, 2, 'one')).toBeUndefined();
      await store.keepCard(notebook.id, 2, 'one', card('new'), noon);
      expect(await store.findCard(notebook.id, 2, 'one')).toEqual(card('new'));
      expect(await store.findCard(notebook.id, 1, 'one')).toBeUndefined();
    });

    it.each([
      ['private', { visibility: 'private' }],
      ['locked', { passwordHash: 'x' }],
      ['to be burned', { burnAfterRead: true }],
    ] as const)('of a notebook that becomes %s leave, and none is kept', async (_name, change) => {
      const { store } = subject();
      const { notebook, owner } = await make(store);
      await store.keepCard(notebook.id, 1, 'one', card('open'), noon);
      expect(await has(notebook.id)).toBe(true);
      await store.changeSettings(owner, change, noon);
      expect(await has(notebook.id)).toBe(false);
      await store.keepCard(notebook.id, 2, 'one', card('late'), noon);
      expect(await has(notebook.id)).toBe(false);
    });

    it('leave with their notebook and with a take-down', async () => {
      const { store } = subject();
      for (const leave of ['notebook', 'take-down']) {
        const { notebook, owner } = await make(store);
        await store.keepCard(notebook.id, 1, 'one', card('text'), noon);
        if (leave === 'notebook') await store.deleteNotebook(owner, noon);
        else await store.takeDown(notebook.slug, noon);
        expect([leave, await has(notebook.id)]).toEqual([leave, false]);
      }
    });

    it('that were drawn while a clock was ahead keep none of the right time out', async () => {
      const { store, sql } = subject();
      await sql('DELETE FROM cards');
      const [ahead, beside] = [await make(store), await make(store)];
      await store.keepCard(ahead.notebook.id, 1, 'one', card('ahead'), noon + 40 * day);
      await store.keepCard(beside.notebook.id, 1, 'one', card('beside'), noon + 40 * day + 1_000);
      for (let others = 0; others < limits.maxKeptCards; others++) {
        const { notebook } = await make(store);
        await sql(
          'INSERT INTO cards (notebook_id, version, build, drawn_at, png) SELECT ?, 1, ?, ?, png FROM cards WHERE notebook_id = ?',
          notebook.id,
          'one',
          noon + 41 * day + others,
          ahead.notebook.id,
        );
      }
      const last = await make(store);
      await store.keepCard(last.notebook.id, 1, 'one', card('now'), noon);
      expect(await store.findCard(last.notebook.id, 1, 'one')).toEqual(card('now'));
      // Another machine's clock may be a little ahead.
      await store.keepCard(beside.notebook.id, 1, 'one', card('soon'), noon + 60_000);
      await store.keepCard(last.notebook.id, 1, 'one', card('again'), noon);
      expect(await store.findCard(beside.notebook.id, 1, 'one')).toEqual(card('soon'));
    });

    it('are at most so many: the oldest go', async () => {
      const { store, sql } = subject();
      await sql('DELETE FROM cards');
      const first = await make(store);
      await store.keepCard(first.notebook.id, 1, 'one', card('old'), noon - 10);
      for (let others = 0; others < limits.maxKeptCards; others++) {
        const { notebook } = await make(store);
        await sql(
          'INSERT INTO cards (notebook_id, version, build, drawn_at, png) SELECT ?, 1, ?, ?, png FROM cards WHERE notebook_id = ?',
          notebook.id,
          'one',
          noon + others,
          first.notebook.id,
        );
      }
      const last = await make(store);
      await store.keepCard(last.notebook.id, 1, 'one', card('newest'), noon + 10_000);
      expect(await has(first.notebook.id)).toBe(false);
      const [row] = await sql('SELECT count(*) AS count FROM cards');
      expect(Number(row!.count)).toBe(limits.maxKeptCards);
      expect(await store.findCard(last.notebook.id, 1, 'one')).toEqual(card('newest'));
    });
  });

  describe('finished pages', () => {
    const finished = (text: string) => ({ etag: `W/"${text}"`, frames: true, br: Buffer.from(text) });
    const rows = () => subject().sql('SELECT build FROM finished_pages');

    it('are found for the version and the build, the first one without an id', async () => {
      const { store } = subject();
      const { notebook, pages } = await make(store, {}, ['a', 'b']);
      await store.keepFinishedPage(pages[0]!.id, 1, 'one', finished('first'));
      await store.keepFinishedPage(pages[1]!.id, 1, 'one', finished('second'));
      for (const read of [store.findViewed, store.sync?.findViewed]) {
        if (!read) continue;
        expect(await read(notebook.slug, undefined, 'one')).toEqual({ notebook, finished: finished('first') });
        expect(await read(notebook.slug, pages[1]!.id, 'one')).toEqual({ notebook, finished: finished('second') });
        expect(await read(notebook.slug, undefined, 'two')).toEqual({ notebook, finished: undefined });
        expect(await read(notebook.slug, newId(), 'one')).toEqual({ notebook, finished: undefined });
        expect(await read(newId(), undefined, 'one')).toBeUndefined();
      }
    });

    it('and their records are each found when many ask at once, some for the same and some for none', async () => {
      const { store } = subject();
      const made = await Promise.all(Array.from({ length: 20 }, () => make(store)));
      for (const { notebook, pages } of made.slice(0, 10))
        await store.keepFinishedPage(pages[0]!.id, 1, 'one', finished(notebook.slug));
      const all = [...made, ...made.slice(5, 15)];
      const slugs = [...all.map(({ notebook }) => notebook.slug), newId()];
      const records = await Promise.all(slugs.map(slug => store.findNotebookBySlug(slug)));
      expect(records).toEqual([...all.map(({ notebook }) => notebook), undefined]);
      const viewed = await Promise.all(slugs.map(slug => store.findViewed(slug, undefined, 'one')));
      expect(viewed.map(found => found?.notebook)).toEqual(records);
      expect(viewed.map(found => found?.finished?.etag)).toEqual([
        ...all.map(({ notebook }) =>
          made.findIndex(one => one.notebook === notebook) < 10 ? `W/"${notebook.slug}"` : undefined,
        ),
        undefined,
      ]);
    });

    it('of another version are not found, not kept, and written over', async () => {
      const { store } = subject();
      const { notebook, owner, pages } = await make(store);
      const page = pages[0]!.id;
      await store.keepFinishedPage(page, 1, 'one', finished('old'));
      await store.changeSettings(owner, { title: 'Another' }, noon);
      expect((await store.findViewed(notebook.slug, undefined, 'one'))?.finished).toBeUndefined();
      await store.keepFinishedPage(page, 1, 'one', finished('late'));
      await store.keepFinishedPage(page, 2, 'one', finished('new'));
      expect((await store.findViewed(notebook.slug, undefined, 'one'))?.finished).toEqual(finished('new'));
    });

    it.each([
      ['private', { visibility: 'private' }],
      ['locked', { passwordHash: 'x' }],
      ['to be burned', { burnAfterRead: true }],
    ] as const)('of a notebook that becomes %s leave, and none is kept', async (_name, change) => {
      const { store } = subject();
      const build = newId();
      const { owner, pages } = await make(store);
      const mine = async () => (await rows()).filter(row => row.build === build);
      await store.keepFinishedPage(pages[0]!.id, 1, build, finished('open'));
      expect(await mine()).toHaveLength(1);
      await store.changeSettings(owner, change, noon);
      expect(await mine()).toEqual([]);
      await store.keepFinishedPage(pages[0]!.id, 2, build, finished('late'));
      expect(await mine()).toEqual([]);
    });

    it('leave with their page, with their notebook and with a take-down', async () => {
      const { store } = subject();
      for (const leave of ['page', 'notebook', 'take-down']) {
        const build = newId();
        const { notebook, owner, pages } = await make(store, {}, ['a', 'b']);
        await store.keepFinishedPage(pages[1]!.id, 1, build, finished('text'));
        if (leave === 'page') await store.deletePage(owner, pages[1]!.id, noon);
        else if (leave === 'notebook') await store.deleteNotebook(owner, noon);
        else await store.takeDown(notebook.slug, noon);
        expect((await rows()).filter(row => row.build === build)).toEqual([]);
      }
    });
  });
}
