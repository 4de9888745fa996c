import { afterEach, expect, it, vi } from 'vitest';
import { pressToCopy } from './press-to-copy.ts';

afterEach(() => vi.unstubAllGlobals());

it.each([
  ['MacIntel', 'Press ⌘C'],
  ['iPad', 'Press ⌘C'],
  ['Linux x86_64', 'Press Ctrl+C'],
  ['Win32', 'Press Ctrl+C'],
])('names the keys that copy on %s: %s', (platform, words) => {
  vi.stubGlobal('navigator', { platform });
  expect(pressToCopy()).toBe(words);
});
