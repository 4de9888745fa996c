import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashEditToken } from '../../src/model/edit-token.ts';
import { Owner } from '../../src/model/rights.ts';
import { addPage } from '../../src/operations/add-page.ts';
import { changePage } from '../../src/operations/change-page.ts';
import { changeSettings } from '../../src/operations/change-settings.ts';
import { addComment, deleteComment } from '../../src/operations/comments.ts';
import { deleteNotebook } from '../../src/operations/delete-notebook.ts';
import { deletePage } from '../../src/operations/delete-page.ts';
import { restoreSnapshot } from '../../src/operations/page-snapshots.ts';
import type { Parts } from '../../src/operations/parts.ts';
import type { PresentedCredentials } from '../../src/operations/require-access.ts';
import { type OpenParts, openParts, told } from '../support/parts-in-memory.ts';

// The edit link is replaced, or the operator takes the notebook down, after a write passed its check and before the store does it. Whoever
// wrote is told the same as a moment later.

type Write = (parts: Parts, slug: string, pageId: string, by: PresentedCredentials) => Promise<unknown>;

const writes: Record<string, Write> = {
  'a save': (parts, slug, pageId, by) =>
    changePage(parts, { slug, pageId, expectedRevision: undefined }, { markdown: 'new' }, by),
  'a new page': (parts, slug, _, by) => addPage(parts, slug, { markdown: 'new' }, by),
  'the deletion of a page': (parts, slug, pageId, by) => deletePage(parts, { slug, pageId, expectedRevision: undefined }, by),
  'a restoration': (parts, slug, pageId, by) => restoreSnapshot(parts, { slug, pageId, snapshotId: 'any' }, by),
  'a change of settings': (parts, slug, _, by) => changeSettings(parts, slug, { paper: 'kraft' }, by),
  'the deletion of a comment': (parts, slug, _, by) => deleteComment(parts, slug, 'any', by),
  'the deletion of the notebook': (parts, slug, _, by) => deleteNotebook(parts, slug, by),
};

/** Does something once, right before the store's next write. */
function interrupt(parts: Parts, happens: () => Promise<unknown>): Parts {
  const isWrite = /^(?:add|change|delete|restore)/;
  const store = new Proxy(parts.store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || !isWrite.test(String(name))) return value;
      return async (...args: unknown[]) => {
        await happens();
        return Reflect.apply(value, target, args);
      };
    },
  });
  return { ...parts, store };
}

describe('a write that something came before', () => {
  let open: OpenParts;
  beforeAll(async () => {
    open = await openParts({ rateLimits: 'off' });
  });
  afterAll(() => open.close());

  it.each(Object.entries(writes))('is told that the edit link was replaced: %s', async (_, write) => {
    for (const [visibility, code] of [
      ['unlisted', 'edit_token_invalid'],
      ['private', 'not_found'],
    ] as const) {
      const { notebook, pages, editToken } = await open.keep({ visibility }, ['one', 'two']);
      const owner = Owner.check(notebook, editToken)!;
      const parts = interrupt(open.parts, () =>
        open.parts.store.rotateEditToken(owner, hashEditToken(`another ${visibility} ${notebook.id}`), open.clock.now),
      );
      expect([visibility, await told(write(parts, notebook.slug, pages[0]!.id, { editToken }))]).toEqual([visibility, code]);
    }
  });

  it.each(Object.entries(writes))('is told that the operator took the notebook down: %s', async (_, write) => {
    const { notebook, pages, editToken } = await open.keep({}, ['one', 'two']);
    const parts = interrupt(open.parts, () => open.parts.store.takeDown(notebook.slug, open.clock.now));
    expect(await told(write(parts, notebook.slug, pages[0]!.id, { editToken }))).toBe('taken_down');
  });

  it.each(Object.entries(writes))('is told that the notebook was deleted: %s', async (_, write) => {
    const { notebook, pages, editToken } = await open.keep({}, ['one', 'two']);
    const owner = Owner.check(notebook, editToken)!;
    const parts = interrupt(open.parts, () => open.parts.store.deleteNotebook(owner, 0));
    expect(await told(write(parts, notebook.slug, pages[0]!.id, { editToken }))).toBe('not_found');
  });

  it('is told of the password that was set: a visitor’s save, page and comment', async () => {
    const visits: Write[] = [writes['a save']!, writes['a new page']!];
    visits.push((parts, slug, _, by) => addComment(parts, slug, { body: 'words' }, by, 'client'));
    for (const visit of visits) {
      const { notebook, pages, editToken } = await open.keep({ openEditing: true });
      const owner = Owner.check(notebook, editToken)!;
      const passwordHash = await open.parts.passwords.hash('key');
      const parts = interrupt(open.parts, () => open.parts.store.changeSettings(owner, { passwordHash }, open.clock.now));
      expect(await told(visit(parts, notebook.slug, pages[0]!.id, {}))).toBe('password_required');
    }
  });
});
