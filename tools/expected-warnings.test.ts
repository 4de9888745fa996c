import { afterEach, expect, test, vi } from 'vitest';
import { withExpectedWarnings } from './expected-warnings.ts';

afterEach(() => void vi.restoreAllMocks());

test('a warning that is expected is left out, every other one is shown, and so is the same one afterwards', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const value = await withExpectedWarnings(['in memory'], async () => {
    console.warn('a store in memory is used');
    console.warn('the disk is full', 1);
    return 'done';
  });
  console.warn('a store in memory is used');
  expect([value, warn.mock.calls]).toEqual(['done', [['the disk is full', 1], ['a store in memory is used']]]);
});

test('what fails leaves the console as it was', async () => {
  const { warn } = console;
  await expect(withExpectedWarnings([], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(console.warn).toBe(warn);
});
