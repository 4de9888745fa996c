import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Notebook } from '../../src/model/notebook.ts';
import { aChange, day, indexAll, type Made, make, minute, newId, noon } from '../store/contract/subject.ts';
import { type OpenSubject, openSubject } from '../store/open-subject.ts';
import { engines } from '../support/engines.ts';

describe.each(engines)('search over public notebooks on $name', engine => {
  let subject: OpenSubject;
  beforeAll(async () => {
    subject = await openSubject(engine);
  });
  afterAll(() => subject.close());

  /** In what is indexed by now. */
  const look = (query: string, over: { limit?: number; offset?: number; now?: number } = {}) =>
    subject.store.searchPublic({ query, limit: 20, offset: 0, now: noon, ...over });
  const search = async (query: string, over: Parameters<typeof look>[1] = {}) => {
    await indexAll(subject.store);
    return look(query, over);
  };
  const idsOf = async (query: string, over = {}) => (await search(query, over)).map(({ page }) => page.id);
  const makePublic = (texts: string[], over: Partial<Notebook> = {}) =>
    make(subject.store, { visibility: 'public', ...over }, texts);
  const first = ({ pages }: Made) => pages[0]!.id;

  describe('finds', () => {
    const texts: [what: string, text: string, words: string[], others: string[]][] = [
      [
        'Chinese words and characters',
        '明天北京的天气很好。',
        ['天气', '北京', '好', '天气很好', '北京 很好'],
        ['气天', '上海', '天京北'],
      ],
      ['Japanese', '東京タワーへ行きました', ['東京', 'タワー', 'へ', '行きました', 'ﾀﾜｰ'], ['京東', '大阪']],
      ['Korean', '한국어 텍스트', ['한국', '텍스트', '어'], ['국한']],
      ['Thai', 'ภาษาไทย', ['ไทย', 'ภาษา'], ['ทาย']],
      ['words of two letters', 'Go to the zq, use xv.', ['zq', 'xv', 'ZQ', 'go zq', '"xv"', '(zq)'], ['qz', 'z']],
      ['a word of one letter', 'plan ŋ', ['ŋ'], ['ɲ']],
      ['parts of words', 'Donaudampfschifffahrt', ['dampf', 'schiff', 'DONAU', 'dampf donau'], ['damf', 'dampfdonau']],
      ['accents, with and without', 'Cafékränzchen Ünïcode', ['cafekranzchen', 'cafékränzchen', 'UNICODE'], ['cafekrenzchen']],
      ['Greek, whose last sigma is another letter', 'ΟΔΟΣ Ἑρμοῦ', ['οδος', 'ΟΔΟΣ', 'οδοσ', 'ερμου'], ['οδοι']],
      ['several words, wherever they stand', 'alder in the middle of birch', ['birch alder', 'middle birch of'], ['alder beech']],
      [
        'what looks like an operator',
        'set a-b OR "c:d" NEAR(x) * y^2 100% under_score',
        ['a-b', 'NEAR(x)', '"c:d"', '100%', 'under_score', 'y^2'],
        ['b-a OR alder', 'underXscore'],
      ],
      ['a quotation mark within a word', 'a print of 13"x18", framed', ['13"x18', '"x18'], ['13x18']],
      ['a character beyond the first plane', '𠮷野家で食べる', ['𠮷野', '𠮷', '𠮷野家'], ['野𠮷']],
    ];

    it.each(texts)('%s', async (_, text, words, others) => {
      const id = first(await makePublic([text]));
      await indexAll(subject.store);
      const found = async (word: string) => (await look(word)).map(({ page }) => page.id);
      for (const word of words) expect(await found(word), word).toContain(id);
      for (const word of others) expect(await found(word), word).not.toContain(id);
    });

    it('nothing for a query without a word in it', async () => {
      for (const query of ['', '   ', '"', '!?', '()']) expect(await search(query)).toEqual([]);
    });

    it('titles of notebook and page, and answers both with the text', async () => {
      const { notebook, pages, owner } = await makePublic(['quince'], { title: 'Orchard ledger' });
      await subject.store.changePage(owner, pages[0]!.id, aChange({ givenTitle: 'Pomology' }), noon);
      const [hit, ...others] = await search('orchard pomology quince');
      expect(others).toEqual([]);
      expect(hit).toMatchObject({
        notebook: { id: notebook.id, slug: notebook.slug, title: 'Orchard ledger', visibility: 'public', burnAfterRead: false },
        page: { id: pages[0]!.id, notebookId: notebook.id, position: 0, givenTitle: 'Pomology', revision: 2 },
        text: 'quince',
      });
    });

    it('a word only where its characters stand in this order', async () => {
      // Holds every three characters of "bananarama", but never that word.
      const scattered = first(await makePublic(['banan nanar anara naram arama']));
      const whole = first(await makePublic(['bananarama']));
      expect(await idsOf('bananarama')).toEqual([whole]);
      expect(await idsOf('anara')).toEqual(expect.arrayContaining([scattered, whole]));
    });
  });

  describe('judges by the notebook as it is now', () => {
    const hidden: [string, Partial<Notebook>][] = [
      ['unlisted', { visibility: 'unlisted' }],
      ['private', { visibility: 'private' }],
      ['locked with a password', { passwordHash: '$2b$12$x' }],
      ['burn after read', { burnAfterRead: true }],
      ['burned', { burnAfterRead: true, openedAt: noon }],
      ['expired at this very moment', { expiresAt: noon }],
      ['expired long ago', { expiresAt: noon - 30 * day }],
      ['taken down', { takenDownAt: noon - day }],
    ];

    it.each(hidden)('a notebook that is %s is not found, nor listed', async (_, over) => {
      const word = `w${newId()}`;
      const { notebook } = await makePublic([word], over);
      const seen = first(await makePublic([word]));
      expect(await idsOf(word)).toEqual([seen]);
      expect((await listAll('oldest')).map(listed => listed.notebook.id)).not.toContain(notebook.id);
    });

    it('follows every change of settings at once, in both directions', async () => {
      const word = `w${newId()}`;
      const { owner, pages } = await makePublic([word]);
      const turns: [object, object][] = [
        [{ visibility: 'unlisted' }, { visibility: 'public' }],
        [{ visibility: 'private' }, { visibility: 'public' }],
        [{ passwordHash: '$2b$12$x' }, { passwordHash: null }],
        [{ burnAfterRead: true }, { burnAfterRead: false }],
        [{ expiresAt: noon }, { expiresAt: noon + 1 }],
      ];
      for (const [away, back] of turns) {
        await subject.store.changeSettings(owner, away, noon);
        expect(await idsOf(word), JSON.stringify(away)).toEqual([]);
        await subject.store.changeSettings(owner, back, noon);
        expect(await idsOf(word), JSON.stringify(back)).toEqual([pages[0]!.id]);
      }
      await subject.store.deleteNotebook(owner, noon);
      expect(await search(word)).toEqual([]);
    });

    it('expires by the clock, without any write', async () => {
      const word = `w${newId()}`;
      await makePublic([word], { expiresAt: noon + minute });
      expect(await search(word, { now: noon + minute - 1 })).toHaveLength(1);
      expect(await search(word, { now: noon + minute })).toEqual([]);
    });
  });

  describe('orders and bounds', () => {
    it('pages whose title says it first, then the newest', async () => {
      const spoken = await makePublic(['about tamarack', 'about tamarack']);
      const titled = await makePublic(['x'], { title: 'Tamarack' });
      const newer = await makePublic(['more of tamarack'], { createdAt: noon + minute, updatedAt: noon + minute });
      await subject.store.changePage(newer.owner, first(newer), aChange({ markdown: 'tamarack!' }), noon + minute);
      await subject.store.changePage(spoken.owner, spoken.pages[1]!.id, aChange({ markdown: 'tamarack?' }), noon + 2 * minute);
      expect(await idsOf('tamarack')).toEqual([first(titled), spoken.pages[1]!.id, first(newer), spoken.pages[0]!.id]);
    });

    describe('among more pages than are ranked together', () => {
      const word = `w${newId()}`;
      let old: Made;
      let all: Made[];
      beforeAll(async () => {
        old = await makePublic([word]);
        const texts = (count: number) => Array.from({ length: count }, (_, at) => `${word} ${at}`);
        all = [old, ...(await Promise.all([1, 2, 3].map(() => makePublic(texts(90)))))];
        await indexAll(subject.store);
      });

      it('meets the page that changed last first, however many hold the word', async () => {
        expect(await idsOf(word, { limit: 300 })).toHaveLength(271);
        await subject.store.changePage(old.owner, first(old), aChange({ markdown: `${word} again` }), noon + day);
        expect((await idsOf(word))[0]).toBe(first(old));
      });

      it('pages through everything once', async () => {
        const seen: string[] = [];
        for (let offset = 0; offset < 300; offset += 20) seen.push(...(await idsOf(word, { offset })));
        expect(seen).toHaveLength(271);
        expect(new Set(seen)).toEqual(new Set(all.flatMap(({ pages }) => pages.map(({ id }) => id))));
      });
    });
  });

  async function listAll(order: 'oldest' | 'newest', limit = 7, now = noon) {
    const all = [];
    for (;;) {
      const last = all.at(-1)?.notebook;
      const batch = await subject.store.listPublic({
        order,
        limit,
        now,
        after: last && { updatedAt: last.updatedAt, id: last.id },
      });
      all.push(...batch);
      if (batch.length < limit) return all;
    }
  }

  it('lists every public notebook once, in batches, in both orders', async () => {
    const { notebook } = await makePublic(['one', 'two'], { updatedAt: noon - 3 * day });
    const oldest = await listAll('oldest');
    expect(new Set(oldest.map(listed => listed.notebook.id)).size).toBe(oldest.length);
    expect(oldest[0]).toMatchObject({ notebook: { id: notebook.id }, pages: [{ position: 0 }, { position: 1 }] });
    const newest = await listAll('newest', 5);
    expect(newest.map(listed => listed.notebook.id)).toEqual(oldest.map(listed => listed.notebook.id).reverse());
    expect(await listAll('oldest', 1000)).toEqual(oldest);
  });
});
