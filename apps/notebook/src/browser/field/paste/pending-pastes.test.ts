import { afterEach, beforeEach, expect, it } from 'vitest';
import { Autosave } from '../../session/autosave.ts';
import { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import type { UnsavedText } from '../../session/save-state.ts';
import { plainPaste } from './paste-edit.ts';
import { PendingPastes } from './pending-pastes.ts';

let kept: UnsavedText | undefined;
let saver: Autosave;
let pastes: PendingPastes;
beforeEach(() => {
  kept = undefined;
  saver = new Autosave(
    { markdown: 'start end', revision: 1 },
    {
      send: async () => ({ id: 'p', title: 'Page', markdown: '', revision: 2, updatedAt: '' }),
      keepDraft: draft => {
        kept = draft;
      },
      onState: () => {},
      onMerged: () => {},
      onRefused: () => {},
      onSpaceFreed: () => {},
      loadMerging: () => Promise.reject(new Error('not fetched')),
      now: Date.now,
    },
  );
  const page: EditorPage = new EditorPage({ id: 'p', title: 'Page' }, saver);
  const pages = { all: [page], deleted: { all: [] }, changeText: (_id: string, text: string) => saver.change(text) };
  const session = { current: page, pages, notebook: { readOnly: false } } as unknown as NotebookSession;
  pastes = new PendingPastes(new EventTarget() as HTMLTextAreaElement, { session, page });
});
afterEach(() => saver.stop());

function paste(at: number, draft?: string) {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const place = { text: 'start end', start: at, end: at };
  pastes.add(place, { content: () => promise, edit: plainPaste, ...(draft === undefined ? {} : { draft }) });
  return async (text: string | undefined) => {
    resolve(text);
    await new Promise(go => setTimeout(go));
  };
}

it('a paste that is being converted is in the draft as plain text, where it will land', async () => {
  const convert = paste(6, 'pasted ');
  expect(kept).toMatchObject({ markdown: 'start pasted end', baseMarkdown: 'start end', baseRevision: 1 });
  saver.change('start end!');
  expect(kept?.markdown).toBe('start pasted end!');
  await saver.flush();
  expect(kept).toMatchObject({ markdown: 'start pasted end!', baseMarkdown: 'start end!', baseRevision: 2 });
  await convert('**pasted** ');
  expect(saver.text).toBe('start **pasted** end!');
  expect(kept?.markdown).toBe('start **pasted** end!');
});

it('two of them are in the draft in their order, and what does not come is in no draft', async () => {
  const [first, second] = [paste(6, 'one '), paste(6, 'two ')];
  expect(kept?.markdown).toBe('start one two end');
  await first(undefined);
  expect(kept?.markdown).toBe('start two end');
  await second(undefined);
  expect(kept).toBeUndefined();
  expect(saver.text).toBe('start end');
});

it('one that must be asked about first is in no draft', () => {
  paste(6);
  expect(kept).toBeUndefined();
});
