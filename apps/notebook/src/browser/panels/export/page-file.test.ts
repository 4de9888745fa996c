import { expect, it } from 'vitest';
import { readImport } from '../../files/read-import.ts';
import { numberedFileName } from './file-names.ts';
import { pageFile } from './page-file.ts';

it.each([
  ['its first heading', 'A', '# A\n\nwords', false],
  ['another one', 'B: "c"', '# A\n\nwords', true],
  ['one without a heading', 'B', 'words', true],
  ['its first heading, below what looks like front matter', 'A', '---\ntags: none\n...\n\n# A', true],
])('a page whose title is %s is the same again when its file is imported', (_, title, markdown, hasFrontMatter) => {
  const file = pageFile({ id: 'p', title, markdown });
  expect(file).toBe((hasFrontMatter ? `---\ntitle: ${JSON.stringify(title)}\n---\n\n` : '') + markdown);
  const [page] = readImport([{ path: '01-a.md', bytes: new TextEncoder().encode(file) }]).pages;
  expect([page!.title ?? 'A', page!.markdown]).toEqual([title, markdown]);
});

it.each([
  [0, 1, '01-plan.md'],
  [8, 99, '09-plan.md'],
  [8, 100, '009-plan.md'],
  [99, 100, '100-plan.md'],
  [0, 1_000, '0001-plan.md'],
])('file names sort as the pages of a notebook: %i of %i', (place, count, name) => {
  expect(numberedFileName(place, count, 'Plan')).toBe(name);
});
