import { beforeEach, expect, it } from 'vitest';
import type { ApiNotebook } from '../../src/api/types.ts';
import * as merging from '../../src/browser/merge/merging.ts';
import { type Adopting, adoptLateDrafts } from '../../src/browser/session/adopt-drafts.ts';
import type { AbandonedDraft } from '../../src/browser/session/draft.ts';
import { EditorPage } from '../../src/browser/session/editor-page.ts';
import type { OpenPages } from '../../src/browser/session/open-pages.ts';
import { SessionNotes } from '../../src/browser/session/session-notes.ts';
import type { TextKeeper } from '../../src/browser/session/text-keeper.ts';
import { AutosaveSetup } from './autosave-setup.ts';

const setup = AutosaveSetup.forEachTest();
let session: Adopting;
beforeEach(() => {
  const page = new EditorPage({ id: 'p', title: 'Page' }, setup.saver);
  const pages: Pick<OpenPages, 'find' | 'isDeletedOffline' | 'changeText'> = {
    find: () => page,
    isDeletedOffline: () => false,
    changeText: (_id, text) => page.saver.change(text),
  };
  session = { notebook: {} as ApiNotebook, pages: pages as OpenPages, notes: new SessionNotes(() => {}), orphanedTexts: [] };
});

async function takeLate(draft: Partial<AbandonedDraft>): Promise<AbandonedDraft[]> {
  const handedOver: AbandonedDraft[] = [];
  const left: AbandonedDraft = { pageId: 'p', tab: 'gone', title: 'Page', changedAt: 1, markdown: '', baseRevision: 1, ...draft };
  const texts: Pick<TextKeeper, 'findAbandoned' | 'loadMerging' | 'handOver'> = {
    findAbandoned: async () => [left],
    loadMerging: async () => merging,
    handOver: async each => void handedOver.push(each),
  };
  await adoptLateDrafts(session, texts as TextKeeper, async () => new Set());
  return handedOver;
}

it('the text of a tab that ends late is merged, also where its last save arrived and was not answered', async () => {
  setup.open({ markdown: 'first, sent\n\nend', revision: 2 });
  Object.assign(session.pages.find('p')!, { saver: setup.saver });
  setup.saver.change('first, sent\n\nend, here');
  const draft = { markdown: 'first, sent, and on\n\nend', baseMarkdown: 'first\n\nend', sent: ['first, sent\n\nend'] };
  expect(await takeLate(draft)).toHaveLength(1);
  expect(setup.saver.text).toBe('first, sent, and on\n\nend, here');
  expect(session.orphanedTexts).toEqual([]);
});

it('what both wrote in one place is offered beside', async () => {
  setup.saver.change('first, here');
  expect(await takeLate({ markdown: 'first, there', baseMarkdown: 'first' })).toEqual([]);
  expect(session.orphanedTexts).toMatchObject([{ markdown: 'first, there' }]);
  expect(setup.saver.text).toBe('first, here');
});
