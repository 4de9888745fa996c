import { describe, expect, it } from 'vitest';
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

describe('in one turn of the event loop', () => {
  /** @returns the turn in which each page is packed */
  async function turnsOf(many: readonly PageToKeep[]): Promise<number[]> {
    let turn = 0;
    let isPacking = true;
    const count = (): void => {
      turn += 1;
      if (isPacking) setImmediate(count);
    };
    setImmediate(count);
    const turns: number[] = [];
    // Each page is asked for in the turn in which the one before it is packed.
    const watched = [...many, page(many.length, '')].map(({ markdown, ...rest }) => ({
      ...rest,
      get markdown() {
        turns.push(turn);
        return markdown;
      },
    }));
    await packPages(watched);
    isPacking = false;
    return turns.slice(1);
  }
  const texts = (...lengths: number[]) => lengths.map((length, position) => page(position, 'y'.repeat(length)));

  it('a quarter of a megabyte is packed', async () => {
    expect(await turnsOf(texts(131_072, 131_072, 131_072, 131_072, 1))).toEqual([0, 0, 1, 1, 2]);
  });

  it('one page is, however long', async () => {
    expect(await turnsOf(texts(300_000, 300_000))).toEqual([0, 1]);
  });

  it('patches count with the texts', async () => {
    const imported = [0, 1, 2].map(position => page(position, '', { path: 'a.md', patch: 'z'.repeat(200_000) }));
    expect(await turnsOf(imported)).toEqual([0, 1, 2]);
  });
});
