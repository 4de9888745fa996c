import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import type { Notebook } from '../../src/model/notebook.ts';
import { addPage } from '../../src/operations/add-page.ts';
import { changePage } from '../../src/operations/change-page.ts';
import { changeSettings } from '../../src/operations/change-settings.ts';
import { checkSlugAvailable } from '../../src/operations/check-slug.ts';
import { addComment, deleteComment } from '../../src/operations/comments.ts';
import { createNotebook } from '../../src/operations/create-notebook.ts';
import { deleteNotebook } from '../../src/operations/delete-notebook.ts';
import { deletePage } from '../../src/operations/delete-page.ts';
import { restoreSnapshot } from '../../src/operations/page-snapshots.ts';
import { quickPaste } from '../../src/operations/quick-paste.ts';
import { readExpiry } from '../../src/operations/read-notebook-input.ts';
import { rotateEditToken } from '../../src/operations/rotate-edit-token.ts';
import { day, minute, noon } from '../store/contract/subject.ts';
import { type OpenParts, openParts, told } from '../support/parts-in-memory.ts';
import { hiddenParts, tooLarge, waits } from './told-refusals.ts';

const client = '203.0.113.7';
const wrongToken = 'w'.repeat(43);
let open: OpenParts;
beforeEach(async () => {
  open = await openParts({ maxNotebookBytes: 3_000 });
});
afterEach(() => open.close());

const page = (markdown: string, over: object = {}) => ({ markdown, ...over });

/** None as a notebook has it by itself. */
const everySetting = {
  visibility: 'public',
  readOnly: true,
  burnAfterRead: true,
  openEditing: true,
  embedding: true,
  comments: false,
  paper: 'lined',
} as const;

describe('a new notebook', () => {
  const create = (input: Parameters<typeof createNotebook>[1]) => createNotebook(open.parts, input, client);

  it('has what nothing was said of by default', async () => {
    const { notebook, pages, editToken } = await create({});
    expect(notebook).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      slug: expect.stringMatching(/^[a-z0-9-]{6,}$/),
      title: expect.stringMatching(/^Untitled/),
      visibility: 'unlisted',
      ...{ expiresAt: null, passwordHash: null, readOnly: false, burnAfterRead: false, openedAt: null, readerHash: null },
      ...{ openEditing: false, embedding: false, comments: true, paper: 'plain', takenDownAt: null },
      ...{ createdAt: noon, updatedAt: noon, version: 1, markdownBytes: 0, editTokenHash: expect.any(String) },
    });
    expect(editToken).toMatch(/^[\w-]{43}$/);
    expect(notebook.editTokenHash).not.toBe(editToken);
    expect(pages).toEqual([
      {
        id: expect.any(String),
        notebookId: notebook.id,
        position: 0,
        givenTitle: '',
        heading: '',
        markdown: '',
        revision: 1,
        updatedAt: noon,
      },
    ]);
    expect(pages[0]!.id).toHaveLength(limits.idChars);
    expect((await create({ pages: [] })).pages).toHaveLength(1);
  });

  it('has what was said', async () => {
    const { notebook, pages } = await create({
      ...everySetting,
      slug: 'my-own-notes',
      title: '  My   notes ',
      expiresIn: '1h',
      password: 'secret',
      pages: [page('# One\ngrüße', { title: ' First ' }), page('two', { file: { path: 'two.md', patch: 'ab' } })],
    });
    expect(notebook).toMatchObject({
      ...everySetting,
      slug: 'my-own-notes',
      title: 'My notes',
      expiresAt: noon + 60 * minute,
      markdownBytes: 16,
    });
    expect(await open.parts.passwords.matches('secret', notebook.passwordHash!)).toBe(true);
    expect(pages).toMatchObject([
      { position: 0, givenTitle: 'First', heading: 'One', markdown: '# One\ngrüße' },
      { position: 1, givenTitle: '', heading: '', markdown: 'two', file: { path: 'two.md', patch: 'ab' } },
    ]);
    expect(await open.parts.store.findNotebookBySlug('my-own-notes')).toMatchObject({ ...everySetting, title: 'My notes' });
    expect((await create({ pages: [page('# Heading'), page('# Other')] })).notebook.title).toBe('Heading');
    expect((await create({ title: ' \n', pages: [page('text')] })).notebook.title).toMatch(/^Untitled/);
    expect((await create({ password: null })).notebook.passwordHash).toBeNull();
  });

  it.each<[object, string]>([
    [{ slug: 'api' }, 'slug_reserved: slug is reserved'],
    [{ slug: 'No Slug' }, 'invalid: slug '],
    [{ password: '' }, 'invalid: password must have 1 to 72 bytes of UTF-8'],
    [{ expiresIn: '1h', expiresAt: null }, 'invalid: expiresIn goes without expiresAt'],
    [{ expiresAt: 'tomorrow' }, 'invalid: expiresAt must be an RFC 3339 timestamp, for example 2030-01-31T12:00:00Z'],
    [{ expiresAt: new Date(noon).toISOString() }, 'invalid: expiresAt must lie in the future'],
    [
      { pages: [page('a'), page('x'.repeat(limits.maxMarkdownBytes + 1))] },
      `too_large: pages[1].markdown is longer than ${limits.maxMarkdownBytes} bytes of UTF-8`,
    ],
    [{ pages: [page('ü'.repeat(limits.maxMarkdownBytes / 2 + 1))] }, 'too_large: pages[0].markdown is longer'],
    [{ pages: [page('a', { file: { path: '../a.md' } })] }, 'invalid: pages[0].file.path '],
    [{ pages: [page('x'.repeat(3_001))] }, tooLarge('2.9 KiB')],
    [{ pages: [page('x'.repeat(2_990), { file: { path: 'some-file.md' } })] }, tooLarge('2.9 KiB', hiddenParts)],
  ])('is refused, and costs nothing of its limit: %#', async (input, answer) => {
    expect(await told(create(input))).toContain(answer);
    expect(await open.parts.store.countRateUses({ name: 'create', key: client }, noon)).toBe(0);
  });

  it('holds as much as it may, has a slug of its own, and counts for an address', async () => {
    expect(await told(create({ pages: [page('x'.repeat(3_000))] }))).toBe('ok');
    const { notebook } = await create({ slug: 'my-own-notes' });
    expect(await told(create({ slug: notebook.slug }))).toBe('slug_taken: slug is already taken');
    await expect(create({ slug: notebook.slug })).rejects.toMatchObject({
      extras: { detail: 'Choose an address other than "my-own-notes".' },
    });
    await expect(create({ slug: 'api' })).rejects.toMatchObject({ extras: { detail: '"api" is reserved for the service.' } });
    await open.fill('create', client, 60);
    expect(await told(create({}))).toBe(waits);
  });

  it('of long pages is read in turns of the event loop', async () => {
    await open.close();
    open = await openParts({ maxNotebookBytes: 5_000_000 });
    let [turns, isOpen] = [0, true];
    const count = () => {
      turns += 1;
      if (isOpen) setImmediate(count);
    };
    setImmediate(count);
    const long = page('x'.repeat(200_000));
    expect((await create({ pages: Array(6).fill(long) })).pages).toHaveLength(6);
    const longest = 'ü'.repeat(limits.maxMarkdownBytes / 2);
    expect((await create({ pages: [page(longest)] })).pages[0]!.markdown).toBe(longest);
    await expect(create({ pages: [page(`${longest}x`)] })).rejects.toMatchObject({
      extras: { detail: `pages[0].markdown is longer than ${limits.maxMarkdownBytes} bytes of UTF-8` },
    });
    isOpen = false;
    expect(turns).toBeGreaterThan(4);
  });

  it('from pasted text is called by its heading or its first line', async () => {
    const titleOf = async (text: string) => (await quickPaste(open.parts, text, 'markdown', client)).notebook.title;
    expect(await titleOf('text\n\n# Heading\n')).toBe('Heading');
    expect(await titleOf('\n\n  first   line \r\nsecond')).toBe('first line');
    expect(await titleOf('x'.repeat(80))).toBe('x'.repeat(80));
    expect(await titleOf('x'.repeat(81))).toBe(`${'x'.repeat(79)}…`);
    expect(await titleOf(`${'x'.repeat(78)} ${'😀'.repeat(5)}`)).toBe(`${'x'.repeat(78)}…`);
    expect(await titleOf('')).toMatch(/^Untitled/);
    expect((await quickPaste(open.parts, 'a line', 'markdown', client)).pages.map(({ markdown }) => markdown)).toEqual([
      'a line',
    ]);
  });

  it('expires when it is said, or never, or nothing is said', () => {
    expect([readExpiry({}, noon), readExpiry({ expiresAt: null }, noon), readExpiry({ expiresIn: '1h' }, noon)]).toEqual([
      ...[undefined, null, noon + 60 * minute],
    ]);
    expect(readExpiry({ expiresAt: new Date(noon + 1).toISOString() }, noon)).toBe(noon + 1);
  });
});

describe('a notebook', () => {
  it('whose password takes its time is not older than a text that was saved meanwhile', async () => {
    const { notebook, pages, editToken } = await open.keep();
    const { passwords } = open.parts;
    const hash = async (password: string) => {
      open.clock.now += minute;
      const at = { slug: notebook.slug, pageId: pages[0]!.id, expectedRevision: undefined };
      await changePage(open.parts, at, { markdown: 'meanwhile' }, { editToken });
      return passwords.hash(password);
    };
    const input = { password: 'key', expiresIn: '1h' } as const;
    const parts = { ...open.parts, passwords: { ...passwords, hash } };
    const { notebook: changed, pages: shown } = await changeSettings(parts, notebook.slug, input, { editToken });
    expect([changed.updatedAt, changed.expiresAt, shown![0]!.updatedAt]).toEqual([
      noon + minute,
      noon + 61 * minute,
      noon + minute,
    ]);
    open.clock.now = noon;
  });

  it('has settings that its owner changes, each by itself', async () => {
    const { notebook, pages, editToken } = await open.keep({ title: 'Before' }, ['one', 'two']);
    const change = async (input: Parameters<typeof changeSettings>[2], presented: object = { editToken }) =>
      (await changeSettings(open.parts, notebook.slug, input, { client, ...presented })).notebook;
    for (const [name, value] of Object.entries({ ...everySetting, readOnly: false })) {
      const before = (await open.parts.store.findNotebookBySlug(notebook.slug)) as Notebook;
      const { updatedAt: _u, version: _v, ...rest } = { ...before, [name]: value };
      expect(await change({ [name]: value })).toMatchObject(rest);
    }
    expect((await change({ title: ' New  title' })).title).toBe('New title');
    expect((await change({ expiresIn: '1h' })).expiresAt).toBe(noon + 60 * minute);
    expect((await change({ comments: true })).expiresAt).toBe(noon + 60 * minute);
    expect((await change({ expiresAt: null })).expiresAt).toBeNull();
    const { passwordHash } = await change({ password: 'secret' });
    expect(await open.parts.passwords.matches('secret', passwordHash!)).toBe(true);
    expect((await change({ comments: false })).passwordHash).toBe(passwordHash);
    expect((await change({ password: null })).passwordHash).toBeNull();
    await change({ pageOrder: [pages[1]!.id, pages[0]!.id] });
    expect((await open.parts.store.listPages(notebook.id)).map(({ markdown }) => markdown)).toEqual(['two', 'one']);
    expect(await told(change({ pageOrder: [pages[1]!.id] }))).toBe(
      'invalid: pageOrder must name every page of the notebook exactly once',
    );
    expect(await told(change({ password: '' }))).toMatch(/^invalid: password /);
    expect(await told(change({ expiresAt: 'soon' }))).toMatch(/^invalid: expiresAt /);
    expect(await told(change({}, {}))).toBe('edit_token_missing');
    await changeSettings(open.parts, notebook.slug, { readOnly: true }, { editToken });
    expect(await open.parts.store.countRateUses({ name: 'settings', key: 'unknown' }, noon)).toBe(1);
    expect(await told(change({ pageOrder: pages.map(({ id }) => id) }))).toBe('read_only');
    await open.fill('settings', client, 60);
    expect(await told(change({}))).toBe(waits);
  });

  it('whose title is emptied has its first heading as title, as a new one', async () => {
    const input = { title: 'Before', pages: [page('text\n\n## *First*'), page('# Second'), page('text')] };
    const { notebook, pages, editToken } = await createNotebook(open.parts, input, client);
    const change = async (input: Parameters<typeof changeSettings>[2]) =>
      (await changeSettings(open.parts, notebook.slug, input, { client, editToken })).notebook.title;
    const [first, second, third] = pages.map(({ id }) => id) as [string, string, string];
    expect(await change({ title: '' })).toBe('First');
    expect(await change({ title: ' Given ' })).toBe('Given');
    expect(await change({ paper: 'grid' })).toBe('Given');
    // With an order, the first page is the one that is first from then on.
    expect(await change({ title: ' \t\u202a', pageOrder: [second, first, third] })).toBe('Second');
    expect(await change({ title: '' })).toBe('Second');
    expect(await change({ title: '', pageOrder: [third, first, second] })).toBe('Untitled notebook');
  });

  it('has a new edit token when its owner asks, and the old one is dead', async () => {
    const { notebook, editToken } = await open.keep();
    const fresh = await rotateEditToken(open.parts, notebook.slug, { editToken });
    expect(fresh).toMatch(/^[\w-]{43}$/);
    expect(await told(rotateEditToken(open.parts, notebook.slug, { editToken }))).toBe('edit_token_invalid');
    expect(await told(rotateEditToken(open.parts, notebook.slug, { editToken: fresh }))).toBe('ok');
    expect(await told(rotateEditToken(open.parts, notebook.slug, {}))).toBe('edit_token_missing');
  });

  it('is deleted by its owner, and its slug stays taken for 90 days', async () => {
    const { notebook, editToken } = await open.keep();
    expect(await told(deleteNotebook(open.parts, notebook.slug, { editToken: wrongToken }))).toBe('edit_token_invalid');
    expect(await told(deleteNotebook(open.parts, notebook.slug, { editToken }))).toBe('ok');
    expect(await told(deleteNotebook(open.parts, notebook.slug, { editToken }))).toBe('not_found');
    const check = () => checkSlugAvailable(open.parts, notebook.slug, client);
    open.clock.now = noon + 90 * day - 1;
    expect(await check()).toEqual({ slug: notebook.slug, available: false, reason: 'taken' });
    open.clock.now += 1;
    expect(await check()).toEqual({ slug: notebook.slug, available: true });
  });

  it('is not there any more for a visitor who was let in and comes to write', async () => {
    const { notebook, pages, editToken } = await open.keep({}, ['one', 'two']);
    const presented = { editToken };
    const gone = async () => ({ kind: 'gone' }) as never;
    const store = { ...open.parts.store, ...{ rotateEditToken: async () => false, deleteNotebook: async () => false } };
    const methods = ['addPage', 'changePage', 'deletePage', 'restoreSnapshot', 'changeSettings', 'deleteComment'] as const;
    const parts = {
      ...open.parts,
      store: { ...store, ...Object.fromEntries(methods.map(name => [name, gone])), addComment: async () => 'gone' as const },
    };
    const at = { slug: notebook.slug, pageId: pages[0]!.id, expectedRevision: undefined, snapshotId: 's' };
    const asked = [
      rotateEditToken(parts, at.slug, presented),
      deleteNotebook(parts, at.slug, presented),
      addPage(parts, at.slug, {}, presented),
      changePage(parts, at, {}, presented),
      deletePage(parts, at, presented),
      restoreSnapshot(parts, at, presented),
      changeSettings(parts, at.slug, {}, presented),
      addComment(parts, at.slug, { body: 'a' }, presented, client),
      deleteComment(parts, at.slug, 'c', presented),
    ];
    expect(new Set(await Promise.all(asked.map(told)))).toEqual(new Set(['not_found']));
  });
});
