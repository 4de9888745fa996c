import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { testFiles } from './test-kinds.ts';
import { findMissingWaits } from './waits.ts';

const root = path.join(import.meta.dirname, '..');

it('no test sleeps in a browser, reads a page only once after an action, or expects a number of milliseconds', () => {
  const own = 'tools/waits.test.ts';
  const files = globSync(testFiles, { cwd: root, exclude: ['**/node_modules/**'] }).filter(file => file !== own);
  expect(files.flatMap(file => findMissingWaits(file, readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
});

it.each([
  ['  await page.waitForTimeout(100);', 'sleeps'],
  ["  expect(await page.locator('p').innerText()).toBe('x');", 'reads the page once'],
  ['  expect(performance.now() - started).toBeLessThan(500);', 'expects a time'],
  ["  await expect.poll(() => page.locator('p').innerText()).toBe('x');", undefined],
  ['  expect(await elsewhere.text()).toBe(before);', undefined],
])('%s', (line, words) => {
  const found = findMissingWaits('a.test.ts', line);
  if (words === undefined) expect(found).toEqual([]);
  else expect(found).toEqual([expect.stringContaining(words)]);
});
