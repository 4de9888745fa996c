import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nextTurn } from '../../src/event-loop-turns.ts';
import { limits } from '../../src/limits.ts';
import type { Segment } from '../../src/model/hits.ts';
import type { Notebook } from '../../src/model/notebook.ts';
import { findInNotebook } from '../../src/operations/find-in-notebook.ts';
import { searchNotebooks } from '../../src/operations/search-notebooks.ts';
import { aNotebook, aPage, noon } from '../store/contract/subject.ts';
import { type OpenParts, openParts, told } from '../support/parts-in-memory.ts';

let open: OpenParts;
const { signal } = new AbortController();
beforeEach(async () => {
  open = await openParts();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await open.close();
});
/** Hits in brackets. */
const show = (segments: readonly Segment[]) => segments.map(({ text, hit }) => (hit ? `[${text}]` : text)).join('');
const x = (count: number) => 'x'.repeat(count);

describe('what is looked for in one notebook', () => {
  async function find(query: string, texts: readonly string[], over: Partial<Notebook> = {}, requireStillOpen = async () => {}) {
    const { notebook } = await open.keep(over, texts);
    const found = await findInNotebook(open.parts, notebook, query, signal, requireStillOpen);
    return found.map(({ page, title, snippet }) => [page.position, show(title), show(snippet)]);
  }

  it('is every word of it, in the title or the text, page by page', async () => {
    expect(await find(' needle thread ', ['a needle and a thread', 'a needle', 'needle [thread](thread.md)', 'none'])).toEqual([
      [0, expect.any(String), 'a [needle] and a [thread]'],
      [2, expect.any(String), '[needle] [thread]'],
    ]);
    expect(await find('Page text', ['no words', 'some text'])).toEqual([[1, '[Page] 1', 'some [text]']]);
    expect(await find('Page', ['one', 'two'])).toEqual([
      [0, '[Page] 0', 'one'],
      [1, '[Page] 1', 'two'],
    ]);
    expect(await find('  ', ['one'])).toEqual([]);
  });

  it('is a word of its own when it has one or two letters, also where a piece of the text ends', async () => {
    expect(await find('to needle', ['a needle in a tomato', 'a needle to a tomato'])).toEqual([
      [1, expect.any(String), 'a [needle] [to] a tomato'],
    ]);
    expect((await find('to needle', ['to a needle', 'a needle to'])).length).toBe(2);
    expect((await find('to needle', ['a needle'], { title: 'Tomato' })).length).toBe(0);
    expect((await find('age needle', ['a needle'])).length).toBe(1);
    expect((await find('ag needle', ['a needle'])).length).toBe(0);
    const at = (place: number, word: string) => `needle ${x(place - 7 - word.indexOf('ab'))}${word}${x(9_000)}`;
    const isFound = async (place: number, word: string) => (await find('ab needle', [at(place, word)])).length === 1;
    for (const place of [16_384, 17_406])
      expect([place, await isFound(place, ' ab '), await isFound(place, ' abc '), await isFound(place, 'cab ')]).toEqual([
        ...[place, true, false, false],
      ]);
  });

  it('is shown where it stands, and not where only an address has it', async () => {
    expect(await find('hidden', ['[a link](hidden.md)'])).toEqual([]);
    expect(await find('hidden', [`[a link](hidden.md) ${x(200_000)}`])).toEqual([[0, expect.any(String), `a link ${x(213)}…`]]);
    expect(await find('hidden', [`[a link](hidden.md)${x(200_000 - 19)}`])).toEqual([]);
    const far = `${x(40_000)} needle ${x(40_000)}`;
    expect(await find('needle', [far])).toEqual([[0, expect.any(String), expect.stringContaining('[needle]')]]);
    // Across the end of a piece, and the words pieces apart.
    for (const at of [16_380, 16_384, 17_405])
      expect(await find('needle', [`${x(at - 1)} needle ${x(9_000)}`])).toEqual([
        [0, expect.any(String), expect.stringContaining('[needle]')],
      ]);
    expect(await find('needle thread', [`needle ${x(40_000)} thread`])).toEqual([
      [0, expect.any(String), expect.stringMatching(/^\[needle\]/)],
    ]);
  });

  it('is shown without the title that stands above it', async () => {
    expect(await find('page', ['# Page 0\n\nAll about it.', '# Page 1', 'Page 22'])).toEqual([
      [0, '[Page] 0', 'All about it.'],
      [1, '[Page] 1', ''],
      [2, '[Page] 2', '[Page] 22'],
    ]);
    expect(await find('needle', ['# Page 0\n\nA needle.'])).toEqual([[0, 'Page 0', 'A [needle].']]);
  });

  it('may have so many characters', async () => {
    expect(await find(`${x(limits.maxSearchQueryChars)} `, ['one'])).toEqual([]);
    expect(await told(find(x(limits.maxSearchQueryChars + 1), ['one']))).toBe(
      `invalid: q must be at most ${limits.maxSearchQueryChars} characters`,
    );
  });

  it('ends when nobody waits, or the gate closes, and leaves out what ended the process', async () => {
    const { notebook } = await open.keep({}, ['needle', 'needle']);
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(findInNotebook(open.parts, notebook, 'needle', gone, async () => {})).rejects.toThrow('gone');
    const closed = () => Promise.reject(new Error('closed'));
    await expect(findInNotebook(open.parts, notebook, 'needle', signal, closed)).rejects.toThrow('closed');
    vi.spyOn(open.parts.texts, 'isUnsafe').mockReturnValueOnce(true);
    expect(
      (await findInNotebook(open.parts, notebook, 'needle', signal, async () => {})).map(({ page }) => page.position),
    ).toEqual([1]);
  });
});

describe('what is looked for in all', () => {
  interface Given {
    readonly text?: string;
    readonly notebook?: Partial<Notebook>;
    readonly position?: number;
    readonly heading?: string;
  }
  const hitOf = ({ text = 'a needle', notebook = {}, position = 1, heading = 'Heading' }: Given = {}) => {
    const of = aNotebook({ visibility: 'public', title: 'Notes', ...notebook });
    return { notebook: of, page: aPage(of.id, position, { heading }), text };
  };
  const answer = (...given: Given[]) => vi.spyOn(open.parts.store, 'searchPublic').mockResolvedValue(given.map(hitOf) as never);
  const search = (query = 'needle', page = 1, over: AbortSignal = signal) =>
    searchNotebooks(open.parts, { query, page, client: 'c', signal: over });
  const snippets = async (query: string) => (await search(query)).items.map(({ snippet }) => show(snippet));

  it('is asked of the index, a page at a time', async () => {
    const asked = answer(...Array(limits.searchPageItems + 1).fill({}));
    const found = await search(' needle ', 2);
    expect([found.query, found.page, found.more, found.items.length]).toEqual(['needle', 2, true, limits.searchPageItems]);
    expect(asked).toHaveBeenCalledWith({
      query: 'needle',
      limit: limits.searchPageItems + 1,
      offset: limits.searchPageItems,
      now: noon,
    });
    expect((await search('needle', limits.maxSearchPages)).more).toBe(false);
    answer(...Array(limits.searchPageItems).fill({}));
    expect((await search()).more).toBe(false);
  });

  it.each([
    ['', 1, 'invalid: q must say what to look for'],
    ['  ', 1, 'invalid: q must say what to look for'],
    ['😀'.repeat(limits.maxSearchQueryChars + 1), 1, `invalid: q must have at most ${limits.maxSearchQueryChars} characters`],
    ['😀'.repeat(limits.maxSearchQueryChars), 1, 'ok'],
    ['a', 0, `invalid: page must be from 1 to ${limits.maxSearchPages}`],
    ['a', limits.maxSearchPages + 1, `invalid: page must be from 1 to ${limits.maxSearchPages}`],
    ['a', Number.NaN, `invalid: page must be from 1 to ${limits.maxSearchPages}`],
  ])('is refused by name: %#', async (query, page, said) => {
    answer();
    expect(await told(search(query, page))).toBe(said);
  });

  it('is shown with its titles and where it stands', async () => {
    answer(
      { text: 'a needle', heading: 'The needle', notebook: { title: 'Needle notes' } },
      { position: 0, heading: '', notebook: { title: 'Notes' } },
    );
    const [first, second] = (await search()).items;
    expect([show(first!.title), show(first!.notebookTitle), show(first!.snippet)]).toEqual([
      'The [needle]',
      '[Needle] notes',
      'a [needle]',
    ]);
    expect(first).toMatchObject({ slug: expect.stringMatching(/^n-/), pageId: expect.any(String), position: 1, updatedAt: noon });
    expect([second!.position, show(second!.title)]).toEqual([0, 'Notes']);
  });

  it('is not shown of what stopped being public, nor of a text that ended the process', async () => {
    answer({ notebook: { visibility: 'private' } }, { notebook: { expiresAt: noon - 1 } }, {});
    expect((await search()).items).toHaveLength(1);
    vi.spyOn(open.parts.texts, 'isUnsafe').mockReturnValue(true);
    expect((await search()).items.map(({ snippet }) => snippet)).toEqual([[]]);
  });

  it('is shown in the piece that has its longest word', async () => {
    const long = `pin ${x(20_000)} haystack ${x(20_000)}`;
    answer({ text: long });
    for (const query of ['pin haystack', 'haystack pin']) expect((await snippets(query))[0]).toContain('[haystack]');
    expect((await snippets('pin something'))[0]).toContain('[pin]');
    expect((await snippets('absent'))[0]).toMatch(/^pin x/);
    answer({ text: '' });
    expect(await snippets('absent')).toEqual(['']);
    for (const at of [16_380, 16_384]) {
      answer({ text: `${x(at - 1)} needle ${x(9_000)}` });
      expect((await snippets('needle'))[0]).toContain('[needle]');
    }
  });

  it('does not repeat the title, but where nothing else has it', async () => {
    answer(
      { heading: 'The needle', text: 'The needle  below is a needle' },
      { heading: 'The needle', text: 'The needle  below' },
    );
    expect(await snippets('needle')).toEqual(['below is a [needle]', 'The [needle] below']);
  });

  it('ends when nobody waits', async () => {
    answer({});
    await expect(search('needle', 1, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    const leaving = new AbortController();
    vi.spyOn(open.parts.store, 'searchPublic').mockImplementation(async () => {
      leaving.abort(new Error('gone'));
      return [hitOf()] as never;
    });
    await expect(search('needle', 1, leaving.signal)).rejects.toThrow('gone');
  });
});

it('pieces of work take turns of the event loop, one a turn', async () => {
  const order: string[] = [];
  const other = (async () => {
    for (let turn = 0; turn < 3; turn++) {
      await new Promise(resolve => setImmediate(resolve));
      order.push('other');
    }
  })();
  await Promise.all([1, 2, 3].map(piece => nextTurn().then(() => order.push(`piece ${piece}`))));
  await other;
  expect(order.filter(entry => entry !== 'other')).toEqual(['piece 1', 'piece 2', 'piece 3']);
  expect(order.indexOf('piece 3') - order.indexOf('piece 1')).toBeGreaterThan(2);
  const gone = AbortSignal.abort(new Error('gone'));
  const next = Promise.all([nextTurn(gone).catch((error: Error) => error.message), nextTurn(signal)]);
  expect(await next).toEqual(['gone', undefined]);
});
