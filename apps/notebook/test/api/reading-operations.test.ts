import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Rendered } from '../../src/markdown/rendered.ts';
import type { Notebook, Page } from '../../src/model/notebook.ts';
import { Owner } from '../../src/model/rights.ts';
import { listLinks, planSitemap } from '../../src/operations/list-links.ts';
import { placeOf, readListed, walkListed } from '../../src/operations/list-notebooks.ts';
import { listPageFiles } from '../../src/operations/list-page-files.ts';
import * as read from '../../src/operations/read-notebook.ts';
import { PageLinkResolver } from '../../src/operations/resolve-page-links.ts';
import { sizeImages } from '../../src/operations/size-images.ts';
import { createAccessCheck, showAllPages, showPage, viewNotebook } from '../../src/operations/view-notebook.ts';
import { anImage } from '../store/contract/images.ts';
import { aChange, day, newId, noon } from '../store/contract/subject.ts';
import { type OpenParts, openParts, told } from '../support/parts-in-memory.ts';

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

let open: OpenParts;
beforeEach(async () => {
  const facts = { description: '', minutes: 1, slides: false };
  const render = async (markdown: string): Promise<Rendered> => ({ html: `<p>${markdown}</p>`, headings: [], facts });
  open = await openParts({ renderer: { render, engine: 'test', close: async () => {} } });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await open.close();
});

describe('images of the notebook', () => {
  it('say how large they are, where the writer does not', async () => {
    const { notebook } = await open.keep();
    const image = { ...anImage(notebook.id), width: 30, height: 20 };
    const objects = { publicUrl: (key: string) => `https://images.example/${key}` } as never;
    const parts = { objects, store: { ...open.parts.store, listImages: async () => [image] } };
    const size = async (html: string) => (await sizeImages(parts, notebook.id, { html, headings: [] })).html;
    const src = `src="https://images.example/${image.key}"`;
    const other = `<img src="https://images.example/${notebook.id}/other.png" alt="">`;
    expect(await size(`<p><img ${src} alt="a">${other}<img ${src}></p>`)).toBe(
      `<p><img ${src} width="30" height="20" alt="a">${other}<img ${src} width="30" height="20"></p>`,
    );
    // As PUBLIC_URL was once written, or by hand.
    for (const spelled of ['HTTPS://Images.Example/', 'https://images.example:443/', 'https:images.example/'])
      expect(await size(`<img src="${spelled}${image.key}">`)).toBe(`<img src="${spelled}${image.key}" width="30" height="20">`);
    for (const given of ['width="5"', 'height="5"']) expect(await size(`<img ${src} ${given}>`)).toBe(`<img ${src} ${given}>`);
    expect(await size('<img src="https://elsewhere.example/a.png">')).toBe('<img src="https://elsewhere.example/a.png">');
    const rendered: Rendered = { html: `<img ${src}>`, headings: [] };
    expect(await sizeImages({ ...parts, objects: undefined }, notebook.id, rendered)).toBe(rendered);
  });
});

describe('links from file to file', () => {
  it('lead to pages, in this page and no other rendering', async () => {
    const { notebook, pages } = await open.keep({}, ['one', '# Two']);
    const heads = await open.parts.store.listPageHeads(notebook.id);
    const paths = vi.spyOn(open.parts.store, 'listPagePaths').mockResolvedValue([
      { pageId: pages[0]!.id, path: 'one.md' },
      { pageId: pages[1]!.id, path: 'two.md' },
    ] as never);
    const linkResolver = new PageLinkResolver(
      open.parts,
      notebook,
      heads,
      ({ position }, heading) => `#page-${position}-${heading}`,
    );
    const html = (href: string) => `<p><a href="${href}">x</a></p>`;
    const aimed = async (text: string) => (await linkResolver.resolve(heads[0]!, { html: text, headings: [] })).html;
    expect(await aimed(html('two.md'))).toBe(html('#page-1-undefined'));
    expect(await aimed(html('two.md#Part%20two'))).toBe(html('#page-1-part-two'));
    expect(await aimed(html('three.md'))).toBe('<p><a title="There is no page for this link">x</a></p>');
    const long = `<p>${'word '.repeat(40_000)}</p>`;
    expect(await aimed(`${long}${html('two.md')}${long}`)).toBe(`${long}${html('#page-1-undefined')}${long}`);
    expect(paths).toHaveBeenCalledTimes(1);
    for (const rendered of [
      { html: html('two.md'), headings: [], plain: 'time' as const },
      { html: html('two.txt'), headings: [] },
    ])
      expect(await linkResolver.resolve(heads[0]!, rendered)).toBe(rendered);
  });
});

describe('the view', () => {
  it.each<[string, Partial<Notebook>, string, string]>([
    ['open', {}, 'open', 'ok'],
    ['locked', { passwordHash: 'hash' }, 'locked', 'password_required'],
    ['opens once', { burnAfterRead: true }, 'opens-once', 'not_found'],
    ['taken down', { takenDownAt: noon }, 'taken-down', 'taken_down'],
    ['private', { visibility: 'private' }, 'missing', 'not_found'],
  ])('of a notebook that is %s', async (_, over, kind, later) => {
    const { notebook, editToken } = await open.keep(over);
    const { slug } = notebook;
    expect(await viewNotebook(open.parts, slug, {})).toMatchObject({ kind });
    if (kind !== 'taken-down')
      expect(await viewNotebook(open.parts, slug, { editToken })).toMatchObject({
        kind: 'open',
        notebook,
        access: { kind: 'owner' },
      });
    if (kind === 'locked' || kind === 'opens-once') expect(await viewNotebook(open.parts, slug, {})).toEqual({ kind, notebook });
    const wrong = await viewNotebook(open.parts, slug, { editToken: 'w'.repeat(43) });
    expect(wrong).toEqual({ kind: kind === 'missing' || kind === 'taken-down' ? kind : 'wrong-token' });
    expect(await told(createAccessCheck(open.parts, slug, {})())).toBe(later);
  });

  it('of no notebook', async () => {
    expect(await viewNotebook(open.parts, 'no-such-notebook', {})).toEqual({ kind: 'missing' });
  });

  it('shows one page with its comments, the first with those on the whole', async () => {
    const { notebook, pages } = await open.keep({}, ['one', 'two']);
    const comment = (pageId: string | null) => ({
      id: newId(),
      notebookId: notebook.id,
      pageId,
      author: '',
      body: 'b',
      createdAt: noon,
    });
    const [onAll, onFirst, onSecond] = [comment(null), comment(pages[0]!.id), comment(pages[1]!.id)];
    for (const one of [onAll, onFirst, onSecond]) await open.parts.store.addComment(one);
    const show = (of: Notebook, pageId?: string) => showPage(open.parts, of, pageId, 'c', () => '');
    const first = await show(notebook);
    expect(first?.head.id).toBe(pages[0]!.id);
    expect(first?.heads.map(({ id }) => id)).toEqual(pages.map(({ id }) => id));
    expect(first?.rendered.html).toBe('<p>one</p>');
    expect(first?.comments?.map(({ id }) => id)).toEqual([onAll.id, onFirst.id]);
    expect((await show(notebook, pages[1]!.id))?.comments?.map(({ id }) => id)).toEqual([onSecond.id]);
    expect(await show({ ...notebook, comments: false })).not.toHaveProperty('comments');
    expect(await show(notebook, 'none')).toBeUndefined();
    const all = await showAllPages(open.parts, notebook, 'print', 'c', () => '');
    expect(all.map(({ page, rendered }) => [page.id, rendered.html])).toEqual([
      [pages[0]!.id, '<p>one</p>'],
      [pages[1]!.id, '<p>two</p>'],
    ]);
    vi.spyOn(open.parts.store, 'findPage').mockResolvedValue(undefined);
    vi.spyOn(open.parts.store, 'findRendering').mockResolvedValue(undefined);
    expect(await show(notebook)).toBeUndefined();
  });
});

describe('what is read', () => {
  it('is read by who may', async () => {
    const { notebook, pages, editToken } = await open.keep({ visibility: 'private' }, ['one', 'two']);
    const { slug } = notebook;
    const { heads, access } = await read.readNotebook(open.parts, slug, { editToken });
    expect([heads.map(({ id }) => id), access.kind]).toEqual([pages.map(({ id }) => id), 'owner']);
    expect(await told(read.readNotebook(open.parts, slug, {}))).toBe('not_found');
    expect(await read.readPageOf(open.parts, slug, pages[1]!.id, { editToken })).toMatchObject({
      page: { markdown: 'two' },
      notebook: { slug },
    });
    expect(await told(read.readPageOf(open.parts, slug, pages[1]!.id, {}))).toBe('not_found');
    expect(await told(read.readPageOf(open.parts, slug, 'none', { editToken }))).toBe('not_found');
    expect(await allOf(listPageFiles(open.parts, slug, { editToken }))).toEqual([]);
    expect(await told(allOf(listPageFiles(open.parts, slug, {})))).toBe('not_found');
  });

  it('has its files read one per turn of the event loop', async () => {
    const { notebook, pages, editToken } = await open.keep({}, ['one', 'two', 'three']);
    const owner = Owner.check(notebook, editToken)!;
    for (const { id } of pages)
      await open.parts.store.changePage(owner, id, aChange({ file: { path: `${id}.md`, patch: '' } }), 0);
    let turn = 0;
    const stop = new AbortController();
    const count = () => {
      turn += 1;
      if (!stop.signal.aborted) setImmediate(count);
    };
    count();
    const turns = new Set<number>();
    const findPageFile = (...asked: Parameters<typeof open.parts.store.findPageFile>) => {
      turns.add(turn);
      return open.parts.store.findPageFile(...asked);
    };
    const parts = { ...open.parts, store: { ...open.parts.store, findPageFile } };
    const files = await allOf(listPageFiles(parts, notebook.slug, { editToken }));
    stop.abort();
    expect(files.map(({ pageId }) => pageId)).toEqual(pages.map(({ id }) => id));
    expect(turns.size).toBe(3);
  });

  it('is one’s own by the edit token', async () => {
    const { notebook, editToken } = await open.keep();
    const own = await read.readOwnNotebook(open.parts, editToken);
    expect([own.notebook.id, own.access.kind, own.heads.length]).toEqual([notebook.id, 'owner', 1]);
    expect(await read.findOwnNotebook(open.parts, 'short')).toBeUndefined();
    expect(await told(read.readOwnNotebook(open.parts, undefined))).toBe('edit_token_missing');
    expect(await told(read.readOwnNotebook(open.parts, 'w'.repeat(43)))).toBe('not_found');
    await open.parts.store.takeDown(notebook.slug, noon);
    expect(await read.findOwnNotebook(open.parts, editToken)).toBe('taken-down');
    expect(await told(read.readOwnNotebook(open.parts, editToken))).toBe('taken_down');
  });

  it('as Markdown is all pages, with titles that the text does not say', async () => {
    const { pages } = await open.keep({}, ['one\r\ntwo\rthree\n\n', 'plain', '']);
    const [first, second, third] = pages as [Page, Page, Page];
    const given = [
      { ...first, heading: '', givenTitle: 'First' },
      { ...second, givenTitle: 'Same', heading: 'Same' },
      { ...third, givenTitle: '' },
    ];
    const markdown = '# First\n\none\ntwo\nthree\n\n---\n\nplain\n\n---\n\n\n';
    const stream = async (of: readonly Page[]) =>
      (
        await allOf(
          read.streamMarkdown(
            open.parts,
            (async function* () {
              yield* of;
            })(),
          ),
        )
      ).join('');
    expect(read.joinMarkdown(open.parts, given)).toBe(markdown);
    expect(await stream(given)).toBe(markdown);
    for (const at of [65_534, 65_535, 65_536, 65_537]) {
      const long = [{ ...first, givenTitle: '', markdown: `${'x'.repeat(at)}\r\n${'y'.repeat(70_000)}\n` }];
      expect(await stream(long)).toBe(read.joinMarkdown(open.parts, long));
    }
    vi.spyOn(open.parts.texts, 'isUnsafe').mockReturnValue(true);
    const raw = given.map(page => page.markdown).join('\n\n---\n\n');
    expect([read.joinMarkdown(open.parts, given), await stream(given)]).toEqual([`${raw}\n`, `${raw}\n`]);
  });

  it('page by page is what still stands, while the reader may', async () => {
    const { notebook, pages } = await open.keep({}, ['one', 'two', 'three']);
    const heads = await open.parts.store.listPageHeads(notebook.id);
    let may = 3;
    const walk = read.walkPages(open.parts, [heads[0]!, { ...heads[1]!, id: 'none' }, heads[2]!, heads[1]!], async () => {
      may -= 1;
      if (may < 0) throw new Error('not any more');
    });
    expect([(await walk.next()).value?.id, (await walk.next()).value?.id]).toEqual([pages[0]!.id, pages[2]!.id]);
    await expect(walk.next()).rejects.toThrow('not any more');
  });
});

describe('public notebooks', () => {
  const keepPublic = async (at: number, texts = ['one']) =>
    (await open.keep({ visibility: 'public', updatedAt: noon + at }, texts)).notebook;

  it('are listed a batch at a time, in either order, as long as they are public', async () => {
    const made = [await keepPublic(1), await keepPublic(2), await keepPublic(3)];
    await open.keep();
    const slugs = async (order: 'oldest' | 'newest', from?: Notebook) =>
      (await allOf(walkListed(open.parts, order, from && placeOf(from)))).map(({ notebook }) => notebook.slug);
    const [one, two, three] = made.map(({ slug }) => slug);
    expect([await slugs('oldest'), await slugs('newest'), await slugs('oldest', made[0])]).toEqual([
      [one, two, three],
      [three, two, one],
      [two, three],
    ]);
    const pages = [{ id: 'page' }];
    const batch = Array.from({ length: 10 }, () => ({ notebook: made[0], pages }));
    // Its pages went elsewhere between the two statements of the list.
    batch[3] = { notebook: made[2], pages: [] };
    const list = vi.spyOn(open.parts.store, 'listPublic');
    let turn = 0;
    const turns: number[] = [];
    const answer = (listed: unknown) => async () => {
      turns.push(turn);
      return listed as never;
    };
    list
      .mockImplementationOnce(answer(batch))
      .mockImplementationOnce(answer([{ notebook: { ...made[1], visibility: 'private' }, pages }]));
    let isListing = true;
    const count = (): void => {
      turn += 1;
      if (isListing) setImmediate(count);
    };
    setImmediate(count);
    expect(await slugs('oldest')).toEqual(Array.from({ length: 9 }, () => one));
    isListing = false;
    // A batch may have 2,000 pages: each has a turn of its own.
    expect(turns[0]).toBeGreaterThan(0);
    expect(turns[1]).toBeGreaterThan(turns[0]!);
    expect(list.mock.calls.map(([{ after, limit }]) => [after, limit])).toEqual([
      [undefined, 10],
      [{ updatedAt: noon + 1, id: made[0]!.id }, 10],
    ]);
  });

  it('are read once more, up to so many bytes', async () => {
    const notebook = await keepPublic(1, ['grüße', 'two']);
    const [listed] = await allOf(walkListed(open.parts, 'oldest'));
    expect((await readListed(open.parts, listed!, 10))?.markdown).toBe('grüße\n\n---\n\ntwo\n');
    expect(await readListed(open.parts, listed!, 9)).toMatchObject({ notebook: { id: notebook.id }, markdown: undefined });
    const less = { ...listed!, pages: [listed!.pages[0]!, { ...listed!.pages[1]!, id: 'none' }] };
    expect((await readListed(open.parts, less, 7))?.markdown).toBe('grüße\n');
    await open.parts.store.takeDown(notebook.slug, noon);
    expect(await readListed(open.parts, listed!, 10)).toBeUndefined();
    expect(await readListed(open.parts, { ...listed!, notebook: { ...notebook, slug: 'none' } }, 10)).toBeUndefined();
  });

  it('are read of one moment, and left out when each reading takes another person’s change', async () => {
    await keepPublic(1, ['one', 'two']);
    const [listed] = await allOf(walkListed(open.parts, 'oldest'));
    const { store } = open.parts;
    const [record, page] = [await store.findNotebookBySlug(listed!.notebook.slug), store.findPage];
    let version = record!.version;
    let changes = 1;
    vi.spyOn(store, 'findNotebookBySlug').mockImplementation(async () => {
      if (changes-- > 0) version += 1;
      return { ...record!, title: `version ${version}`, version };
    });
    vi.spyOn(store, 'findPage').mockImplementation(async (...given) => ({
      ...(await page(...given))!,
      markdown: `text ${version}`,
    }));
    const now = version + 1;
    expect(await readListed(open.parts, listed!, 99)).toEqual({
      notebook: { ...record, title: `version ${now}`, version: now },
      markdown: `text ${now}\n\n---\n\ntext ${now}\n`,
    });
    changes = Number.POSITIVE_INFINITY;
    expect(await readListed(open.parts, listed!, 99)).toMatchObject({ markdown: undefined, leftOut: 'changing' });
    expect(await readListed(open.parts, listed!, 9)).toMatchObject({ markdown: undefined, leftOut: 'too long' });
  });

  it('fill the files of a sitemap, none cut in two', async () => {
    const made = [
      await keepPublic(1, ['a', 'b']),
      await keepPublic(2, ['c']),
      await keepPublic(3, ['d', 'e']),
      await keepPublic(3 + day, ['f']),
    ];
    const plan = (most: number) => planSitemap(open.parts, most);
    const times = async (most: number) =>
      (await plan(most)).map(({ after, updatedAt }) => [after?.updatedAt, updatedAt].map(at => at && at - noon));
    expect(await times(6)).toEqual([[undefined, 3 + day]]);
    expect(await times(3)).toEqual([
      [undefined, 2],
      [2, 3 + day],
    ]);
    expect(await times(2)).toEqual([
      [undefined, 1],
      [1, 2],
      [2, 3],
      [3, 3 + day],
    ]);
    expect(await times(1)).toEqual([
      [undefined, 1],
      [1, 2],
      [2, 3],
      [3, 3 + day],
    ]);
    const files = await plan(3);
    const links = async (at: number, most = 3) =>
      (await allOf(listLinks(open.parts, files[at]!, files[at + 1], most))).map(({ slug, position, updatedAt }) => [
        slug,
        position,
        updatedAt,
      ]);
    const of = (at: number, position: number) => [made[at]!.slug, position, noon];
    expect(await links(0)).toEqual([of(0, 0), of(0, 1), of(1, 0)]);
    expect(await links(1)).toEqual([of(2, 0), of(2, 1), of(3, 0)]);
    expect(await links(0, 2)).toEqual([of(0, 0), of(0, 1)]);
    expect(await links(0, 100)).toHaveLength(3);
    expect(await links(1, 100)).toHaveLength(3);
  });

  it('without any have a sitemap without links', async () => {
    const files = await planSitemap(open.parts, 10);
    expect(files).toEqual([{ after: undefined, updatedAt: undefined }]);
    expect(await allOf(listLinks(open.parts, files[0]!, undefined, 10))).toEqual([]);
  });
});
