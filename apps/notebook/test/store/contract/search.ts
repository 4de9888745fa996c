import { describe, expect, it } from 'vitest';
import { aChange, indexAll, make, newId, noon, type Subject } from './subject.ts';

/** The text index: what finds a page, and when a page is no longer found. */
export function searchContract(subject: () => Subject): void {
  const found = async (text: string, { id }: { id: string }) => {
    await indexAll(subject().store);
    return (await subject().search(text)).includes(id);
  };

  describe('the text index', () => {
    const texts: [string, string, string[], string[]][] = [
      ['a Chinese word of two characters', '明天北京的天气很好。', ['天气', '北京', '好', '天气很好'], ['气天', '上海']],
      ['Japanese', '東京タワーへ行きました', ['東京', 'タワー', 'へ', '行きました'], ['京東', '大阪']],
      ['Korean', '한국어 텍스트', ['한국', '텍스트', '어'], ['국한']],
      ['Thai', 'ภาษาไทย', ['ไทย', 'ภาษา'], ['ทาย']],
      ['words of two letters', 'Go to the UK, use AI.', ['go', 'uk', 'ai', 'GO'], ['us', 'th']],
      ['a word of one letter', 'plan b', ['b'], ['p', 'c']],
      ['parts of long words', 'Donaudampfschifffahrt', ['dampf', 'schiff', 'DONAU'], ['damf']],
      ['accents', 'Café Über naïve', ['cafe', 'über', 'uber', 'naive'], ['nave']],
      ['full-width letters', 'ＡＢＣ ｶﾀｶﾅ', ['abc', 'カタカナ'], ['abd']],
      ['the end of the text', 'the very end', ['end', 'very end'], ['ends']],
      ['characters beyond the first plane', '𠮷野家で', ['𠮷野', '𠮷'], ['野𠮷']],
    ];

    it.each(texts)('finds %s', async (_, text, words, others) => {
      const page = (await make(subject().store, { visibility: 'public' }, [text])).pages[0]!;
      for (const word of words) expect(await found(word, page), word).toBe(true);
      for (const word of others) expect(await found(word, page), word).toBe(false);
    });

    it('knows the titles of notebook and page', async () => {
      const { store } = subject();
      const { owner, pages } = await make(store, { visibility: 'public', title: 'Notizbuch' });
      await store.changePage(owner, pages[0]!.id, aChange({ givenTitle: 'Einkaufszettel' }), noon);
      for (const word of ['notizbuch', 'einkauf', 'one']) expect(await found(word, pages[0]!), word).toBe(true);
      await store.changeSettings(owner, { title: 'Tagebuch' }, noon);
      expect([await found('notizbuch', pages[0]!), await found('tagebuch', pages[0]!)]).toEqual([false, true]);
    });

    it('follows every change of text', async () => {
      const { store } = subject();
      const { owner, pages } = await make(store, { visibility: 'public' }, ['kohlrabi 白菜']);
      const snapshot = newId();
      await store.changePage(owner, pages[0]!.id, aChange({ markdown: 'sellerie 芹菜', newSnapshotId: snapshot }), noon);
      const words = ['kohlrabi', '白菜', 'sellerie', '芹菜'];
      const state = () => Promise.all(words.map(word => found(word, pages[0]!)));
      expect(await state()).toEqual([false, false, true, true]);
      await store.restoreSnapshot(owner, pages[0]!.id, snapshot, newId(), noon);
      expect(await state()).toEqual([true, true, false, false]);

      const added = await store.addPage(
        owner,
        { id: newId(), givenTitle: '', heading: '', markdown: 'mangold' },
        undefined,
        noon,
      );
      if (added.kind !== 'added') throw new Error(added.kind);
      expect(await found('mangold', added.page)).toBe(true);
      await store.deletePage(owner, added.page.id, noon);
      expect(await found('mangold', added.page)).toBe(false);
    });

    it('holds public notebooks only, from the moment of the change', async () => {
      const { store } = subject();
      const { owner, pages } = await make(store, { visibility: 'unlisted' }, ['pastinake', 'pastinake 2']);
      const state = () => Promise.all(pages.map(page => found('pastinake', page)));
      expect(await state()).toEqual([false, false]);
      for (const visibility of ['public', 'private', 'public', 'unlisted'] as const) {
        await store.changeSettings(owner, { visibility }, noon);
        expect(await state()).toEqual(visibility === 'public' ? [true, true] : [false, false]);
      }
    });

    it('forgets a notebook that is deleted or taken down, wholly', async () => {
      const { store, sql, indexedTerms } = subject();
      const [deleted, down] = await Promise.all([1, 2].map(() => make(store, { visibility: 'public' }, ['ŵŷ qxz 蘿蔔'])));
      await indexAll(store);
      expect(await indexedTerms(['wy', 'qxz', '蘿蔔', '蘿'])).not.toEqual([]);
      await store.deleteNotebook(deleted!.owner, noon);
      expect([await found('qxz', deleted!.pages[0]!), await found('qxz', down!.pages[0]!)]).toEqual([false, true]);
      await sql('UPDATE notebooks SET taken_down_at = ? WHERE id = ?', noon, down!.notebook.id);
      expect(await found('qxz', down!.pages[0]!)).toBe(false);
      expect(await indexedTerms(['wy', 'qxz', '蘿蔔', '蘿'])).toEqual([]);
    });

    it('is not looked at for what left it, before it has followed', async () => {
      const { store, search } = subject();
      const made = await make(store, { visibility: 'public' }, ['pomegranate', 'pomegranate too']);
      const hits = async () => (await store.searchPublic({ query: 'pomegranate', limit: 20, offset: 0, now: noon })).length;
      await indexAll(store);
      expect(await hits()).toBe(2);
      await store.changeSettings(made.owner, { visibility: 'unlisted' }, noon);
      expect(await hits()).toBe(0);
      await store.changeSettings(made.owner, { visibility: 'public' }, noon);
      await store.deletePage(made.owner, made.pages[1]!.id, noon);
      await indexAll(store);
      expect(await hits()).toBe(1);
      expect(await search('pomegranate')).toEqual([made.pages[0]!.id]);
    });

    it('is brought up to the queue by any process, one page at a time, notebooks in turns', async () => {
      const { store, another } = subject();
      await indexAll(store);
      const [many, one] = [
        await make(store, { visibility: 'public' }, ['kumquat 1', 'kumquat 2', 'kumquat 3']),
        await make(store, { visibility: 'public' }, ['kumquat 4']),
      ];
      const other = await another();
      const turns: (string | undefined)[] = [''];
      while (turns.length < 6) {
        const turn = await (turns.length % 2 ? store : other).indexNextPage(turns.at(-1) ?? '', noon);
        turns.push(turn?.notebookId);
      }
      const [first, second] = [many, one].map(({ notebook }) => notebook.id).sort();
      expect(turns.slice(1, 3)).toEqual([first, second]);
      expect(turns.slice(3)).toEqual([many.notebook.id, many.notebook.id, undefined]);
      expect(await store.searchPublic({ query: 'kumquat', limit: 20, offset: 0, now: noon })).toHaveLength(4);
      await other.close();
    });

    it('keeps what two processes index at once', async () => {
      const { store, another } = subject();
      const other = await another();
      const { pages } = await make(store, { visibility: 'public' }, ['persimmon 1', 'persimmon 2', 'persimmon 3']);
      await Promise.all([indexAll(store), indexAll(other), indexAll(store), indexAll(other)]);
      const states = await Promise.all(pages.map(page => found('persimmon', page)));
      expect(states).toEqual([true, true, true]);
      await other.close();
    });

    it('reads the first 65,536 characters of a page', async () => {
      const page = (await make(subject().store, { visibility: 'public' }, [`early ${'lorem '.repeat(11_000)} zzyzx`])).pages[0]!;
      expect([await found('early', page), await found('zzyzx', page)]).toEqual([true, false]);
    });
  });
}
