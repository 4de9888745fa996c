import { expect, it } from 'vitest';
import { readImport } from '../../files/read-import.ts';
import { numberedFileName } from './file-names.ts';
import { pageFile } from './page-file.ts';

it.each([
  ['its first heading', 'A', '# A\n\nwords', false],
  ['another one', 'B: "c"', '# A\n\nwords', true],
  ['one without a heading', 'B', 'words', true],
  ['a number that a person gave it', 'Page 7', '# A', true],
  ['its first heading, below what looks like front matter', 'A', '---\ntags: none\n...\n\n# A', true],
])('a page whose title is %s is the same again when its file is imported', (_, title, markdown, hasFrontMatter) => {
  const file = pageFile({ id: 'p', title, markdown });
  expect(file).toBe((hasFrontMatter ? `---\ntitle: ${JSON.stringify(title)}\n---\n\n` : '') + markdown);
  const [page] = readImport([{ path: '01-a.md', bytes: new TextEncoder().encode(file) }]).pages;
  expect([page!.title ?? 'A', page!.markdown]).toEqual([title, markdown]);
});

const read = (path: string, text: string) => readImport([{ path, bytes: new TextEncoder().encode(text) }]).pages[0]!;

it.each([
  ['Page 2', 'Milk & eggs\n\nwords', '02-milk-eggs.md'],
  ['', 'Milk', '02-milk.md'],
  ['Page 9', '', '02-untitled-page.md'],
  ['Page 2', '🎉', '02-page.md'],
  ['Page 2', 'con', '02-con-page.md'],
  ['Page 2', `${'word '.repeat(100)}\n`, `02-${'word-'.repeat(12).slice(0, -1)}.md`],
  ['Page 2', '[Milk](https://shop.example/a)', '02-milk.md'],
])('a page called %j with the text %j is named by its first line, and has no title after an import', (title, markdown, name) => {
  const page = { id: 'p', title, markdown };
  expect(numberedFileName(1, 3, page)).toBe(name);
  const { title: again, markdown: text } = read(`out/${name}`, pageFile(page));
  expect([again, text]).toEqual([undefined, markdown]);
  expect(read(name.slice(3), pageFile(page)).title).toBeUndefined();
});

it('a file that says it has no title is named after its file, unless the name is only its first line', () => {
  expect(read('Milk list.md', '---\ntitle: ""\n---\n\nMilk').title).toBe('Milk list');
  expect(read('01-milk.md', 'Milk').title).toBe('milk');
});

it.each([
  [0, 1, '01-plan.md'],
  [8, 99, '09-plan.md'],
  [8, 100, '009-plan.md'],
  [99, 100, '100-plan.md'],
  [0, 1_000, '0001-plan.md'],
])('file names sort as the pages of a notebook: %i of %i', (place, count, name) => {
  expect(numberedFileName(place, count, { id: 'p', title: 'Plan', markdown: '' })).toBe(name);
});
