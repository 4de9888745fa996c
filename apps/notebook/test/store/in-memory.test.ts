import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Notebook } from '../../src/model/notebook.ts';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { aChange, day, make, minute, newId, noon } from './contract/subject.ts';

// In memory nothing of the store is another thread's: every statement of the purge runs here.
let store: Store;
beforeEach(async () => {
  store = createStore('sqlite::memory:');
  await store.migrate();
});
afterEach(() => store.close());

const due = { expiredBefore: noon, openedBefore: noon - day, reportedBefore: noon - day };
const slugOf = async (over: Partial<Notebook>) => (await make(store, over)).notebook.slug;
const isThere = async (slug: string) => (await store.findNotebookBySlug(slug)) !== undefined;

describe('the purge', () => {
  it('takes what is over, and nothing at its bound', async () => {
    const burn = { burnAfterRead: true, openedAt: noon - day - 1 };
    const going = [await slugOf({ expiresAt: noon - 1 }), await slugOf(burn), await slugOf({ ...burn, expiresAt: noon })];
    const staying = [
      await slugOf({ expiresAt: noon }),
      await slugOf({ expiresAt: null }),
      await slugOf({ ...burn, openedAt: noon - day }),
      await slugOf({ ...burn, openedAt: null }),
      await slugOf({ ...burn, burnAfterRead: false }),
    ];
    const none = { rateWindows: 0, freedSlugs: 0, reports: 0 };
    expect(await store.countPurgeable(due, noon)).toEqual({ expired: 1, burned: 2, ...none });
    expect(await store.purgeNotebooks(due, noon + minute, 10)).toEqual({ expired: 1, burned: 2 });
    expect(await Promise.all([...going, ...staying].map(isThere))).toEqual([false, false, false, true, true, true, true, true]);
    expect(await store.purgeNotebooks(due, noon, 10)).toEqual({ expired: 0, burned: 0 });
    expect(await store.countNotebooks(10)).toBe(5);
    expect(await store.countNotebooks(3)).toBe(3);
  });

  it('takes a portion, the first to expire first, and those that were opened in what is left of it', async () => {
    const burn = { burnAfterRead: true, openedAt: noon - 2 * day };
    const slugs = [
      await slugOf({ expiresAt: noon - 1 }),
      await slugOf({ expiresAt: noon - 3 }),
      await slugOf({ expiresAt: noon - 2 }),
    ];
    const opened = [await slugOf(burn), await slugOf({ ...burn, openedAt: noon - 3 * day })];
    expect(await store.purgeNotebooks(due, noon, 2)).toEqual({ expired: 2, burned: 0 });
    expect(await Promise.all(slugs.map(isThere))).toEqual([true, false, false]);
    expect(await store.purgeNotebooks(due, noon, 2)).toEqual({ expired: 1, burned: 1 });
    expect(await Promise.all(opened.map(isThere))).toEqual([true, false]);
    expect(await store.purgeNotebooks(due, noon, 2)).toEqual({ expired: 0, burned: 1 });
  });

  it('counts one that is both as expired', async () => {
    await slugOf({ burnAfterRead: true, openedAt: noon - 2 * day, expiresAt: noon - 1 });
    expect(await store.countPurgeable(due, noon)).toMatchObject({ expired: 1, burned: 0 });
    expect(await store.purgeNotebooks(due, noon, 10)).toEqual({ expired: 1, burned: 0 });
  });

  it('keeps a slug for a while, and then forgets that it was taken', async () => {
    const slug = await slugOf({ expiresAt: noon - 1 });
    await store.purgeNotebooks(due, noon + minute, 10);
    expect(await store.isSlugTaken(slug, noon + minute - 1)).toBe(true);
    expect(await store.isSlugTaken(slug, noon + minute)).toBe(false);
    expect(await store.countPurgeable(due, noon + minute - 1)).toMatchObject({ freedSlugs: 0 });
    expect(await store.deleteExpired(due, noon + minute - 1, 10)).toEqual({ rateWindows: 0, freedSlugs: 0, reports: 0 });
    expect(await store.countPurgeable(due, noon + minute)).toMatchObject({ freedSlugs: 1 });
    expect(await store.deleteExpired(due, noon + minute, 10)).toEqual({ rateWindows: 0, freedSlugs: 1, reports: 0 });
  });

  it('forgets windows and reports that are over, a portion of each at a time', async () => {
    const { notebook } = await make(store);
    for (const key of ['a', 'b', 'c']) await store.takeRateSlot({ name: 'test', key, max: 1, windowSeconds: 60 }, noon);
    const said = { notebookId: notebook.id, slug: notebook.slug, reason: 'spam', detail: '' } as const;
    for (const age of [-3, -2, -1, 0, 1]) await store.addReport({ id: newId(), ...said, createdAt: noon - day + age });
    const later = noon + minute;
    expect(await store.countPurgeable(due, later - 1)).toMatchObject({ rateWindows: 0, reports: 3 });
    expect(await store.countPurgeable(due, later)).toMatchObject({ rateWindows: 3, reports: 3 });
    expect(await store.deleteExpired(due, later - 1, 2)).toEqual({ rateWindows: 0, freedSlugs: 0, reports: 2 });
    expect(await store.deleteExpired(due, later, 2)).toEqual({ rateWindows: 2, freedSlugs: 0, reports: 1 });
    expect(await store.deleteExpired(due, later, 2)).toEqual({ rateWindows: 1, freedSlugs: 0, reports: 0 });
    expect((await store.listReports()).map(({ createdAt }) => createdAt)).toEqual([noon - day + 1, noon - day]);
  });
});

describe('the purge of what is large', () => {
  /** So much is more than one transaction deletes; a fifth of it is less than half of that. */
  const large = Array.from({ length: 5 }, () => 'x'.repeat(900_000));
  const halfOf = large.slice(0, 3);
  const burned = { burnAfterRead: true, openedAt: noon - 2 * day };
  const purge = () => store.purgeNotebooks(due, noon + minute, 10);

  it('ends a portion before it deletes too much at once', async () => {
    for (const expiresAt of [noon - 2, noon - 1]) await make(store, { expiresAt }, halfOf);
    expect([await purge(), await purge()]).toEqual([
      { expired: 1, burned: 0 },
      { expired: 1, burned: 0 },
    ]);
  });

  it('leaves a large one for later where others go, of both kinds', async () => {
    await make(store, { expiresAt: noon - 1 });
    await make(store, { ...burned, openedAt: noon - 3 * day });
    await make(store, burned, large);
    expect(await purge()).toEqual({ expired: 1, burned: 1 });
    expect(await purge()).toEqual({ expired: 0, burned: 0, portions: 1 });
  });

  it.each([
    ['expired', { expiresAt: noon - 1 }, null],
    ['burned', burned, 0],
  ])('closes one that is %s with the first portion, and frees its slug with the last', async (kind, over, openedAt) => {
    const open = { ...over, visibility: 'public', openEditing: true, readerHash: newId() } as const;
    const { notebook, owner, pages } = await make(store, open, large);
    for (const { id } of pages.slice(0, 2)) {
      await store.changePage(owner, id, aChange({ markdown: 'y'.repeat(900_000) }), noon);
      const packed = Buffer.alloc(700_000);
      await store.keepRendering(id, { revision: 2, variant: 'view', engine: '1' }, { json: '{}', packed });
    }
    const portion = { expired: 0, burned: 0, portions: 1 };
    expect(await purge()).toEqual(portion);
    expect(await store.findNotebookBySlug(notebook.slug)).toEqual({
      ...(await store.findNotebookBySlug(notebook.slug)),
      ...{ visibility: 'private', editTokenHash: `purged ${notebook.id}`, readerHash: null, openEditing: false },
      ...{ comments: false, openedAt, expiresAt: 0 },
    });
    const key = { revision: 2, variant: 'view', engine: '1' };
    const rendered = await Promise.all(pages.map(({ id }) => store.findRendering(id, key)));
    expect(rendered.filter(Boolean)).toHaveLength(1);
    expect(await store.listPages(notebook.id)).toHaveLength(5);
    let last = portion as object;
    for (let turns = 0; turns < 20 && 'portions' in last; turns++) {
      expect(await store.isSlugTaken(notebook.slug, noon + 2 * minute)).toBe(true);
      last = await purge();
    }
    expect(last).toEqual({ expired: 0, burned: 0, [kind]: 1 });
    expect(await store.countNotebooks(2)).toBe(0);
    expect(await store.isSlugTaken(notebook.slug, noon + minute - 1)).toBe(true);
    expect(await store.isSlugTaken(notebook.slug, noon + minute)).toBe(false);
  });

  it('touches nothing of one whose expiry is put off before its first portion', async () => {
    const { notebook, owner } = await make(store, { expiresAt: noon - 1 }, large);
    const purged = purge();
    await store.changeSettings(owner, { expiresAt: noon + day }, noon);
    await purged;
    expect(await store.findNotebookBySlug(notebook.slug)).toMatchObject({ expiresAt: noon + day, visibility: 'unlisted' });
    expect(await store.listPages(notebook.id)).toHaveLength(5);
    expect(await purge()).toEqual({ expired: 0, burned: 0 });
  });
});

describe('the text index of a database in memory', () => {
  it('holds nothing: pages leave its queue, and a search is refused as the database’s fault', async () => {
    const { notebook } = await make(store, { visibility: 'public' }, ['one', 'two']);
    const turn = () => store.indexNextPage('', noon);
    const { id: notebookId } = notebook;
    expect([await turn(), await turn(), await turn()]).toEqual([{ notebookId }, { notebookId }, undefined]);
    const searching = store.searchPublic({ query: 'one', limit: 1, offset: 0, now: noon });
    await expect(searching).rejects.toMatchObject({
      code: 'unavailable',
      cause: { message: 'A database in memory has no text index.' },
    });
    expect(await store.searchPublic({ query: ' ', limit: 1, offset: 0, now: noon })).toEqual([]);
  });
});

describe('the queue of the text index', () => {
  it('has no turn for a page that nobody may search', async () => {
    for (const over of [
      { visibility: 'unlisted' },
      { visibility: 'private' },
      { visibility: 'public', takenDownAt: noon },
    ] as const) {
      const { owner, pages } = await make(store, over);
      await store.changePage(owner, pages[0]!.id, aChange({ markdown: 'changed' }), noon);
      await store.changeSettings(owner, { title: 'Another' }, noon);
    }
    expect(await store.indexNextPage('', noon)).toBeUndefined();
  });

  it('has a turn for a page that is added, and for one that is changed', async () => {
    const { notebook, owner, pages } = await make(store, { visibility: 'public' });
    const queued = async () => {
      const turns = [await store.indexNextPage('', noon), await store.indexNextPage('', noon)];
      return turns.map(turn => turn?.notebookId);
    };
    const once = [notebook.id, undefined];
    expect(await queued()).toEqual(once);
    await store.addPage(owner, { id: newId(), givenTitle: '', heading: '', markdown: 'new' }, undefined, noon);
    expect(await queued()).toEqual(once);
    await store.changePage(owner, pages[0]!.id, aChange({ markdown: 'changed' }), noon);
    expect(await queued()).toEqual(once);
  });
});

describe('the file that a page was imported from', () => {
  it('outdates what was drawn when it is another one, and not when it is the same', async () => {
    const { notebook, owner, pages } = await make(store);
    const version = async () => (await store.findNotebookBySlug(notebook.slug))?.version;
    const change = (path: string, patch: string) =>
      store.changePage(owner, pages[0]!.id, aChange({ file: { path, patch } }), noon);
    const versions: unknown[] = [];
    for (const [path, patch] of [
      ['a.md', ''],
      ['a.md', ''],
      ['b.md', ''],
      ['b.md', '+ more'],
      ['b.md', '+ more'],
    ] as const) {
      expect((await change(path, patch)).kind).toBe('unchanged');
      versions.push(await version());
    }
    expect(versions).toEqual([2, 2, 3, 4, 4]);
  });
});

describe('a page that is added', () => {
  it('is its writer’s: a visitor’s saves spare the text of an owner, and none of a visitor', async () => {
    for (const by of ['owner', 'visitor'] as const) {
      const made = await make(store, { openEditing: true });
      const page = { id: newId(), givenTitle: '', heading: '', markdown: `by ${by}` };
      expect((await store.addPage(made[by], page, undefined, noon)).kind).toBe('added');
      const moments = [noon + 1, noon + 2, ...Array.from({ length: 20 }, (_, turn) => noon + 2 * day + turn)];
      for (const now of moments) await store.changePage(made.visitor, page.id, aChange({ markdown: `defaced ${now}` }), now);
      const heads = await store.listSnapshots(made.notebook.id, page.id);
      const kept = await Promise.all(heads.map(({ id }) => store.findSnapshot(made.notebook.id, id)));
      const isKept = kept.some(snapshot => snapshot?.markdown === page.markdown);
      expect([by, kept.length, isKept]).toEqual([by, 10, by === 'owner']);
    }
  });
});

describe('ten snapshots that are as large together as they may be', () => {
  it('make room for a larger one: as many of the oldest go as it takes', async () => {
    const small = createStore('sqlite::memory:', { maxNotebookBytes: 1_000 });
    await small.migrate();
    const { notebook, owner, pages } = await make(small, {}, ['0'.repeat(500)]);
    const save = (markdown: string) => small.changePage(owner, pages[0]!.id, aChange({ markdown }), noon);
    const heads = () => small.listSnapshots(notebook.id, pages[0]!.id);
    for (let turn = 1; turn <= 9; turn++) await save(`${turn}`.repeat(500));
    await save('x'.repeat(1_000));
    expect((await heads()).map(({ bytes }) => bytes)).toEqual(Array(10).fill(500));
    await save('y');
    // 5 bytes a byte of the notebook.
    expect((await heads()).map(({ bytes, revision }) => [bytes, revision])).toEqual([
      [1_000, 11],
      ...[10, 9, 8, 7, 6, 5, 4, 3].map(revision => [500, revision]),
    ]);
    await small.close();
  });
});

describe('the operator', () => {
  it('takes a notebook down and puts it back', async () => {
    const { notebook } = await make(store);
    const takenDownAt = async () => (await store.findNotebookBySlug(notebook.slug))?.takenDownAt;
    expect(await store.takeDown('no-such-slug', noon)).toBe('missing');
    expect(await store.takeDown(notebook.slug, null)).toBe('unchanged');
    expect(await store.takeDown(notebook.slug, noon)).toBe('changed');
    expect(await takenDownAt()).toBe(noon);
    expect(await store.takeDown(notebook.slug, noon + 1)).toBe('unchanged');
    expect(await takenDownAt()).toBe(noon);
    expect(await store.takeDown(notebook.slug, null)).toBe('changed');
    expect(await takenDownAt()).toBeNull();
  });

  it('puts a notebook back into the text index, and none that nobody may search', async () => {
    const { notebook } = await make(store, { visibility: 'public' });
    const turn = () => store.indexNextPage('', noon);
    const queued = { notebookId: notebook.id };
    expect([await turn(), await turn()]).toEqual([queued, undefined]);
    await store.takeDown(notebook.slug, noon);
    expect(await turn()).toBeUndefined();
    await store.takeDown(notebook.slug, null);
    expect([await turn(), await turn()]).toEqual([queued, undefined]);
  });
});

describe('a save that is counted', () => {
  const slot = { name: 'contentWrite', key: 'someone', max: 2, windowSeconds: 60 };
  const page = () => ({ id: newId(), givenTitle: '', heading: '', markdown: 'new' });

  it('is refused past its bound until the window is over, and says for how long', async () => {
    const { owner, notebook } = await make(store);
    const add = (now: number) => store.addPage(owner, page(), undefined, now, slot);
    expect((await add(noon)).kind).toBe('added');
    expect((await add(noon + 1_500)).kind).toBe('added');
    expect(await add(noon + 1_500)).toEqual({ kind: 'rate_limited', retryAfterSeconds: 59 });
    expect(await add(noon + minute - 1)).toEqual({ kind: 'rate_limited', retryAfterSeconds: 1 });
    expect(await store.listPages(notebook.id)).toHaveLength(3);
    expect((await add(noon + minute)).kind).toBe('added');
  });

  it('counts also where it changes nothing, and not where nobody counts', async () => {
    const { owner, pages } = await make(store, { readOnly: true });
    const remove = (counted?: typeof slot) => store.deletePage(owner, pages[0]!.id, noon, undefined, counted);
    expect([await remove(slot), await remove(slot), await remove(slot), await remove()].map(({ kind }) => kind)).toEqual([
      ...['read_only', 'read_only', 'rate_limited', 'read_only'],
    ]);
    expect(await store.countRateUses(slot, noon)).toBe(2);
  });

  it('waits no longer than a window, whatever clock began it', async () => {
    const { owner } = await make(store);
    const full = { ...slot, max: 0 };
    expect(await store.addPage(owner, page(), undefined, noon, full)).toEqual({ kind: 'rate_limited', retryAfterSeconds: 60 });
    expect(await store.takeRateSlot({ ...slot, windowSeconds: 5, max: 0 }, noon)).toEqual({
      allowed: false,
      retryAfterSeconds: 5,
    });
  });
});
