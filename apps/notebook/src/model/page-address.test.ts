import { describe, expect, it, vi } from 'vitest';
import { type PageHead, pageTitle } from './notebook.ts';
import { findPageAt, PageLinks, pageWords } from './page-address.ts';

const head = (id: string, givenTitle: string, position = 0): PageHead => ({
  id,
  notebookId: 'n',
  position,
  givenTitle,
  heading: '',
  revision: 1,
  updatedAt: 0,
});

describe('the words of a title', () => {
  it.each([
    ['Weekly plan (draft)', 'weekly-plan-draft'],
    ['  Ärger & Lösung!  ', 'ärger-lösung'],
    ['予定 2024', '予定-2024'],
    ['!!!', ''],
    ['x'.repeat(200), 'x'.repeat(80)],
    [`${'x'.repeat(79)} y`, 'x'.repeat(79)],
    [`${'x'.repeat(79)}𝒳`, 'x'.repeat(79)],
    ['Cafe\u0301', 'café'],
    ['นี้', 'นี้'],
  ])('%s', (title, words) => expect(pageWords(title)).toBe(words));
});

it('a page is found by its id first, then by its words, the first in order', () => {
  const heads = [head('one', 'Plan'), head('two', 'Plan'), head('plan', 'Other')];
  expect(findPageAt(heads, 'two')?.id).toBe('two');
  expect(findPageAt(heads, 'plan')?.id).toBe('plan');
  expect(findPageAt(heads, 'other')?.id).toBe('plan');
  expect(findPageAt(heads.slice(0, 2), 'plan')?.id).toBe('one');
  expect(findPageAt(heads, 'Other')).toBeUndefined();
});

it('a page is found by an address from when it was cut in the middle of a character', () => {
  const heads = [head('one', `${'x'.repeat(79)}𝒳`)];
  expect(findPageAt(heads, `${'x'.repeat(79)}\ufffd`)?.id).toBe('one');
  expect(findPageAt(heads, `${'x'.repeat(79)}\ufffd\ufffd`)).toBeUndefined();
});

it('an address that no page has folds each title once, as long as few others are asked for', () => {
  const folded = vi.spyOn(String.prototype, 'normalize');
  const foldsFor = (heads: readonly PageHead[]) => {
    folded.mockClear();
    expect(findPageAt(heads, 'none')).toBeUndefined();
    return folded.mock.calls.length;
  };
  const of = (notebook: string) => Array.from({ length: 200 }, (_, at) => head(`${at}`, `${notebook}, page ${at}`, at));
  try {
    expect([foldsFor(of('one')), foldsFor(of('one')), foldsFor(of('other')), foldsFor(of('one'))]).toEqual([200, 0, 200, 0]);
    for (let notebook = 0; notebook < 5; notebook++) foldsFor(of(`notebook ${notebook}`));
    expect(foldsFor(of('one'))).toBe(200);
  } finally {
    folded.mockRestore();
  }
});

describe('a link from file to file', () => {
  const heads = [head('a', 'Alpha'), head('b', 'Beta'), head('c', 'Written here'), head('d', 'Beta again')];
  const paths = [
    { pageId: 'a', path: 'Projects/Alpha.md' },
    { pageId: 'b', path: 'Deep/er/Beta note.md' },
    { pageId: 'd', path: 'Projects/Beta note.md' },
    { pageId: 'gone', path: 'Projects/Gone.md' },
  ];
  const links = new PageLinks(heads, paths, pageTitle);
  it.each([
    ['in the same folder', 'a', 'Beta%20note.md', 'd'],
    ['up and down', 'a', '../Deep/er/Beta%20note.md', 'b'],
    ['up, to the second of that name', 'b', '../../Projects/Beta%20note.md', 'd'],
    ['from the top', 'b', '/Projects/Alpha.md', 'a'],
    ['by a name alone, the first of that name', 'c', 'Beta%20note.md', 'b'],
    ['in another case', 'b', 'ALPHA.md', 'a'],
    ['by the title of a page that was written here', 'a', 'Written%20here.md', 'c'],
    ['by a title, the first of that title', 'a', 'beta.md', 'b'],
    ['with dots and doubled strokes', 'a', './/./Beta%20note.md', 'd'],
    ['with any of the four endings', 'c', 'Alpha.MKD', 'a'],
    ['with an ending in the middle of its name', 'c', 'Alp.mdha', undefined],
    ['from the top, to the second of that name', 'b', '/Projects/Beta%20note.md', 'd'],
    ['from a page without a file', 'c', 'Projects/Beta%20note.md', 'd'],
    ['to a file whose page is gone', 'a', 'Gone.md', undefined],
    ['to nothing', 'a', 'Gamma.md', undefined],
    ['of broken percent signs', 'a', '100%.md', undefined],
  ])('%s', (_how, from, link, id) => expect(links.find(from, link)?.id).toBe(id));
});
