import { expect, test } from 'vitest';
import { composed, cutMarkRuns } from './mark-runs.ts';

test('a run of marks ends after 30, each of them whole, and what follows stays', () => {
  expect(cutMarkRuns(`a${'\u0301'.repeat(30)}b`)).toBe(`a${'\u0301'.repeat(30)}b`);
  expect(cutMarkRuns(`a${'\u0301'.repeat(31)}b${'\u0316\u0301'.repeat(40)}c`)).toBe(
    `a${'\u0301'.repeat(30)}b${'\u0316\u0301'.repeat(15)}c`,
  );
  expect(cutMarkRuns(`a${'\u{1d165}'.repeat(40)}b`)).toBe(`a${'\u{1d165}'.repeat(30)}b`);
});

test('composed text is NFC', () => {
  expect(composed('Cafe\u0301 a\u0301\u0316')).toBe('Café á\u0316'.normalize('NFC'));
  expect(composed('e\u0301'.repeat(40))).toBe('é'.repeat(40));
});
