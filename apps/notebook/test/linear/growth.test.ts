import { describe, expect, test } from 'vitest';
import { findFasterGrowth } from '../../../../tools/growth.ts';
import { checkBounds } from '../../src/markdown/bounds.ts';
import { foldForSearch } from '../../src/model/search-text.ts';
import { TextTracker } from '../../src/model/text-tracker.ts';
import { joinMarkdown } from '../../src/operations/read-notebook.ts';

const asPage = (markdown: string) => ({
  id: 'p',
  notebookId: 'n',
  position: 0,
  givenTitle: '',
  heading: '',
  revision: 1,
  updatedAt: 0,
  markdown,
});

describe('once took the square of the text', () => {
  test.each<[string, (text: string) => unknown, (chars: number) => string]>([
    ['the table guard, on spaces before a bar', checkBounds, chars => `${' '.repeat(chars)}|x`],
    [
      '.md, on blank lines before a letter',
      text => joinMarkdown({ texts: new TextTracker() }, [asPage(text)]),
      chars => `${'\n'.repeat(chars)}x`,
    ],
    ['the search, on one letter with every mark', foldForSearch, chars => `a${'\u0301\u0316'.repeat(chars / 2)}`],
    ['the search, on marks that are letters', foldForSearch, chars => `か${'\uff9e\u0301'.repeat(chars / 2)}`],
  ])('%s', (_, run, make) => {
    expect(findFasterGrowth(run, make)).toBeUndefined();
  });
});

test('the measure tells a function that grows faster than its text from a linear one', { timeout: 90_000 }, () => {
  const letters = (chars: number) => 'x'.repeat(chars);
  // The third power, so that no busy machine can hide it. It costs a second of the processor's time.
  expect(findFasterGrowth(text => /x+x+y$/.test(text), letters, [240, 960])).toMatch(/characters took/);
  expect(findFasterGrowth(text => text.toUpperCase(), letters)).toBeUndefined();
});

test('marks past the thirtieth on one letter are not searched; ordinary ones are', () => {
  const marked = (marks: number) => foldForSearch(`ก${'\u0e48'.repeat(marks)}ข`);
  expect(marked(30)).toBe(`ก${'\u0e48'.repeat(30)}ข`);
  expect(marked(31)).toBe(marked(30));
  expect(foldForSearch('Việt Nam, ﾊﾞｶﾞ')).toBe(foldForSearch('viet nam, バガ'));
});
