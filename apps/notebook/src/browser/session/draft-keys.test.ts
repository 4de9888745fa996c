import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { stubLocalStorage } from '../../../test/support/local-storage.ts';
import { dropTitle, forgetKeys, keepTitle, listTitles } from './draft-keys.ts';

beforeEach(stubLocalStorage);
afterEach(() => vi.unstubAllGlobals());

const typed = (pageId: string, title: string, at: number) => ({ pageId, title, before: 'One', at });

it('titles are kept for each page and tab, listed newest first, and dropped one by one', () => {
  keepTitle('desk', 'a', typed('p1', 'Older', 1));
  keepTitle('desk', 'b', typed('p1', 'Newer', 2));
  keepTitle('desk', 'a', typed('', 'The notebook’s', 3));
  expect(listTitles('desk').map(({ tab, pageId, title }) => [tab, pageId, title])).toEqual([
    ['a', '', 'The notebook’s'],
    ['b', 'p1', 'Newer'],
    ['a', 'p1', 'Older'],
  ]);
  dropTitle('desk', 'b', 'p1');
  expect(listTitles('desk').map(({ title }) => title)).toEqual(['The notebook’s', 'Older']);
});

it('a deleted notebook leaves none, and other notebooks keep theirs', () => {
  keepTitle('desk', 'a', typed('p1', 'Gone', 1));
  keepTitle('desk-2', 'a', typed('p1', 'Kept', 1));
  forgetKeys('desk');
  expect(listTitles('desk')).toEqual([]);
  expect(listTitles('desk-2').map(({ title }) => title)).toEqual(['Kept']);
});

it.each(['null', '{', '[]', '{"title":1,"before":"","at":1}', '"text"', '{"title":"a"}'])(
  'what another version may have stored is no title: %s',
  stored => {
    localStorage.setItem('octavo.title.desk/p1/a', stored);
    expect(listTitles('desk')).toEqual([]);
  },
);
