import { expect, it } from 'vitest';
import { renderBounds } from '../bounds.ts';
import { SlowText } from './slow-text.ts';

const limit = renderBounds.timeMillis;

it('is what takes longer than the server works on a text', () => {
  expect(new SlowText().note(limit, 1_000)).toBe(false);
  expect(new SlowText().note(limit + 1, 1_000)).toBe(true);
});

it('stays so when a part is quick, until most of the text is gone', () => {
  const text = new SlowText();
  text.note(limit + 1, 1_000);
  expect([text.note(5, 1_001), text.note(5, 500), text.note(5, 499), text.note(5, 1_000)]).toEqual([true, true, false, false]);
});
