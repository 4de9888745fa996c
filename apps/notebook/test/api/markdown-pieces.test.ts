import { expect, it } from 'vitest';
import { TextTracker } from '../../src/model/text-tracker.ts';
import { joinMarkdown, streamMarkdown } from '../../src/operations/read-notebook.ts';

const page = (markdown: string, givenTitle = '') => ({
  id: 'p',
  notebookId: 'n',
  position: 0,
  givenTitle,
  heading: '',
  revision: 1,
  updatedAt: 0,
  markdown,
});
const parts = { texts: new TextTracker() };

it.each([
  ['line ends at the border of a piece', [page(`${'x'.repeat(65_535)}\r\ny\r\r\n\n`), page(`${'x'.repeat(65_536)}\n\r`)]],
  ['carriage returns alone', [page('\r'.repeat(200_000)), page(`${'\r'.repeat(70_000)}x`, 'Title')]],
  ['nothing', [page(''), page('', 'Title'), page('\n')]],
])('.md in pieces is the same text as whole: %s', async (_, pages) => {
  const pieces: string[] = [];
  for await (const piece of streamMarkdown(
    parts,
    (async function* () {
      yield* pages;
    })(),
  ))
    pieces.push(piece);
  expect(pieces.join('')).toBe(joinMarkdown(parts, pages));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(65_537);
});
