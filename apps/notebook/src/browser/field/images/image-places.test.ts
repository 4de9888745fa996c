import { afterEach, expect, it, vi } from 'vitest';
import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { ImagePlaces } from './image-places.ts';

afterEach(() => vi.unstubAllGlobals());

it('knows the field of a page that was added offline, also when it has another id because it was saved', () => {
  vi.stubGlobal('document', new EventTarget());
  const page = { id: 'before', key: 'before', saver: { text: '' } } as EditorPage;
  const session = { current: page, pages: { all: [page] }, listen: () => () => {} } as unknown as NotebookSession;
  const places = new ImagePlaces(session, () => {});
  const field = new EventTarget() as HTMLTextAreaElement;
  const end = places.watch(field, page);
  page.id = 'named';
  expect(places.field).toBe(field);
  end();
  expect(places.field).toBeUndefined();
});
