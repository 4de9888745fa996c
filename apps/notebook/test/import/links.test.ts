import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImport } from '../../src/browser/files/read-import.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { zip } from './made-zips.ts';

/** Files that link to each other in every way, as a vault has them. */
const vault = {
  'Start.md':
    '# Start\n\n[[Deep/er/Two|wiki]] [file](Deep/er/Two.md#Part%20%22two%22) [gone](Gone.md) <a title="t" href="Deep/er/Two.md">html</a>',
  'Deep/er/Two.md': '# Two\n\nback to [[Start]], [up](../../Start.md)\n\n## Part "two"\n\nend',
};

let app: NotebookApp;
let made: CreatedNotebook;
let one: string;
let two: string;
const long = 'words of a long page '.repeat(4_000);

beforeAll(async () => {
  app = await startNotebookApp();
});
afterAll(() => app.close());

async function importVault(more: string): Promise<void> {
  made = await app.create({ embedding: true, pages: pagesOf(more) });
  [one, two] = ['Start', 'Two'].map(title => made.pages.find(page => page.title === title)!.id) as [string, string];
}

function pagesOf(more: string) {
  const { pages } = readImport([{ path: 'vault.zip', bytes: zip(vault) }]);
  return pages.map(({ path, markdown }) => ({ markdown: `${markdown}\n\n${more}\n`, file: { path, patch: '' } }));
}

const get = async (path: string) => (await app.ask('GET', path)).body;
/** Where the links lead whose words these are. */
const targets = (html: string, ...words: string[]) =>
  words.map(word => new RegExp(`<a ([^<>]*)>${word}</a>`).exec(html)?.[1]?.match(/href="([^"]*)"/)?.[1]);

describe.each([
  ['short', ''],
  ['long', long],
])('links between the files of a vault of %s pages lead to pages', (_length, more) => {
  beforeAll(() => importVault(more));

  it('in the view and on slides', async () => {
    const base = `/n/${made.slug}`;
    const there = `${base}/p/${two}`;
    for (const html of [await get(base), await get(`${base}?slides`)])
      expect(targets(html, 'wiki', 'file', 'html', 'gone')).toEqual([there, `${there}#user-content-part-two`, there, undefined]);
    expect(targets(await get(there), 'Start', 'up')).toEqual([base, base]);
  });

  it('in the frame', async () => {
    const there = `/n/${made.slug}/embed?page=${two}`;
    const html = await get(`/n/${made.slug}/embed`);
    expect(targets(html, 'wiki', 'file', 'gone')).toEqual([there, `${there}#user-content-part-two`, undefined]);
  });

  it('in the print, to the sheet or the heading, which are there', async () => {
    const html = await get(`/n/${made.slug}/print`);
    const heading = `user-content-${two}-part-two`;
    expect(targets(html, 'wiki', 'file', 'html', 'gone')).toEqual([`#sheet-${two}`, `#${heading}`, `#sheet-${two}`, undefined]);
    expect(targets(html, 'up')).toEqual([`#sheet-${one}`]);
    for (const id of [heading, `sheet-${one}`, `sheet-${two}`]) expect(html).toContain(` id="${id}"`);
  });

  it('in the print of one page, to the others where they can be read', async () => {
    const html = await get(`/n/${made.slug}/print?page=${one}`);
    const there = `/n/${made.slug}/p/${two}`;
    expect(targets(html, 'wiki', 'file')).toEqual([there, `${there}#user-content-part-two`]);
  });

  it('in the EPUB, to the files and their headings, forwards and back', async () => {
    const answer = await app.ask('GET', `/n/${made.slug}.epub`);
    const files = unzipSync(answer.rawPayload);
    const text = (name: string) => Buffer.from(files[`book/${name}`]!).toString();
    const first = text('page-1.xhtml');
    const id = /<h2 id="(\w+)"/.exec(text('page-2.xhtml'))![1];
    expect(targets(first, 'wiki', 'file', 'html', 'gone')).toEqual([
      'page-2.xhtml',
      `page-2.xhtml#${id}`,
      'page-2.xhtml',
      undefined,
    ]);
    expect(targets(text('page-2.xhtml'), 'up')).toEqual(['page-1.xhtml']);
  });

  it('and nowhere else: search results hold no links of the text, and the Markdown is as it was imported', async () => {
    const found = await get(`/n/${made.slug}/find?q=wiki`);
    expect(found).toContain('wiki');
    expect(found).not.toContain('.md"');
    expect(await get(`/n/${made.slug}.md`)).toContain('[wiki](Deep/er/Two.md) [file](Deep/er/Two.md#Part%20%22two%22)');
  });
});
