import { expect, it } from 'vitest';
import { type PageHead, pageTitle, shownPageTitle } from './notebook.ts';

const head = { id: 'a', notebookId: 'n', position: 2, givenTitle: '', heading: '', revision: 1, updatedAt: 0 } satisfies PageHead;

it.each([
  ['the given title', { givenTitle: 'Given', heading: 'Heading' }, 'Given'],
  ['else its heading', { heading: 'Heading' }, 'Heading'],
  ['else its number', {}, 'Page 3'],
])('a page is called by %s', (_, over, title) => expect(pageTitle({ ...head, ...over })).toBe(title));

it.each([
  ['the only page without a title', 1, {}, 'The notebook'],
  ['the only page with a title', 1, { givenTitle: 'Given' }, 'Given'],
  ['the only page with a heading', 1, { heading: 'Heading' }, 'Heading'],
  ['one of two', 2, {}, 'Page 3'],
])('readers see %s', (_, count, over, title) =>
  expect(shownPageTitle({ title: 'The notebook' }, count, { ...head, ...over })).toBe(title),
);
