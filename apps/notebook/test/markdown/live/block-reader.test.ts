// Too slow for the quick tests: thousands of edits, each compared with a whole reading.
import { expect, it } from 'vitest';
import { engineOf } from '../../../src/markdown/engine.ts';
import { BlockReader } from '../../../src/markdown/live/block-reader.ts';
import { renderMarkdown } from '../../../src/markdown/render.ts';
import { expectSameBlocks } from './expect-same-blocks.ts';
import { far, lively, written } from './texts.ts';

it.each([1, 2, 3])('after edits of a page as people write them the blocks are those of a whole reading, seed %i', seed => {
  expectSameBlocks(written.repeat(4), seed, 64);
});
it.each(Array.from({ length: 8 }, (_, at) => 50 + at))('after edits of what reaches far, seed %i', seed => {
  expectSameBlocks(`${lively}\n${far}`.repeat(6), seed, 64);
});

const paragraphs = (count: number): string => Array.from({ length: count }, (_, at) => `Paragraph ${at} of *many*.\n\n`).join('');

it.each([
  ['a definition’s title that ends pages below', `[a]: /x "open\n\n${paragraphs(60)}`, 'end"\n\n'],
  ['a title in brackets that ends pages below', `[a]: /x\n(open\n\n${paragraphs(60)}`, 'end)\n\n'],
  ['a comment that ends pages below', `<!-- open\n\n${paragraphs(60)}`, '-->\n\n'],
  ['a fence that ends pages below', `\`\`\`\nopen\n\n${paragraphs(60)}`, '```\n\n'],
])('%s', (_, text, end) => {
  const reader = new BlockReader();
  const kindsOf = (now: string): string[] => reader.read(now, engineOf(now)).map(({ token }) => token.type);
  const before = kindsOf(`${text}${paragraphs(60)}`);
  const after = kindsOf(`${text}${end}${paragraphs(60)}`);
  expect(after).not.toEqual(before);
  expect(after).toEqual(
    new BlockReader()
      .read(`${text}${end}${paragraphs(60)}`, engineOf(`${text}${end}${paragraphs(60)}`))
      .map(({ token }) => token.type),
  );
  expect(renderMarkdown(`${text}${end}`).html).not.toContain('end');
});

it('a key in the middle of a long page reads a few blocks anew', () => {
  const text = paragraphs(2_000);
  const reader = new BlockReader();
  const before = new Set(reader.read(text, engineOf(text)).map(({ token }) => token));
  const now = text.replace('Paragraph 1000 ', 'Paragraph 1000, ');
  const after = reader.read(now, engineOf(now));
  expect(after.length).toBe(before.size);
  expect(after.filter(({ token }) => !before.has(token)).length).toBeLessThanOrEqual(4);
});
