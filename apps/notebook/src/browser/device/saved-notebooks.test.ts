import { expect, it } from 'vitest';
import { readSavedNotebook } from './saved-notebooks.ts';

it.each([
  ['of 400 units', 'x'.repeat(400), 'x'.repeat(400)],
  ['that is longer', 'x'.repeat(401), 'x'.repeat(400)],
  ['whose last character has no room', `x${'😀'.repeat(200)}`, `x${'😀'.repeat(199)}`],
])('a stored title %s is no longer than 400 units, in whole characters', (_what, title, shown) => {
  expect(readSavedNotebook({ slug: 'desk', editToken: 't'.repeat(43), title })?.title).toBe(shown);
});
