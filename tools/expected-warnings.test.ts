import { afterEach, expect, test, vi } from 'vitest';
import { withExpectedWarnings } from './expected-warnings.ts';

afterEach(() => void vi.restoreAllMocks());

test('hides an expected warning once, and shows every other', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const value = await withExpectedWarnings(['in memory'], async () => {
    console.warn('a store in memory is used');
    console.warn('the disk is full', 1);
    return 'done';
  });
  console.warn('a store in memory is used');
  expect([value, warn.mock.calls]).toEqual(['done', [['the disk is full', 1], ['a store in memory is used']]]);
});

test('restores the console after a failure', async () => {
  const { warn } = console;
  await expect(withExpectedWarnings([], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(console.warn).toBe(warn);
});
