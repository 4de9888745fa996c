import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/markdown/render.ts';

const headings = (markdown: string) => renderMarkdown(markdown).headings.map(({ text }) => text);

test('underlined headings are found behind many paragraphs, each of which ends the search', () => {
  expect(headings(`${'a\n\n'.repeat(15_000)}Title\n===`)).toEqual(['Title']);
  expect(headings(`- ${'a\n  '.repeat(100)}\n\nTitle\n===`)).toEqual(['Title']);
});

test('a text that would be searched for them in quadratic time has none in its rest, and its other headings', () => {
  const item = `- ${'a\n  '.repeat(12_000)}`;
  expect(headings(`Before\n===\n\n${item}\n\nTitle\n===\n\n# Other`)).toEqual(['Before', 'Other']);
});
