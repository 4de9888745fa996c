import { expect, it } from 'vitest';
import type { PageToKeep } from '../model/notebook.ts';
import { memoryOf, packPages, unpackPages } from './packed-pages.ts';

const page = (position: number, markdown: string, file?: PageToKeep['file']): PageToKeep => ({
  id: `page${position}`,
  notebookId: 'notebook',
  position,
  givenTitle: '',
  heading: 'Heading',
  revision: 1,
  updatedAt: 1,
  markdown,
  file,
});

const pages = [
  page(0, ''),
  page(1, '\u{feff}# A mark of the byte order, é and 😀'),
  page(2, 'imported', { path: 'a/b.md', patch: '--- a/b.md\n+++ b/b.md\n' }),
  page(3, 'x'.repeat(300_000), { path: 'c.md', patch: '' }),
];

it('pages are what they were on the other side of a thread', async () => {
  const packed = await packPages(pages);
  const sent = structuredClone(packed, { transfer: memoryOf(packed) });
  expect(unpackPages(sent)).toEqual(pages);
});

it('their texts are handed over, not copied', async () => {
  const packed = await packPages(pages);
  const left = packed.map(({ page: { markdown, file } }) => [markdown, file?.patch]);
  expect(left).toEqual([
    ['', undefined],
    ['', undefined],
    ['', ''],
    ['', ''],
  ]);
  structuredClone(packed, { transfer: memoryOf(packed) });
  expect(packed.map(({ markdown, patch }) => [markdown.length, patch.length])).toEqual(pages.map(() => [0, 0]));
});

it('no more than a quarter of a megabyte or one page is written in one turn of the event loop', async () => {
  const many = [1, 2, 3, 4].map(position => page(position, 'y'.repeat(200_000)));
  let turns = 0;
  let isPacking = true;
  const count = (): void => {
    turns += 1;
    if (isPacking) setImmediate(count);
  };
  setImmediate(count);
  await packPages(many);
  isPacking = false;
  expect(turns).toBeGreaterThanOrEqual(3);
});
