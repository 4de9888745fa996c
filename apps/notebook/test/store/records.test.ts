import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import type { Comment } from '../../src/model/comment.ts';
import type { Image } from '../../src/model/image.ts';
import type { Notebook } from '../../src/model/notebook.ts';
import { Admission, type Owner } from '../../src/model/rights.ts';
import { TextTracker } from '../../src/model/text-tracker.ts';
import { DatabaseUnavailable } from '../../src/store/database-unavailable.ts';
import { counted, first } from '../../src/store/engine.ts';
import { removeWithObjects } from '../../src/store/images/write-images.ts';
import { createStore } from '../../src/store/open-store.ts';
import { createSqlStore } from '../../src/store/sql-store.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { compileStatements } from '../../src/store/statements.ts';
import type { Store } from '../../src/store/store.ts';
import { anImage } from './contract/images.ts';
import { aChange, aNotebook, aPage, day, make, newId, noon } from './contract/subject.ts';

// In memory, as in-memory.test.ts: records that the contract leaves to the tests of the service.
let store: Store;
beforeEach(async () => {
  store = createStore('sqlite::memory:');
  await store.migrate();
});
afterEach(() => store.close());

describe('comments', () => {
  const aComment = (notebookId: string, over: Partial<Comment> = {}): Comment => ({
    id: newId(),
    notebookId,
    pageId: null,
    author: 'A reader’s name',
    body: 'a word',
    createdAt: noon,
    ...over,
  });
  const list = async (id: string) => (await store.listComments(id)).map(({ number: _, ...comment }) => comment);
  const versionOf = async ({ slug }: Notebook) => (await store.findNotebookBySlug(slug))?.version;

  it('come back as they were, in the order of their arrival, and the notebook is drawn anew', async () => {
    const { notebook, pages } = await make(store);
    const other = await make(store);
    const made = [aComment(notebook.id, { createdAt: noon + 1 }), aComment(notebook.id, { pageId: pages[0]!.id })];
    for (const comment of made) expect(await store.addComment(comment)).toBe('added');
    expect(await list(notebook.id)).toStrictEqual(made);
    expect(await list(other.notebook.id)).toEqual([]);
    expect([await versionOf(notebook), await versionOf(other.notebook)]).toEqual([3, 1]);
  });

  it.each([
    ['that is gone', 'gone', {}, newId()],
    ['that was taken down', 'gone', { takenDownAt: noon }, undefined],
    ['without comments', 'comments_off', { comments: false }, undefined],
  ] as const)('are not added to a notebook %s', async (_, refused, over, id) => {
    const { notebook } = await make(store, over);
    expect(await store.addComment(aComment(id ?? notebook.id))).toBe(refused);
    expect(await store.listComments(notebook.id)).toEqual([]);
    expect(await versionOf(notebook)).toBe(1);
  });

  it.each([{ visibility: 'private' }, { passwordHash: 'new' }, { expiresAt: noon }, { burnAfterRead: true }] as const)(
    'of a reader are not added once the owner has closed the notebook: %o',
    async closing => {
      const { notebook, owner } = await make(store);
      const reader = new Admission(notebook);
      expect(await store.addComment(aComment(notebook.id), reader)).toBe('added');
      await store.changeSettings(owner, closing, noon);
      expect(await store.addComment(aComment(notebook.id), reader)).toBe('gone');
      expect(await store.addComment(aComment(notebook.id))).toBe('added');
    },
  );

  it('are not added to another notebook’s page', async () => {
    const { notebook } = await make(store);
    const other = await make(store);
    expect(await store.addComment(aComment(notebook.id, { pageId: other.pages[0]!.id }))).toBe('page_missing');
    expect(await store.listComments(notebook.id)).toEqual([]);
  });

  it('have a limit in each notebook', async () => {
    const { notebook } = await make(store);
    const other = await make(store);
    for (let at = 0; at < limits.maxCommentsPerNotebook; at++) await store.addComment(aComment(notebook.id));
    expect(await store.addComment(aComment(notebook.id))).toBe('comment_limit');
    expect(await store.addComment(aComment(other.notebook.id))).toBe('added');
  });

  it('come in portions, each behind the last of the one before, whatever was deleted meanwhile', async () => {
    const { notebook, owner } = await make(store);
    const made = Array.from({ length: limits.maxCommentsAtOnce + 2 }, () => aComment(notebook.id));
    for (const comment of made) await store.addComment(comment);
    const first = await store.listComments(notebook.id);
    const last = first.at(-1)!;
    expect(first.map(({ id }) => id)).toEqual(made.slice(0, limits.maxCommentsAtOnce).map(({ id }) => id));
    await store.deleteComment(owner, last.id);
    expect((await store.listComments(notebook.id, last.number)).map(({ id }) => id)).toEqual(made.slice(-2).map(({ id }) => id));
  });

  it('of one page come in portions too; the first page has those on the notebook', async () => {
    const { notebook, owner } = await make(store);
    const [first] = await store.listPageHeads(notebook.id);
    const added = await store.addPage(owner, { id: newId(), givenTitle: '', heading: '', markdown: '' }, undefined, noon);
    if (added.kind !== 'added') throw new Error(added.kind);
    const second = added.page.id;
    const places = [null, second, first!.id, ...Array.from({ length: limits.maxCommentsAtOnce }, () => second)];
    const made = places.map(pageId => aComment(notebook.id, { pageId }));
    for (const comment of made) await store.addComment(comment);
    const of = async (page: string, after?: number) =>
      (await store.listCommentsOfPage(notebook.id, page, first!.id, after)).map(({ id, number }) => ({ id, number }));
    const idsOn = (...pages: (string | null)[]) => made.filter(({ pageId }) => pages.includes(pageId)).map(({ id }) => id);
    expect((await of(first!.id)).map(({ id }) => id)).toEqual(idsOn(null, first!.id));
    const some = await of(second);
    expect(some).toHaveLength(limits.maxCommentsAtOnce);
    expect([...some, ...(await of(second, some.at(-1)!.number))].map(({ id }) => id)).toEqual(idsOn(second));
  });

  it('are deleted by the owner of their notebook alone', async () => {
    const { notebook, owner } = await make(store);
    const other = await make(store);
    const [kept, deleted] = [aComment(notebook.id), aComment(notebook.id)];
    for (const comment of [kept, deleted]) await store.addComment(comment);
    expect(await store.deleteComment(other.owner, deleted.id)).toBe('comment_missing');
    expect(await store.deleteComment(owner, newId())).toBe('comment_missing');
    expect([await versionOf(notebook), await versionOf(other.notebook)]).toEqual([3, 1]);
    expect(await store.deleteComment(owner, deleted.id)).toBe('deleted');
    expect(await list(notebook.id)).toStrictEqual([kept]);
    expect([await versionOf(notebook), await versionOf(other.notebook)]).toEqual([4, 1]);
    await store.takeDown(notebook.slug, noon);
    expect(await store.deleteComment(owner, kept.id)).toBe('gone');
    expect(await list(notebook.id)).toStrictEqual([kept]);
    await store.deleteNotebook(other.owner, noon);
    expect(await store.deleteComment(other.owner, kept.id)).toBe('gone');
  });
});

describe('the public list', () => {
  const listed = { visibility: 'public' } as const;
  /** One page each; changed when it says. */
  async function keep(over: Partial<Notebook>, titles = ['only']): Promise<string> {
    const notebook = aNotebook({ ...listed, ...over });
    const pages = titles.map((heading, position) => aPage(notebook.id, position, { heading, givenTitle: `given ${heading}` }));
    expect(await store.createNotebook(notebook, pages)).toBe('created');
    return notebook.id;
  }
  const list = async (over: Partial<Parameters<Store['listPublic']>[0]> = {}) =>
    (await store.listPublic({ order: 'newest', limit: 10, now: noon, ...over })).map(({ notebook }) => notebook.id);

  it('holds what strangers may find, and nothing else', async () => {
    const found = [await keep({ updatedAt: noon }), await keep({ updatedAt: noon - 1, expiresAt: noon + 1 })];
    const hidden: Partial<Notebook>[] = [
      { visibility: 'unlisted' },
      { visibility: 'private' },
      { takenDownAt: noon },
      { passwordHash: 'a hash' },
      { burnAfterRead: true },
      { expiresAt: noon },
    ];
    for (const over of hidden) await keep(over);
    expect(await list()).toEqual(found);
  });

  it('gives the notebook with the heads of its pages, in their order', async () => {
    const id = await keep({ title: 'A title', updatedAt: noon + 5 }, ['one', 'two', 'three']);
    const [found, ...rest] = await store.listPublic({ order: 'newest', limit: 10, now: noon });
    expect(rest).toEqual([]);
    expect(found!.notebook).toStrictEqual(await store.findNotebookBySlug(found!.notebook.slug));
    expect(found!.pages).toStrictEqual(await store.listPageHeads(id));
    expect(found!.pages.map(({ heading }) => heading)).toEqual(['one', 'two', 'three']);
  });

  it.each(['newest', 'oldest'] as const)('is walked in portions, %s first, also where many changed at once', async order => {
    const times = [3, 1, 2, 2, 2, 0, 3];
    const made: { id: string; updatedAt: number }[] = [];
    for (const at of times) made.push({ id: await keep({ updatedAt: noon + at }), updatedAt: noon + at });
    const byTime = made
      .toSorted((one, other) => one.updatedAt - other.updatedAt || (one.id < other.id ? -1 : 1))
      .map(({ id }) => id);
    const wanted = order === 'oldest' ? byTime : byTime.toReversed();
    expect(await list({ order })).toEqual(wanted);
    const walked: string[] = [];
    for (let after: { id: string; updatedAt: number } | undefined; walked.length < times.length; ) {
      const portion = await list({ order, after, limit: 2 });
      expect(portion.length).toBe(Math.min(2, times.length - walked.length));
      walked.push(...portion);
      after = made.find(({ id }) => id === portion.at(-1));
    }
    expect(walked).toEqual(wanted);
  });
});

describe('a text that ended the process', () => {
  const unsafe = async () => (await store.listUnsafeTexts()).map(({ id, revision }) => [id, revision]);

  it('is unsafe from the second time on, told twice or not, until it is changed', async () => {
    const { pages, owner } = await make(store, {}, ['one', 'two']);
    const [page, other] = pages.map(({ id }) => id);
    await store.noteTextEnding({ id: page!, revision: 1, at: noon });
    await store.noteTextEnding({ id: page!, revision: 1, at: noon });
    await store.noteTextEnding({ id: other!, revision: 1, at: noon });
    expect(await unsafe()).toEqual([]);
    await store.noteTextEnding({ id: page!, revision: 1, at: noon + 1 });
    expect(await unsafe()).toEqual([[page, 1]]);
    await store.changePage(owner, page!, aChange({ markdown: 'safe' }), noon);
    expect(await unsafe()).toEqual([]);
    await store.noteTextEnding({ id: page!, revision: 2, at: noon + 2 });
    expect(await unsafe()).toEqual([]);
    await store.noteTextEnding({ id: page!, revision: 2, at: noon + 3 });
    await store.noteTextEnding({ id: other!, revision: 1, at: noon + 3 });
    expect((await unsafe()).sort()).toEqual([[page, 2] as const, [other, 1] as const].toSorted());
  });

  it('is forgotten with its page, and none is noted of a page that is gone', async () => {
    const { pages, owner } = await make(store, {}, ['one', 'two']);
    for (const at of [1, 2]) await store.noteTextEnding({ id: pages[1]!.id, revision: 1, at });
    await store.deletePage(owner, pages[1]!.id, noon);
    for (const at of [1, 2]) await store.noteTextEnding({ id: pages[1]!.id, revision: 1, at });
    expect(await unsafe()).toEqual([]);
  });
});

describe('an image', () => {
  async function keepImage(owner: Owner): Promise<Image> {
    const image = anImage(owner.notebookId);
    expect(await store.takeUploadSlot(owner, image.id, undefined, noon)).toEqual({ kind: 'taken' });
    expect(await store.addImage(owner, image, noon)).toEqual({ kind: 'added' });
    return image;
  }

  it('is found by the whole key of its object, with what decides whether its notebook is there', async () => {
    const { notebook, owner } = await make(store, { expiresAt: noon + day });
    const other = await make(store);
    const image = await keepImage(owner);
    expect(await store.findImage(image.key)).toStrictEqual({ image, notebook: { expiresAt: noon + day, takenDownAt: null } });
    const others = [
      `${notebook.id}/${image.id}.png`,
      `${notebook.id}/${image.id}`,
      `${other.notebook.id}/${image.id}.webp`,
      `${notebook.id}/${newId()}.webp`,
      `${image.key}/`,
      notebook.id,
      '',
    ];
    for (const key of others) expect(await store.findImage(key), key).toBeUndefined();
    await store.takeDown(notebook.slug, noon);
    expect(await store.findImage(image.key)).toMatchObject({ notebook: { takenDownAt: noon } });
    await store.takeDown(notebook.slug, null);
    await store.deleteNotebook(owner, noon);
    expect(await store.findImage(image.key)).toBeUndefined();
  });

  it('of one notebook is never kept in another', async () => {
    const { owner } = await make(store);
    const other = await make(store);
    const image = anImage(other.notebook.id);
    await store.takeUploadSlot(owner, image.id, undefined, noon);
    await expect(store.addImage(owner, image, noon)).rejects.toThrow('The image belongs to another notebook.');
    expect([await store.listImages(other.notebook.id), await store.listImages(owner.notebookId)]).toEqual([[], []]);
  });
});

describe('what is only kept to be quicker', () => {
  it('refuses nobody where the database takes no writes, and any other failure is told', async () => {
    const engine = openSqlite(':memory:');
    let failure: unknown;
    const fail = async (): Promise<never> => {
      throw failure;
    };
    const texts = new TextTracker();
    const broken = createSqlStore({ ...engine, run: fail, write: fail }, async () => [], { maxNotebookBytes: 1 }, texts);
    const keep = [
      () => broken.keepRendering('a page', { revision: 1, variant: 'view', engine: '1' }, { json: '{}', packed: null }),
      () => broken.keepFinishedPage('a page', 1, 'a build', { etag: '', frames: false, br: Buffer.alloc(0) }),
      () => broken.keepCard('a notebook', 1, 'a build', Buffer.alloc(0), noon),
    ];
    failure = new DatabaseUnavailable(new Error('database or disk is full'));
    for (const each of keep) await each();
    failure = new Error('no such table');
    for (const each of keep) await expect(each()).rejects.toBe(failure);
    await broken.close();
  });
});

describe('the bytes of a notebook', () => {
  it('are counted with every change, or the change is none', () => {
    const query = { sql: 'a change', values: [], isFixed: true };
    const steps = counted([query, query]);
    for (const rows of [[], [{ kept: true }]]) expect(steps.next(rows)).toEqual({ done: false, value: query });
    expect(() => steps.next([])).toThrow('The bytes of a notebook were not counted.');
    const fine = counted([query]);
    fine.next();
    expect(fine.next([{ markdownBytes: 5 }])).toEqual({ done: true, value: undefined });
    expect(() => counted([]).next()).toThrow('not counted');
  });
});

describe('the snapshots of a notebook', () => {
  it('stay when a person who no longer owns it deletes it, and go when its owner does', async () => {
    const { notebook, owner, pages } = await make(store);
    const page = pages[0]!.id;
    await store.changePage(owner, page, aChange({ markdown: 'second' }), noon);
    const rotated = newId() + newId();
    expect(await store.rotateEditToken(owner, rotated, noon)).toBe(true);
    expect(await store.deleteNotebook(owner, noon)).toBe(false);
    expect(await store.listSnapshots(notebook.id, page)).toHaveLength(1);
    expect(await store.findNotebookBySlug(notebook.slug)).toMatchObject({ editTokenHash: rotated });

    const mine = await make(store);
    await store.changePage(mine.owner, mine.pages[0]!.id, aChange({ markdown: 'second' }), noon);
    expect(await store.deleteNotebook(mine.owner, noon)).toBe(true);
    expect(await store.listSnapshots(mine.notebook.id, mine.pages[0]!.id)).toEqual([]);
  });
});

describe('the objects of a notebook', () => {
  it('are not queued for deletion when the notebook was not deleted after all', async () => {
    const engine = openSqlite(':memory:');
    const statements = compileStatements(engine, { maxNotebookBytes: 1 });
    const id = 'a notebook';
    const steps = removeWithObjects(statements, id, () => first(statements.notebooks.delete, { id }));
    expect(steps.next()).toMatchObject({ value: statements.images.objectsOf.with({ notebook: id }) });
    const found = steps.next([{ key: `${id}/image.webp`, underWay: null }]);
    expect(found).toMatchObject({ value: statements.notebooks.delete.with({ id }) });
    // Its expiry was postponed meanwhile: no row comes back.
    expect(steps.next([])).toEqual({ done: true, value: undefined });
    await engine.close();
  });
});

describe('the settings of a notebook', () => {
  it('may change after it was opened once: it stays opened, until burning is switched off', async () => {
    const opened = { openedAt: noon - 1, readerHash: 'f'.repeat(64) };
    const { notebook, owner } = await make(store, { burnAfterRead: true, ...opened });
    await store.changeSettings(owner, { title: 'Another' }, noon);
    expect(await store.findNotebookBySlug(notebook.slug)).toMatchObject({ title: 'Another', ...opened });
    await store.changeSettings(owner, { burnAfterRead: true }, noon);
    expect(await store.claimOpening(notebook.id, 'another reader', null, noon)).toBe(false);
    await store.changeSettings(owner, { burnAfterRead: false }, noon);
    expect(await store.findNotebookBySlug(notebook.slug)).toMatchObject({ openedAt: null, readerHash: null });
  });

  it('that are the same change nothing', async () => {
    const { notebook, owner, pages } = await make(store, { expiresAt: noon + day }, ['a', 'b']);
    const same = { title: notebook.title, expiresAt: noon + day, readOnly: false, pageOrder: pages.map(({ id }) => id) };
    expect(await store.changeSettings(owner, same, noon + 1)).toEqual({ kind: 'changed', notebook });
    expect(await store.findNotebookBySlug(notebook.slug)).toStrictEqual(notebook);
  });
});
