import { expect, it, vi } from 'vitest';
import type { EditorPage } from './editor-page.ts';
import { reconcilePages } from './reconcile.ts';

it.each([
  [2, 'Renamed here'],
  [3, 'Renamed elsewhere'],
  [4, 'Renamed elsewhere'],
])('a list with revision %i of a page that is here in revision 3: it is called %s', (revision, title) => {
  const receive = vi.fn();
  const ours = { id: 'p', title: 'Renamed here', saver: { revision: 3, receive } } as unknown as EditorPage;
  const theirs = { id: 'p', title: 'Renamed elsewhere', markdown: '', revision, updatedAt: '' };
  const parts = { beingDeleted: new Set<string>(), track: () => ours, forget: () => {} };
  expect(reconcilePages([ours], [theirs], parts).map(page => page.title)).toEqual([title]);
  expect(receive).toHaveBeenCalledWith(theirs, true);
});
