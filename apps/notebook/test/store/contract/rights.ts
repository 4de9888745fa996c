import { describe, expect, it } from 'vitest';
import type { Owner, Writer } from '../../../src/model/rights.ts';
import type { Store } from '../../../src/store/store.ts';
import { anImage } from './images.ts';
import { aChange, aNotebook, atOnce, countBy, day, type Made, make, newId, noon, type Subject } from './subject.ts';

type Write = (store: Store, by: Writer, made: Made) => Promise<{ kind: string }>;

const newPage = () => ({ id: newId(), givenTitle: '', heading: '', markdown: 'new' });
/** What changes content; those that are not below are for owners alone. */
const contentWrites: Record<string, Write> = {
  addPage: (store, by) => store.addPage(by, newPage(), undefined, noon + 1),
  changePage: (store, by, { pages }) => store.changePage(by, pages[0]!.id, aChange({ markdown: 'changed' }), noon + 1),
  deletePage: (store, by, { pages }) => store.deletePage(by as Owner, pages[0]!.id, noon + 1),
  takeUploadSlot: (store, by) => store.takeUploadSlot(by, newId(), undefined, noon + 1),
  addImage: (store, by, { notebook }) => store.addImage(by, anImage(notebook.id), noon + 1),
  deleteImage: (store, by) => store.deleteImage(by as Owner, newId(), noon + 1),
  restoreSnapshot: (store, by, { pages }) => store.restoreSnapshot(by as Owner, pages[0]!.id, newId(), newId(), noon + 1),
};
const visitorWrites = ['addPage', 'changePage', 'takeUploadSlot', 'addImage'];

export function rightsContract(subject: () => Subject): void {
  describe.each(Object.entries(contentWrites))('%s', (name, write) => {
    it('is refused as gone after the edit token was rotated', async () => {
      const { store } = subject();
      const made = await make(store, {}, ['a', 'b']);
      expect(await store.rotateEditToken(made.owner, newId() + newId(), noon + 1)).toBe(true);
      await expectUntouched(store, made, 2, () => write(store, made.owner, made), 'gone');
    });

    it('is refused as gone after the notebook was deleted', async () => {
      const { store } = subject();
      const made = await make(store, {}, ['a', 'b']);
      expect(await store.deleteNotebook(made.owner, noon)).toBe(true);
      expect(await write(store, made.owner, made)).toEqual({ kind: 'gone' });
    });

    it('is refused as gone on a notebook that was taken down', async () => {
      const { store } = subject();
      const made = await make(store, { takenDownAt: noon, openEditing: true }, ['a', 'b']);
      await expectUntouched(store, made, 1, () => write(store, made.owner, made), 'gone');
      if (visitorWrites.includes(name)) expect(await write(store, made.visitor, made)).toEqual({ kind: 'gone' });
    });

    it('is refused on a read-only notebook', async () => {
      const { store } = subject();
      const made = await make(store, { readOnly: true, openEditing: true }, ['a', 'b']);
      await expectUntouched(store, made, 1, () => write(store, made.owner, made), 'read_only');
      if (visitorWrites.includes(name)) expect(await write(store, made.visitor, made)).toEqual({ kind: 'read_only' });
    });
  });

  describe('a visitor', () => {
    it.each(visitorWrites)('may not %s when open editing has gone off', async name => {
      const { store } = subject();
      const made = await make(store, { openEditing: false }, ['a', 'b']);
      await expectUntouched(store, made, 1, () => contentWrites[name]!(store, made.visitor, made), 'not_allowed');
    });

    const closings = [
      [{ visibility: 'private' }, {}],
      [{ passwordHash: 'another' }, { passwordHash: 'known to the visitor' }],
      [{ passwordHash: 'new' }, {}],
      [{ expiresAt: noon + 1 }, {}],
      [{ burnAfterRead: true }, {}],
    ] as const;
    it.each(visitorWrites)('may not %s once the owner has closed what they saw', async name => {
      const { store } = subject();
      for (const [closing, before] of closings) {
        const made = await make(store, { openEditing: true, ...before }, ['a', 'b']);
        await store.changeSettings(made.owner, closing, noon);
        await expectUntouched(store, made, 2, () => contentWrites[name]!(store, made.visitor, made), 'gone');
      }
    });

    it('writes on where the password they knew is still in force, or was removed', async () => {
      const { store } = subject();
      const made = await make(store, { openEditing: true, passwordHash: 'known' }, ['a', 'b']);
      expect(await contentWrites.addPage!(store, made.visitor, made)).toMatchObject({ kind: 'added' });
      await store.changeSettings(made.owner, { passwordHash: null }, noon);
      expect(await contentWrites.changePage!(store, made.visitor, made)).toMatchObject({ kind: 'changed' });
    });

    it.each([{ visibility: 'private' }, { passwordHash: 'new' }, { expiresAt: noon + 1 }] as const)(
      'adds and changes nothing after the owner was answered: %o',
      async closing => {
        const { store, another } = subject();
        const other = await another();
        const made = await make(store, { openEditing: true });
        const state = async () => {
          const pages = await store.listPages(made.notebook.id);
          return pages.map(({ id, revision }) => [id, revision]);
        };
        let texts = 0;
        const write = (turn: number): Promise<{ kind: string }> => {
          texts += 1;
          return turn % 2
            ? store.addPage(made.visitor, newPage(), undefined, noon + 2)
            : store.changePage(made.visitor, made.pages[0]!.id, aChange({ markdown: `text ${texts}` }), noon + 2);
        };
        const before = atOnce(10, write);
        const answered = other.changeSettings(made.owner, closing, noon + 2).then(({ kind }) => {
          expect(kind).toBe('changed');
          return state();
        });
        const after = await atOnce(10, write);
        const then = await answered;
        for (const { kind } of [...(await before), ...after]) expect(['added', 'changed', 'gone']).toContain(kind);
        expect(await state()).toEqual(then);
        expect((await write(1)).kind).toBe('gone');
        await other.close();
      },
    );

    it('writes while it is on', async () => {
      const { store } = subject();
      const made = await make(store, { openEditing: true }, ['a', 'b']);
      expect(await contentWrites.addPage!(store, made.visitor, made)).toMatchObject({ kind: 'added' });
      expect(await contentWrites.changePage!(store, made.visitor, made)).toMatchObject({ kind: 'changed' });
      expect((await store.findNotebookBySlug(made.notebook.slug))?.version).toBe(3);
    });

    it('loses the right in the same moment as the setting changes', async () => {
      const { store, another } = subject();
      const other = await another();
      const made = await make(store, { openEditing: true });
      const close = other.changeSettings(made.owner, { openEditing: false }, noon + 1);
      const adds = await atOnce(20, () => store.addPage(made.visitor, newPage(), undefined, noon + 2));
      expect((await close).kind).toBe('changed');
      const added = adds.filter(({ kind }) => kind === 'added').length;
      expect(await store.listPageHeads(made.notebook.id)).toHaveLength(1 + added);
      expect(await store.addPage(made.visitor, newPage(), undefined, noon + 3)).toEqual({ kind: 'not_allowed' });
      await other.close();
    });
  });

  describe('rotateEditToken', () => {
    it('ends the old token and starts the new one', async () => {
      const { store } = subject();
      const { notebook, owner } = await make(store);
      const newHash = newId() + newId();
      expect(await store.rotateEditToken(owner, newHash, noon + 5)).toBe(true);
      expect(await store.findNotebookByTokenHash(notebook.editTokenHash)).toBeUndefined();
      const rotated = await store.findNotebookByTokenHash(newHash);
      expect(rotated).toStrictEqual({ ...notebook, editTokenHash: newHash, version: 2, updatedAt: noon + 5 });
    });

    it('leaves the first token to no other notebook, however often it is replaced', async () => {
      const { store, another } = subject();
      const other = await another();
      for (let round = 0; round < 10; round++) {
        const { notebook, owner } = await make(store);
        const again = () => other.createNotebook(aNotebook({ editTokenHash: notebook.editTokenHash }), []);
        const results = await Promise.all([again(), store.rotateEditToken(owner, newId() + newId(), noon), again(), again()]);
        expect(results).toEqual(['token_used', true, 'token_used', 'token_used']);
        const rotated = (await store.findNotebookBySlug(notebook.slug))!;
        expect(await store.rotateEditToken({ ...owner, editTokenHash: rotated.editTokenHash }, newId(), noon)).toBe(true);
        expect(await again()).toBe('token_used');
        expect(await store.createNotebook(aNotebook({ editTokenHash: rotated.editTokenHash }), [])).toBe('created');
        expect(await store.findNotebookByTokenHash(notebook.editTokenHash)).toBeUndefined();
      }
      await other.close();
    });

    it('lets one of many at once win', async () => {
      const { store } = subject();
      const { owner } = await make(store);
      const results = await atOnce(20, () => store.rotateEditToken(owner, newId() + newId(), noon));
      expect(countBy(results, String)).toEqual({ true: 1, false: 19 });
    });

    it('is refused on a notebook that was taken down, or is gone', async () => {
      const { store } = subject();
      const { owner } = await make(store, { takenDownAt: noon });
      expect(await store.rotateEditToken(owner, newId(), noon)).toBe(false);
      await store.deleteNotebook(owner, noon);
      expect(await store.rotateEditToken(owner, newId(), noon)).toBe(false);
    });
  });

  describe('claimOpening', () => {
    const burning = { burnAfterRead: true, expiresAt: noon + day };

    it('lets exactly one of many at once open the notebook, and keeps who', async () => {
      const { store, another } = subject();
      const stores = [store, await another()];
      const { notebook } = await make(store, burning);
      const results = await atOnce(40, turn => stores[turn % 2]!.claimOpening(notebook.id, `reader-${turn}`, null, noon + turn));
      expect(countBy(results, String)).toEqual({ true: 1, false: 39 });
      const turn = results.indexOf(true);
      const opened = await store.findNotebookBySlug(notebook.slug);
      expect(opened).toMatchObject({ openedAt: noon + turn, readerHash: `reader-${turn}`, version: 2 });
      await stores[1]!.close();
    });

    it.each([
      ['does not burn', { burnAfterRead: false }],
      ['was opened before', { ...burning, openedAt: noon - 1 }],
      ['is private', { ...burning, visibility: 'private' }],
      ['has expired', { ...burning, expiresAt: noon }],
      ['was taken down', { ...burning, takenDownAt: noon }],
      ['has another password by now', { ...burning, passwordHash: 'another' }],
    ] as const)('is refused when the notebook %s', async (_, over) => {
      const { store } = subject();
      const { notebook } = await make(store, over);
      expect(await store.claimOpening(notebook.id, 'reader', null, noon)).toBe(false);
      expect(await store.findNotebookBySlug(notebook.slug)).toStrictEqual(notebook);
    });

    it('opens a locked notebook for the password that was asked for', async () => {
      const { store } = subject();
      const { notebook } = await make(store, { ...burning, expiresAt: null, passwordHash: 'the hash' });
      expect(await store.claimOpening(notebook.id, 'reader', null, noon)).toBe(false);
      expect(await store.claimOpening(notebook.id, 'reader', 'the hash', noon)).toBe(true);
    });
  });
}

/** Refused, and neither the pages nor the version have moved. */
async function expectUntouched(store: Store, made: Made, version: number, write: () => Promise<{ kind: string }>, kind: string) {
  expect(await write()).toEqual({ kind });
  expect(await store.listPages(made.notebook.id)).toStrictEqual(made.pages);
  expect((await store.findNotebookBySlug(made.notebook.slug))?.version).toBe(version);
}
