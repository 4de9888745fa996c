import path from 'node:path';
import { expect, it } from 'vitest';
import { findQuickTests, playsClock, usesFirefox } from './test-kinds.ts';

const root = path.dirname(import.meta.dirname);
const inRoot = (file: string) => path.join(root, file);

it('finds the files that use Firefox by their imports, direct or not', () => {
  const test = 'apps/notebook/test';
  const files = ['offline/editor', 'writing/toolbar', 'pasting/firefox', 'offline/pages', 'store/killed'];
  expect(files.filter(file => usesFirefox(inRoot(`${test}/${file}.test.ts`)))).toEqual([
    'offline/editor',
    'writing/toolbar',
    'pasting/firefox',
  ]);
});

it('does not count a file that starts a browser or a process as quick', () => {
  const quick = findQuickTests(root);
  expect(quick).toContain('tools/test-kinds.test.ts');
  expect(quick).not.toContain('apps/notebook/test/offline/editor.test.ts');
  expect(quick).not.toContain('apps/notebook/test/store/killed.test.ts');
});

it('finds the files that play with the clock, themselves or by what sets them up', () => {
  const files = [
    'apps/notebook/src/jobs/ticker.test.ts',
    'apps/notebook/src/markdown/render-thread.test.ts',
    'apps/notebook/src/model/slug.test.ts',
  ];
  expect(files.filter(file => playsClock(inRoot(file)))).toEqual(files.slice(0, 2));
});
