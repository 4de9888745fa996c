import { expect, it } from 'vitest';
import type { Notebook } from './notebook.ts';
import { countFileBytes, countMarkdownBytes, hasRoomForText } from './notebook-room.ts';

it('text is counted in bytes, and the file that a page was imported from with it', () => {
  expect(countMarkdownBytes([{ markdown: 'ä' }, { markdown: 'abc' }])).toBe(5);
  expect(countFileBytes({ path: 'ä.md', patch: '+€' })).toBe(9);
  expect(countFileBytes(undefined)).toBe(0);
});

it.each([
  ['up to the limit', 90, 10, true],
  ['not past it', 90, 11, false],
  ['unless it shrinks', 200, -1, true],
  ['or stays as long', 200, 0, true],
])('a notebook has room %s', (_, markdownBytes, grows, hasRoom) =>
  expect(hasRoomForText({ markdownBytes } as Notebook, grows, 100)).toBe(hasRoom),
);
