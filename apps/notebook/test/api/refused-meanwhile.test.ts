import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashEditToken } from '../../src/model/edit-token.ts';
import { Owner } from '../../src/model/rights.ts';
import { createMemoryStore } from '../../src/objects/memory.ts';
import { addPage } from '../../src/operations/add-page.ts';
import { changePage } from '../../src/operations/change-page.ts';
import { changeSettings } from '../../src/operations/change-settings.ts';
import { addComment, deleteComment } from '../../src/operations/comments.ts';
import { deleteNotebook } from '../../src/operations/delete-notebook.ts';
import { deletePage } from '../../src/operations/delete-page.ts';
import { listImages } from '../../src/operations/list-images.ts';
import { listPageFiles } from '../../src/operations/list-page-files.ts';
import { openOnce } from '../../src/operations/open-once.ts';
import { listSnapshots, readSnapshot, restoreSnapshot } from '../../src/operations/page-snapshots.ts';
import type { Parts } from '../../src/operations/parts.ts';
import { reportNotebook } from '../../src/operations/report-notebook.ts';
import type { PresentedCredentials } from '../../src/operations/require-access.ts';
import { aChange } from '../store/contract/subject.ts';
import { type OpenParts, openParts, told } from '../support/parts-in-memory.ts';

// The edit link is replaced, or the operator takes the notebook down, after a request passed its check and before the store does what it
// asks. The caller is told the same as a moment later.

type Write = (parts: Parts, slug: string, pageId: string, by: PresentedCredentials) => Promise<unknown>;

const writes: Record<string, Write> = {
  'a save': (parts, slug, pageId, by) =>
    changePage(parts, { slug, pageId, expectedRevision: undefined }, { markdown: 'new' }, by),
  'a new page': (parts, slug, _, by) => addPage(parts, slug, { markdown: 'new' }, by),
  'the deletion of a page': (parts, slug, pageId, by) => deletePage(parts, { slug, pageId, expectedRevision: undefined }, by),
  'a restoration': (parts, slug, pageId, by) => restoreSnapshot(parts, { slug, pageId, snapshotId: 'any' }, by),
  'a change of settings': (parts, slug, _, by) => changeSettings(parts, slug, { paper: 'kraft' }, by),
  'a comment': (parts, slug, _, by) => addComment(parts, slug, { body: 'words' }, by, 'client'),
  'the deletion of a comment': (parts, slug, _, by) => deleteComment(parts, slug, 'any', by),
  'the deletion of the notebook': (parts, slug, _, by) => deleteNotebook(parts, slug, by),
};

const reads: Record<string, Write> = {
  'the snapshots of a page': (parts, slug, pageId, by) => listSnapshots(parts, slug, pageId, by),
  'a snapshot': (parts, slug, _, by) => readSnapshot(parts, { slug, snapshotId: 'any' }, by),
  'the files of the pages': async (parts, slug, _, by) => {
    for await (const _file of listPageFiles(parts, slug, by));
  },
  'the images': (parts, slug, _, by) => listImages({ ...parts, objects: createMemoryStore() }, slug, by),
};

const writing = /^(?:add|change|delete|restore)/;
const reading = /^(?:listSnapshots|listPagePaths|listImages|findSnapshot)/;

/** Does something right before each question of that kind to the store. */
function interrupt(parts: Parts, happens: () => Promise<unknown>, kind = writing): Parts {
  const store = new Proxy(parts.store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || !kind.test(String(name))) return value;
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

  it.each(Object.entries(reads))('is told that the edit link was replaced, not what was kept since: %s', async (_, read) => {
    const { notebook, pages, editToken } = await open.keep({}, ['one', 'two']);
    const owner = Owner.check(notebook, editToken)!;
    const another = hashEditToken(`another ${notebook.id}`);
    const parts = interrupt(open.parts, () => open.parts.store.rotateEditToken(owner, another, open.clock.now), reading);
    expect(await told(read(parts, notebook.slug, pages[0]!.id, { editToken }))).toBe('edit_token_invalid');
  });

  it('is not told the files that were kept since the edit link was replaced', async () => {
    const { notebook, pages, editToken } = await open.keep({}, ['one', 'two']);
    const owner = Owner.check(notebook, editToken)!;
    for (const { id } of pages)
      await open.parts.store.changePage(owner, id, aChange({ file: { path: `${id}.md`, patch: '' } }), 0);
    let found = 0;
    const replace = async () => {
      found += 1;
      if (found === 2) await open.parts.store.rotateEditToken(owner, hashEditToken(`another ${notebook.id}`), open.clock.now);
    };
    const files: unknown[] = [];
    const list = async () => {
      const parts = interrupt(open.parts, replace, /^findPageFile/);
      for await (const { pageId } of listPageFiles(parts, notebook.slug, { editToken })) files.push(pageId);
    };
    expect([await told(list()), files]).toEqual(['edit_token_invalid', [pages[0]!.id]]);
  });

  it('is told as much of a notebook that was made private as of one that never was: a visitor’s save and page', async () => {
    for (const visit of [writes['a save']!, writes['a new page']!]) {
      const { notebook, pages, editToken } = await open.keep({ openEditing: true });
      const owner = Owner.check(notebook, editToken)!;
      const closed = { visibility: 'private', openEditing: false } as const;
      const parts = interrupt(open.parts, () => open.parts.store.changeSettings(owner, closed, open.clock.now));
      expect(await told(visit(parts, notebook.slug, pages[0]!.id, {}))).toBe('not_found');
    }
  });

  it.each(Object.entries(writes))('is done when the notebook was put back before it was asked why: %s', async (name, write) => {
    const { notebook, pages, editToken } = await open.keep({}, ['one', 'two']);
    const { slug } = notebook;
    let takenDown = 0;
    const store = new Proxy(open.parts.store, {
      get(target, asked) {
        const value: unknown = Reflect.get(target, asked);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          if (writing.test(String(asked)) && takenDown++ === 0) await target.takeDown(slug, open.clock.now);
          if (asked === 'findNotebookBySlug' && takenDown > 0) await target.takeDown(slug, null);
          return Reflect.apply(value, target, args);
        };
      },
    });
    const parts = { ...open.parts, store };
    const missing = name === 'a restoration' || name === 'the deletion of a comment';
    expect(await told(write(parts, slug, pages[0]!.id, { editToken }))).toBe(missing ? 'not_found' : 'ok');
  });

  it('is told why a notebook does not open once', async () => {
    const happenings: [code: string, happens: (slug: string, owner: Owner) => Promise<unknown>][] = [
      ['taken_down', slug => open.parts.store.takeDown(slug, open.clock.now)],
      ['password_required', (_, owner) => open.parts.store.changeSettings(owner, { passwordHash: 'any' }, open.clock.now)],
      ['not_found', (_, owner) => open.parts.store.changeSettings(owner, { visibility: 'private' }, open.clock.now)],
    ];
    for (const [code, happens] of happenings) {
      const { notebook, editToken } = await open.keep({ burnAfterRead: true });
      const owner = Owner.check(notebook, editToken)!;
      const parts = interrupt(open.parts, () => happens(notebook.slug, owner), /^claimOpening/);
      expect(await told(openOnce(parts, notebook.slug, {}))).toBe(code);
    }
  });

  it('keeps no report of a notebook that was deleted: its words would outlive it', async () => {
    const { notebook, editToken } = await open.keep();
    const owner = Owner.check(notebook, editToken)!;
    const parts = interrupt(open.parts, () => open.parts.store.deleteNotebook(owner, 0));
    const report = { reason: 'spam', detail: 'words of the notebook' };
    expect(await told(reportNotebook(parts, notebook.slug, report, {}, 'client'))).toBe('not_found');
    expect(await open.parts.store.listReports()).toEqual([]);
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
