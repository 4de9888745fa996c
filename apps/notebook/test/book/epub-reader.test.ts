import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/objects/memory.ts';
import { aPicture } from '../images/pictures.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const reader = '/usr/bin/mutool';
const world = new URL('../../../../tools/dev-world/field-guide/', import.meta.url);
const seeded = readdirSync(world)
  .filter(name => name.endsWith('.md'))
  .sort()
  .map(name => ({ markdown: readFileSync(new URL(name, world), 'utf8') }));

/** For the reader's own JavaScript. */
const writesOutline = `
var document = new Document(scriptArgs[0]), entries = [];
function walk(list) {
  for (var at = 0; list && at < list.length; at++) {
    entries.push({ title: list[at].title, page: document.resolveLink(list[at].uri) });
    walk(list[at].down);
  }
}
walk(document.loadOutline());
print(JSON.stringify(entries));
`;

/** MuPDF, a reader of its own code: what it shows of a book is what a person would see. */
describe.skipIf(existsSync(reader) ? undefined : 'mutool is not installed (Debian: mupdf-tools)')('an EPUB in a reader', () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-reader-'));
  const book = join(folder, 'book.epub');
  const outlineScript = join(folder, 'outline.js');
  let app: NotebookApp;
  let titles: string[];

  const read = (...args: string[]) =>
    new Promise<{ out: string; err: string }>((resolve, reject) =>
      execFile(reader, args, { maxBuffer: 64 * 1024 * 1024 }, (error, out, err) =>
        error ? reject(error) : resolve({ out, err }),
      ),
    );

  beforeAll(async () => {
    app = await startNotebookApp({ overrides: { objects: createMemoryStore({ publicUrl: 'http://images.example' }) } });
    const made = await app.create({ title: 'Field guide', pages: [...seeded, { markdown: 'pictures' }] });
    const headers = { 'content-type': 'image/png' };
    const image = await app.ask('POST', `/api/notebooks/${made.slug}/images`, {
      body: await aPicture('png'),
      token: made.editToken,
      headers,
    });
    const markdown = `# Pictures\n\n${image.json().markdown}\n\n[to the first](${encodeURI(made.pages[0]!.title)}.md)\n`;
    await app.ask('PATCH', `/api/notebooks/${made.slug}/pages/${made.pages.at(-1)!.id}`, {
      body: { markdown },
      token: made.editToken,
    });
    titles = [...made.pages.slice(0, -1).map(({ title }) => title), 'Pictures'];
    writeFileSync(book, (await app.ask('GET', `/n/${made.slug}.epub`)).rawPayload);
  }, 120_000);
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true });
  });

  it('opens without a complaint, and shows the words of every page', async () => {
    const { out, err } = await read('draw', '-F', 'txt', '-o', '-', book);
    // It was built without color profiles, and reads EPUB 3 as EPUB 2.
    expect(err.replace(/^warning: (?:ICC support is not available|unknown epub version: 3\.0)\n/gm, '')).toBe('');
    const words = out.replace(/\s+/g, ' ');
    for (const title of titles) expect(words).toContain(title);
    for (const { markdown } of seeded) {
      const sentence = /^[A-Z][a-z]+(?: [a-z]+){5,}/m.exec(markdown)?.[0];
      if (sentence) expect(words).toContain(sentence);
    }
  });

  it('has the pages and their headings as its contents, each leading to a place', async () => {
    writeFileSync(outlineScript, writesOutline);
    const { out } = await read('run', outlineScript, book);
    const entries = JSON.parse(out) as { title: string; page: number }[];
    expect(entries.map(({ title }) => title)).toEqual(expect.arrayContaining(titles));
    expect(entries.length).toBeGreaterThan(titles.length);
    // In the order of the sheets, and not all on the first one.
    const places = entries.map(({ page }) => page);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(new Set(places).size).toBeGreaterThan(titles.length);
  });

  it('draws its pictures', async () => {
    const { out } = await read('draw', '-F', 'trace', '-o', '-', book);
    expect(out).toContain('<fill_image');
  });
});
