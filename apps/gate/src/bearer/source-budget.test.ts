import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { SourceBudget } from './source-budget.ts';

const { maxUnknownTokensOfASource: most, unknownTokenEveryMs: everyMs } = limits;

function budgetAt(start = 1_000_000) {
  const clock = { ms: start };
  const budget = new SourceBudget(() => new Date(clock.ms));
  /** How many questions are left, which this uses up. */
  const left = (source: string) => {
    let count = 0;
    while (budget.take(source)) count += 1;
    return count;
  };
  return { clock, budget, left };
}

test('a source has so many questions, and no other source pays for them', () => {
  const { left } = budgetAt();
  expect([left('a'), left('a'), left('b')]).toEqual([most, 0, most]);
});

test('one comes back each time that its time has passed, and never more than there were', () => {
  const { clock, left } = budgetAt();
  left('a');
  clock.ms += everyMs - 1;
  expect(left('a')).toBe(0);
  clock.ms += 1;
  expect(left('a')).toBe(1);
  clock.ms += 3 * everyMs;
  expect(left('a')).toBe(3);
  clock.ms += 1000 * most * everyMs;
  expect(left('a')).toBe(most);
});

test('what is given back counts, and never makes more than there were', () => {
  const { budget, left } = budgetAt();
  budget.giveBack('a');
  expect(left('a')).toBe(most);
  budget.giveBack('a');
  expect(left('a')).toBe(1);
});

test('a clock that is set back takes nothing away', () => {
  const { clock, budget, left } = budgetAt();
  for (let count = 0; count < most - 2; count += 1) budget.take('a');
  clock.ms -= 3_600_000;
  expect(left('a')).toBe(2);
});

test('of too many sources, the one that was idle longest is forgotten', () => {
  const { budget, left } = budgetAt();
  left('kept');
  left('old');
  for (let at = 2; at < 10_000; at += 1) budget.take(`source ${at}`);
  budget.take('kept');
  budget.giveBack('kept');
  budget.take('kept');
  expect(left('old')).toBe(0);
  // The first one that is too many.
  budget.take('new');
  expect(left('kept')).toBe(0);
  expect(left('old')).toBe(most);
});
