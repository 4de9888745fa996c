import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { stubLocalStorage } from '../../../../test/support/local-storage.ts';
import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { chooseImages } from './choose-images.ts';
import { ImageUploads } from './image-uploads.ts';

/** The browser's file dialog, which is open until the test chooses. */
class Chooser extends EventTarget {
  readonly files = [new File(['x'], 'photo.png', { type: 'image/png' })];
  setAttribute(): void {}
  remove(): void {}
  click(): void {}
}

let chooser: Chooser;
beforeEach(() => {
  chooser = new Chooser();
  const body = { append: () => {} };
  const root = { dataset: { imageOrigin: 'https://images.example' } };
  vi.stubGlobal('document', Object.assign(new EventTarget(), { createElement: () => chooser, querySelector: () => root, body }));
  vi.stubGlobal('addEventListener', () => {});
  stubLocalStorage();
});
afterEach(() => vi.unstubAllGlobals());

function openSession() {
  const [mine, other] = ['mine', 'other'].map(
    key => ({ id: key, key, title: key, name: key, saver: { text: 'words' } }) as EditorPage,
  );
  const show = vi.fn();
  const session = {
    slug: 'desk',
    tabs: { tab: 'tab', findOpenTabs: async () => new Set() },
    current: mine,
    pages: { all: [mine, other] },
    notebook: { readOnly: false },
    notes: { show },
    listen: () => () => {},
  };
  const insert = vi.spyOn(ImageUploads.of(session as unknown as NotebookSession), 'add').mockImplementation(() => {});
  const field = { value: 'words', selectionStart: 5, selectionEnd: 5 } as HTMLTextAreaElement;
  chooseImages(field, { session: session as unknown as NotebookSession, page: mine! });
  return { session, other, show, insert };
}

it('images that are chosen go in where the caret was', () => {
  const { insert, show } = openSession();
  chooser.dispatchEvent(new Event('change'));
  expect(insert).toHaveBeenCalledWith(chooser.files, { from: 5, to: 5 });
  expect(show).not.toHaveBeenCalled();
});

it('images chosen after their page was deleted elsewhere go into no other page, and the person is told', () => {
  const { session, other, insert, show } = openSession();
  Object.assign(session, { current: other });
  chooser.dispatchEvent(new Event('change'));
  expect(insert).not.toHaveBeenCalled();
  expect(show.mock.calls[0]![0].text).toBe(
    'What you chose was not inserted: “mine” is no longer open. Go to a page and insert it there.',
  );
});

it('images chosen after the notebook became read-only are not swallowed in silence', () => {
  const { session, insert, show } = openSession();
  session.notebook.readOnly = true;
  chooser.dispatchEvent(new Event('change'));
  expect(insert).not.toHaveBeenCalled();
  expect(show.mock.calls[0]![0].text).toBe('What you chose was not inserted: the notebook is read-only now.');
});
