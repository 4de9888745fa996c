import { expect, it } from 'vitest';
import { isPagePath } from './page-path.ts';

it.each(['a.md', 'Projects/Alpha.md', '.hidden/a', 'ab:c', 'Ärger/..md', `${'x'.repeat(497)}.md`])('%j is a path', path =>
  expect(isPagePath(path)).toBe(true),
);

it.each([
  '',
  '/a.md',
  'a//b',
  'a/',
  '.',
  'a/./b',
  '..',
  'a/../b',
  'a\\b',
  'a\0b',
  'a\nb',
  'C:/a',
  'c:a',
  '\ud800.md',
  `${'x'.repeat(498)}.md`,
])('%j is none', path => expect(isPagePath(path)).toBe(false));
