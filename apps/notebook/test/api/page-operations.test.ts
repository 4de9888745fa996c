import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import { addPage } from '../../src/operations/add-page.ts';
import { changePage } from '../../src/operations/change-page.ts';
import { createNotebook } from '../../src/operations/create-notebook.ts';
import { deletePage } from '../../src/operations/delete-page.ts';
import { listSnapshots, readSnapshot, restoreSnapshot } from '../../src/operations/page-snapshots.ts';
import { filesIn, noon } from '../store/contract/subject.ts';
import { type OpenParts, openParts, told } from '../support/parts-in-memory.ts';
import { hiddenParts, tooLarge, waits } from './told-refusals.ts';

const client = '203.0.113.7';
let open: OpenParts;
beforeEach(async () => {
  open = await openParts({ maxNotebookBytes: 3_000 });
});
afterEach(() => open.close());

const page = (markdown: string, over: object = {}) => ({ markdown, ...over });

describe('a page', () => {
  const file = { path: 'a.md', patch: 'hidden' };

  it('is changed by its owner, and by a visitor only in its text', async () => {
    const { notebook, pages, editToken } = await open.keep({ openEditing: true }, ['# One\n', 'two']);
    const pageId = pages[0]!.id;
    const change = (input: object, presented: object = { editToken }, expectedRevision?: number) =>
      changePage(open.parts, { slug: notebook.slug, pageId, expectedRevision }, input, { client, ...presented });
    expect(await change({ title: ' New  title ', markdown: '# Two\n' }, {})).toMatchObject({
      ...{ givenTitle: 'New title', heading: 'Two', markdown: '# Two\n', revision: 2, updatedAt: noon },
    });
    expect(await change({ file }, {})).toMatchObject({ revision: 2 });
    expect(await filesIn(open.parts.store, notebook.id)).toEqual([]);
    expect(await change({ file: { path: 'a.md' } })).toMatchObject({ revision: 2, heading: 'Two', givenTitle: 'New title' });
    expect(await filesIn(open.parts.store, notebook.id)).toMatchObject([{ path: 'a.md', patch: '' }]);
    expect(await change({ title: 'Third' }, { editToken }, 2)).toMatchObject({ revision: 3, markdown: '# Two\n' });
    const stale = change({ title: 'Fourth' }, { editToken }, 2);
    await expect(stale).rejects.toMatchObject({
      code: 'stale_revision',
      extras: { detail: 'The page is at revision 3.', page: { id: pageId, title: 'Third', markdown: '# Two\n', revision: 3 } },
    });
    expect(await told(change({ markdown: 'x'.repeat(limits.maxMarkdownBytes + 1) }))).toMatch(/^too_large: markdown is longer/);
    expect(await told(change({ file: { path: '../a' } }))).toMatch(/^invalid: file\.path /);
    expect(await told(change({ markdown: 'x'.repeat(3_000) }))).toBe(tooLarge('2.9 KiB'));
    expect(await told(change({ markdown: 'x'.repeat(3_000), file }))).toBe(tooLarge('2.9 KiB', hiddenParts));
    expect(await told(change({ markdown: 'x'.repeat(3_000), file }, {}))).toBe(tooLarge('2.9 KiB'));
    expect(
      await told(changePage(open.parts, { slug: notebook.slug, pageId: 'none', expectedRevision: undefined }, {}, { editToken })),
    ).toBe('not_found');
    await open.fill('contentWrite', `${client} ${notebook.id}`, 600);
    expect(await told(change({ markdown: 'more' }))).toBe(waits);
  });

  it('that a browser saves by itself is kept as a snapshot every five minutes only', async () => {
    const { notebook, pages, editToken } = await open.keep();
    const at = { slug: notebook.slug, pageId: pages[0]!.id, expectedRevision: undefined };
    const save = (markdown: string, autosave?: boolean) =>
      changePage(open.parts, at, { markdown, ...(autosave === undefined ? {} : { autosave }) }, { editToken });
    const count = async () => (await listSnapshots(open.parts, at.slug, at.pageId, { editToken })).length;
    await save('a', true);
    await save('b', true);
    expect(await count()).toBe(1);
    await save('c');
    expect(await count()).toBe(2);
  });

  it('is added at the end or behind another', async () => {
    const { notebook, pages, editToken } = await open.keep({ openEditing: true }, ['one', 'two']);
    const add = (input: Parameters<typeof addPage>[2], presented: object = { editToken }) =>
      addPage(open.parts, notebook.slug, input, { client, ...presented });
    expect(await add({})).toMatchObject({ isNew: true, page: { position: 2, markdown: '', givenTitle: '' } });
    const second = await add({ after: pages[0]!.id, title: ' T ', markdown: '# H', file, key: 'once' });
    expect(second).toMatchObject({ isNew: true, page: { position: 1, givenTitle: 'T', heading: 'H', markdown: '# H' } });
    expect(await add({ markdown: 'again', key: 'once' })).toMatchObject({ isNew: false, page: { id: second.page.id } });
    expect(await filesIn(open.parts.store, notebook.id)).toMatchObject([file]);
    expect((await add({ file: { path: 'b.md' } }, {})).isNew).toBe(true);
    expect(await filesIn(open.parts.store, notebook.id)).toHaveLength(1);
    expect(await told(add({ after: 'none' }))).toBe('invalid: after is not a page of this notebook');
    expect(await told(add({ file: { path: '../b' } }))).toMatch(/^invalid: file\.path /);
    expect(await told(add({ markdown: 'x'.repeat(limits.maxMarkdownBytes + 1) }))).toMatch(/^too_large: markdown is longer/);
    expect(await told(add({ markdown: 'x'.repeat(3_000) }))).toBe(tooLarge('2.9 KiB'));
    expect(await told(add({ markdown: 'x'.repeat(3_000), file }))).toBe(tooLarge('2.9 KiB', hiddenParts));
    expect(await told(add({ markdown: 'x'.repeat(3_000), file }, {}))).toBe(tooLarge('2.9 KiB'));
    await open.fill('newPage', `${client} ${notebook.id}`, 200);
    expect(await told(add({}))).toBe(waits);
  });

  it('is rendered in advance when it is written, but not while a browser saves by itself', async () => {
    await open.close();
    const rendered: string[] = [];
    const render = async (markdown: string) => {
      rendered.push(markdown);
      return { html: '', headings: [] };
    };
    open = await openParts({ renderer: { render, engine: 'test', close: async () => {} } });
    const { notebook, pages, editToken } = await createNotebook(open.parts, { pages: [page('a'), page('b')] }, client);
    const at = { slug: notebook.slug, pageId: pages[0]!.id, expectedRevision: undefined };
    for (const markdown of ['c', 'again']) await addPage(open.parts, at.slug, { markdown, key: 'once' }, { editToken });
    await changePage(open.parts, at, { markdown: 'a', title: '' }, { editToken });
    await changePage(open.parts, at, { markdown: 'd', autosave: true }, { editToken });
    await changePage(open.parts, at, { markdown: 'e' }, { editToken });
    const snapshots = await listSnapshots(open.parts, at.slug, at.pageId, { editToken });
    await restoreSnapshot(open.parts, { ...at, snapshotId: snapshots.at(-1)!.id }, { editToken });
    await expect.poll(() => rendered.toSorted()).toEqual(['a', 'a', 'b', 'c', 'e']);
  });

  it('is one of two hundred at most', async () => {
    const { notebook, editToken } = await open.keep({}, Array(limits.maxPagesPerNotebook).fill(''));
    expect(await told(addPage(open.parts, notebook.slug, {}, { editToken }))).toBe(
      'page_limit: A notebook holds at most 200 pages.',
    );
  });

  it('is deleted by its owner, but not the last one, nor one that has changed', async () => {
    const { notebook, pages, editToken } = await open.keep({}, ['one', 'two']);
    const remove = (at: number, expectedRevision?: number, presented: object = { editToken }) =>
      told(deletePage(open.parts, { slug: notebook.slug, pageId: pages[at]!.id, expectedRevision }, { client, ...presented }));
    expect(await remove(0, undefined, {})).toBe('edit_token_missing');
    expect(await remove(0, 2)).toBe('stale_revision: The page is at revision 1.');
    expect(await remove(0, 1)).toBe('ok');
    expect(await remove(0)).toBe('not_found');
    expect(await remove(1)).toBe('last_page: Delete the notebook instead.');
    await open.fill('contentWrite', `${client} ${notebook.id}`, 600);
    expect(await remove(1)).toBe(waits);
  });

  it('has snapshots that its owner lists, reads and restores', async () => {
    const { notebook, pages, editToken } = await open.keep();
    const at = { slug: notebook.slug, pageId: pages[0]!.id };
    await changePage(open.parts, { ...at, expectedRevision: undefined }, { markdown: '# Two\n' }, { editToken });
    const [head] = await listSnapshots(open.parts, at.slug, at.pageId, { editToken });
    const snapshot = { ...at, snapshotId: head!.id };
    expect(await readSnapshot(open.parts, snapshot, { editToken })).toMatchObject({ markdown: '# One\n' });
    expect(await restoreSnapshot(open.parts, snapshot, { editToken })).toMatchObject({ markdown: '# One\n', revision: 3 });
    expect(await listSnapshots(open.parts, at.slug, at.pageId, { editToken })).toHaveLength(2);
    const missing = { ...snapshot, snapshotId: 'none' };
    expect(await told(readSnapshot(open.parts, missing, { editToken }))).toBe('not_found');
    expect(await told(restoreSnapshot(open.parts, missing, { editToken }))).toBe('not_found');
    expect(await told(listSnapshots(open.parts, at.slug, 'none', { editToken }))).toBe('not_found');
    for (const ask of [
      () => listSnapshots(open.parts, at.slug, at.pageId, {}),
      () => readSnapshot(open.parts, snapshot, {}),
      () => restoreSnapshot(open.parts, snapshot, {}),
    ])
      expect(await told(ask())).toBe('edit_token_missing');
    await open.fill('contentWrite', `${client} ${notebook.id}`, 600);
    expect(await told(restoreSnapshot(open.parts, snapshot, { editToken, client }))).toBe(waits);
  });
});
