import { expect, it } from 'vitest';
import { type TextKey, TextTracker } from './text-tracker.ts';

it('tells which text is worked at, within one another and when work fails', () => {
  const told: (TextKey | undefined)[] = [];
  const texts = new TextTracker(text => told.push(text));
  const [outer, inner] = [
    { id: 'outer', revision: 1 },
    { id: 'inner', revision: 2 },
  ];
  expect(texts.on(outer, () => texts.on(inner, () => 'done'))).toBe('done');
  expect(told).toEqual([outer, inner, outer, undefined]);
  told.length = 0;
  const fails = () => {
    throw new Error('broken');
  };
  expect(() => texts.on(outer, fails)).toThrow('broken');
  expect(told).toEqual([outer, undefined]);
});

it('knows the unsafe texts by their revision, the newest list alone', () => {
  const texts = new TextTracker();
  const [one, two] = [
    { id: 'one', revision: 1 },
    { id: 'two', revision: 1 },
  ];
  expect(texts.isUnsafe(one)).toBe(false);
  texts.setUnsafe([one]);
  expect([texts.isUnsafe(one), texts.isUnsafe({ ...one, revision: 2 }), texts.isUnsafe(two)]).toEqual([true, false, false]);
  texts.setUnsafe([two]);
  expect([texts.isUnsafe(one), texts.isUnsafe(two)]).toEqual([false, true]);
});
