import { expect, it } from 'vitest';
import { fileNameOf, fileWords } from './file-name.ts';

it.each([
  ['Weekly plan', 'weekly-plan'],
  ['  -- Why?! (2026) ', 'why-2026'],
  ['Über Straßen', 'über-straßen'],
  ['日本語 ノート', '日本語-ノート'],
  ['Cafe\u0301', 'café'],
  ['a/b\\c:d*e"f<g>h|i', 'a-b-c-d-e-f-g-h-i'],
  ['../..', ''],
  ['', ''],
])('the words of %j in a file name are %j', (title, words) => {
  expect(fileWords(title, 60)).toBe(words);
});

it.each([
  ['abcdef', 4, 'abcd'],
  ['abc def', 4, 'abc'],
  ['𝒳𝒳𝒳', 2, '𝒳𝒳'],
])('of %j at most %i characters are used, and no hyphen is left at the end', (title, most, words) => {
  expect(fileWords(title, most)).toBe(words);
});

it.each([
  ['Weekly plan', 'weekly-plan.md'],
  ['x'.repeat(61), `${'x'.repeat(60)}.md`],
  ['???', 'page.md'],
  ['CON', 'con-page.md'],
  ['lpt1', 'lpt1-page.md'],
  ['Console', 'console.md'],
])('a file is named after %j: %s', (title, name) => {
  expect(fileNameOf(title, 'md')).toBe(name);
});

it('a title without letters and digits gets the name that was given for it', () => {
  expect(fileNameOf('…', 'epub', 'the-slug')).toBe('the-slug.epub');
});
