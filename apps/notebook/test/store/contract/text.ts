import { describe, expect, it } from 'vitest';
import { aChange, aNotebook, aPage, make, noon, type Subject } from './subject.ts';

export function textContract(subject: () => Subject): void {
  describe('text', () => {
    const odd = [
      '',
      ' ',
      '\r\n\t',
      "'; DROP TABLE pages; --",
      '\u202eRTL\u200b\ufeff',
      'e\u0301 é',
      '👩‍👩‍👧‍👦',
      '\u{10FFFF}\u0001\u007f',
      '$1 ? :name',
    ];

    it.each(odd.map(text => [JSON.stringify(text), text] as const))('%s comes back as it was', async (_, markdown) => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store, { title: markdown }, [markdown]);
      expect((await store.findNotebookBySlug(notebook.slug))?.title).toBe(markdown);
      expect((await store.findPage(notebook.id, pages[0]!.id))?.markdown).toBe(markdown);
      await store.changePage(owner, pages[0]!.id, aChange({ markdown: `${markdown}!` }), noon);
      expect((await store.findPage(notebook.id, pages[0]!.id))?.markdown).toBe(`${markdown}!`);
    });

    it('of one MiB comes back as it was', async () => {
      const { store } = subject();
      const markdown = '漢字ABC, \n'.repeat(80_000).slice(0, 400_000);
      const { notebook, pages } = await make(store, { visibility: 'public' }, [markdown]);
      expect((await store.findPage(notebook.id, pages[0]!.id))?.markdown === markdown).toBe(true);
    });

    it.each([
      ['a NUL', 'before\0after'],
      ['a lone surrogate', 'before\ud800after'],
    ])('with %s is refused, never cut or changed', async (_, markdown) => {
      const { store } = subject();
      const { notebook, pages, owner } = await make(store);
      const broken = aNotebook();
      await expect(store.createNotebook(broken, [aPage(broken.id, 0, { markdown })])).rejects.toThrow(/NUL or a lone surrogate/);
      expect(await store.findNotebookBySlug(broken.slug)).toBeUndefined();
      await expect(store.changePage(owner, pages[0]!.id, aChange({ markdown }), noon)).rejects.toThrow(/NUL/);
      await expect(store.changeSettings(owner, { title: markdown }, noon)).rejects.toThrow(/NUL/);
      expect(await store.listPages(notebook.id)).toStrictEqual(pages);
      expect(await store.listSnapshots(notebook.id, pages[0]!.id)).toEqual([]);
      expect(await store.findNotebookBySlug(notebook.slug)).toStrictEqual(notebook);
    });
  });
}
