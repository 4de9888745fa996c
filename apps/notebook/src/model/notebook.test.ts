import { expect, it } from 'vitest';
import { type PageHead, pageTitle, shownTitle } from './notebook.ts';

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
])('readers see %s by its title', (_, count, over, title) =>
  expect(shownTitle({ title: 'The notebook' }, count, { ...head, ...over }, 'Bring bread')).toEqual({
    title,
    titleInText: false,
  }),
);

it.each([
  ['its first line', '- Bring bread\n- and salt', { title: 'Bring bread', titleInText: true }],
  ['no name while it is empty', '\n', { title: 'Untitled page', titleInText: false }],
  ['its number where its text was not read', undefined, { title: 'Page 3', titleInText: false }],
])('readers see one of two untitled pages by %s', (_, text, shown) =>
  expect(shownTitle({ title: 'The notebook' }, 2, head, text)).toEqual(shown),
);
