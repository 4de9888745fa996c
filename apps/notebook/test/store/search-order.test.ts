import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/store/engine.ts';
import { createSearchPublic } from '../../src/store/search/search-public.ts';
import { aNotebook, noon } from './contract/subject.ts';

// What a search makes of the answers of an index; the test gives them.

describe('a search whose index does not decide', () => {
  const texts: Record<string, string> = { one: 'alder and birch', two: 'ald der bir irch', three: 'alder, birch, too' };
  const candidate = (pageId: string) => ({ pageId, notebookTitle: '', givenTitle: '', heading: '', updatedAt: noon });
  const notebook = { ...aNotebook({ title: 'Trees' }), position: 0, givenTitle: '', heading: '', revision: 1 };
  const engine = {
    search: {
      queries: {
        decides: () => false,
        candidates: () => 'candidates',
        texts: (ids: readonly string[]) => ids,
      },
      read: async (asked: 'candidates' | readonly string[]) =>
        asked === 'candidates'
          ? Object.keys(texts).map(candidate)
          : asked.map(pageId => ({ ...notebook, pageId, pageUpdatedAt: noon, text: texts[pageId] })),
    },
  } as unknown as Engine;
  const search = async (query: string, over = {}) =>
    (await createSearchPublic(engine)({ query, limit: 10, offset: 0, now: noon, ...over })).map(({ page }) => page.id);

  it('looks at each text: all of the words are in it, or in a title', async () => {
    expect(await search('alder birch')).toEqual(['one', 'three']);
    expect(await search('birch too')).toEqual(['three']);
    expect(await search('trees alder')).toEqual(['one', 'three']);
    expect(await search('alder beech')).toEqual([]);
    expect(await search('alder', { offset: 1, limit: 1 })).toEqual(['three']);
  });
});

describe('a search whose index decides', () => {
  interface Head {
    readonly pageId: string;
    readonly notebookTitle?: string;
    readonly givenTitle?: string;
    readonly heading?: string;
    readonly updatedAt?: number;
  }
  const notebook = { ...aNotebook(), position: 0, givenTitle: '', heading: '', revision: 1 };
  /** The offsets of the portions, and how many texts were fetched at once. */
  let asked: number[][];
  /** The index holds these, the newest first; texts come back in any order, and not of pages that have left meanwhile. */
  const search = async (
    heads: readonly Head[],
    query: string,
    { gone = '', ...over }: { gone?: string; limit?: number; offset?: number } = {},
  ) => {
    const found = heads.map(head => ({ notebookTitle: '', givenTitle: '', heading: '', updatedAt: noon, ...head }));
    asked = [[], []];
    const queries = {
      decides: () => true,
      candidates: (_: unknown, batch: { limit: number; offset: number; now: number }) => batch,
      texts: (ids: readonly string[]) => ids,
    };
    const read = async (wanted: { limit: number; offset: number; now: number } | readonly string[]) => {
      if (!('offset' in wanted)) {
        asked[1]!.push(wanted.length);
        const left = wanted.filter(id => id !== gone).reverse();
        return left.map(pageId => ({ ...notebook, pageId, pageUpdatedAt: noon, text: `of ${pageId}` }));
      }
      asked[0]!.push(wanted.offset);
      expect(wanted).toMatchObject({ limit: 200, now: noon });
      return found.slice(wanted.offset, wanted.offset + wanted.limit);
    };
    const engine = { search: { queries, read } } as unknown as Engine;
    const hits = await createSearchPublic(engine)({ query, limit: 10, offset: 0, now: noon, ...over });
    for (const { page, text } of hits) expect(text).toBe(`of ${page.id}`);
    return hits.map(({ page }) => page.id);
  };
  const many = (count: number, over: Partial<Head> = {}) =>
    Array.from({ length: count }, (_, at) => ({ pageId: `p${at}`, updatedAt: noon - at, ...over }));
  const idsTo = (from: number, to: number) =>
    many(to)
      .map(({ pageId }) => pageId)
      .slice(from);

  it('has the pages first whose titles say every word, then those that changed last', async () => {
    const heads: Head[] = [
      { pageId: 'newest, in its text', updatedAt: noon + 9 },
      { pageId: 'one word only', notebookTitle: 'Larch', updatedAt: noon + 8 },
      {
        pageId: 'another title was given',
        notebookTitle: 'Larch',
        givenTitle: 'Trees',
        heading: 'Tamarack',
        updatedAt: noon + 7,
      },
      { pageId: 'oldest, by heading', notebookTitle: 'Larch', heading: 'Tamarack', updatedAt: noon + 1 },
      { pageId: 'notebook', notebookTitle: 'LARCH and Tamarack', updatedAt: noon + 2 },
      { pageId: 'given title', notebookTitle: 'Tamarack', givenTitle: 'Larch', heading: 'Trees', updatedAt: noon + 3 },
    ];
    expect(await search(heads, 'tamarack larch')).toEqual([
      'given title',
      'notebook',
      'oldest, by heading',
      'newest, in its text',
      'one word only',
      'another title was given',
    ]);
    // No word runs from one title into the other.
    const apart = { notebookTitle: 'tama', givenTitle: 'rack' };
    expect(
      await search(
        [
          { pageId: 'b', ...apart },
          { pageId: 'a', updatedAt: noon + 1 },
        ],
        'tamarack',
      ),
    ).toEqual(['a', 'b']);
  });

  it('has an order also for pages that changed at once', async () => {
    expect(
      await search(
        ['b', 'd', 'a', 'c'].map(pageId => ({ pageId })),
        'word',
      ),
    ).toEqual(['a', 'b', 'c', 'd']);
  });

  it('looks at 200 at a time and 1,200 in all, and ranks the first of them alone', async () => {
    expect(await search(many(199), 'word', { limit: 2_000 })).toHaveLength(199);
    expect(asked[0]).toEqual([0]);
    expect(await search(many(200), 'word', { limit: 2_000 })).toHaveLength(200);
    expect(asked[0]).toEqual([0, 200]);
    const titled = many(2_000).map((head, at) => (at % 201 === 200 ? { ...head, heading: 'Word' } : head));
    expect(await search(titled, 'word', { limit: 2_000 })).toEqual(idsTo(0, 1_200));
    expect(asked[0]).toEqual([0, 200, 400, 600, 800, 1_000]);
  });

  it('fetches 25 texts at once, none of what is skipped, and none past the limit', async () => {
    expect(await search(many(60), 'word', { offset: 25, limit: 5 })).toEqual(idsTo(25, 30));
    expect(asked[1]).toEqual([25]);
    expect(await search(many(60), 'word', { offset: 24, limit: 26 })).toEqual(idsTo(24, 50));
    expect(asked[1]).toEqual([25, 25]);
    expect(await search(many(60), 'word', { offset: 50, limit: 20 })).toEqual(idsTo(50, 60));
    expect(asked[1]).toEqual([10]);
  });

  it('leaves out a page that has left since the index was asked', async () => {
    expect(await search(many(4), 'word', { gone: 'p2' })).toEqual(['p0', 'p1', 'p3']);
  });
});
