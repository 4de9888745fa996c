import { copyFile, readFile } from 'node:fs/promises';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalS3, startLocalS3 } from '../support/local-s3.ts';
import type { S3Bucket } from '../support/s3-gateway.ts';
import type { Made } from '../support/service-process.ts';
import { findFaults } from '../views/axe.ts';
import { EditorDesk, pagesNamed } from '../views/editor-desk.ts';
import { zip } from './made-zips.ts';

let desk: EditorDesk;
let images: LocalS3;
let bucket: S3Bucket;
let page: Page;
let made: Made;
beforeAll(async () => {
  images = await startLocalS3();
  bucket = await images.createBucket();
  desk = await EditorDesk.start(undefined, { ...bucket.env });
}, 120_000);
afterAll(async () => {
  await desk?.close();
  await images?.stop();
});

async function openEditor(body: object = pagesNamed('One')): Promise<void> {
  made = await desk.create({ title: 'Paper & ink', ...body });
  page = await desk.newPage({ acceptDownloads: true });
  await desk.open(page, made);
}

function expectNoComplaints(): void {
  // The store that lets nobody read is reported by the browser itself.
  expect(desk.complaints.filter(words => !words.includes('CORS policy'))).toEqual([]);
}

async function closeEditor(): Promise<void> {
  await desk.context.close();
  expectNoComplaints();
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const titles = () => page.locator('.page-pick').allTextContents();
const bytes = (content: Uint8Array | string) => Buffer.from(content);

async function choose(...files: { name: string; content: Uint8Array | string }[]): Promise<void> {
  await button('Import…').click();
  await page
    .getByLabel('Markdown files, or a zip of them')
    .setInputFiles(files.map(({ name, content }) => ({ name, mimeType: 'application/octet-stream', buffer: bytes(content) })));
}

async function exported(name: string): Promise<{ name: string; path: string; bytes: Buffer }> {
  await button('Export…').click();
  const download = page.waitForEvent('download');
  await button(name).click();
  const file = await download;
  const path = await file.path();
  return { name: file.suggestedFilename(), path, bytes: await readFile(path) };
}

describe('an import', () => {
  let before: string[];
  // One editor for all: each adds its pages to those that are there.
  beforeAll(() => openEditor());
  beforeEach(async () => {
    before = (await desk.stored(made)).pages.map(({ title }) => title);
    await expect.poll(titles).toEqual(before);
  });
  afterEach(async () => {
    await page.unrouteAll();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
    expectNoComplaints();
  });
  afterAll(closeEditor);

  it('of several files: shown first, then pages in the order of their names', async () => {
    await choose(
      { name: '10 last.md', content: '# Last' },
      { name: '2 first.md', content: 'no heading' },
      { name: 'x.exe', content: 'MZ' },
    );
    await page.getByText('x.exe is neither Markdown nor an image.').waitFor();
    await expect
      .poll(() => page.getByRole('list', { name: 'Pages to import' }).getByRole('listitem').allInnerTexts())
      .toEqual(['first (2 first.md)', '10 last.md']);
    await expect.poll(() => findFaults(page)).toEqual([]);
    await expect.poll(() => titles()).toEqual(before);
    await button('Import 2 pages').click();
    await page.getByText('2 pages were imported.').waitFor();
    await expect.poll(() => titles()).toEqual([...before, 'first', 'Last']);
    await expect
      .poll(async () => (await desk.stored(made)).pages.map(({ markdown }) => markdown).slice(-2))
      .toEqual(['no heading', '# Last']);
  });

  it('by dropping a zip onto the list', async () => {
    const archive = [...zip({ 'a.md': '# Dropped' })];
    await page.locator('.page-list').evaluate((list, content) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([Uint8Array.from(content)], 'notes.zip'));
      for (const type of ['dragover', 'drop'])
        list.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }, archive);
    await button('Import 1 page').click();
    await expect.poll(titles).toEqual([...before, 'Dropped']);
  });

  it('of a bomb is refused in words, and nothing is sent', async () => {
    await choose({ name: 'bomb.zip', content: zip({ 'a.md': '# A', 'big.png': new Uint8Array(30_000_000) }) });
    await page.getByText(/bomb\.zip looks like a zip bomb: big\.png would grow/).waitFor();
    await expect.poll(() => button(/^Import \d/).count()).toBe(0);
    await expect.poll(async () => (await desk.stored(made)).pages).toHaveLength(before.length);
  });

  it('that is cut off says how far it came, and goes on from there', async () => {
    let sent = 0;
    await page.route('**/pages', route => (++sent === 2 ? route.abort() : route.continue()));
    await choose({ name: 'n.zip', content: zip({ 'a.md': '# A', 'b.md': '# B', 'c.md': '# C' }) });
    await button('Import 3 pages').click();
    await page.getByText('1 page was imported, 2 were not. The server cannot be reached.').waitFor();
    await button('Try again with the other 2').click();
    await page.getByText('2 pages were imported.').waitFor();
    await expect.poll(() => titles()).toEqual([...before, 'A', 'B', 'C']);
  });

  it('does not add a page again that arrived and whose answer was lost', async () => {
    let sent = 0;
    await page.route('**/pages', async route => {
      if (++sent !== 2) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await choose({ name: 'n.zip', content: zip({ 'a.md': '# A', 'b.md': '# B', 'c.md': '# C' }) });
    await button('Import 3 pages').click();
    await button('Try again with the other 2').click();
    await page.getByText('2 pages were imported.').waitFor();
    await expect.poll(() => titles()).toEqual([...before, 'A', 'B', 'C']);
    await expect.poll(async () => (await desk.stored(made)).pages.length).toBe(before.length + 3);
  });

  it('names a file that an export cannot give back, keeps its place, and leaves its comments out', async () => {
    const content = `# Big\n\n${'word %%secret%%\n\n'.repeat(6_000)}`;
    await choose({ name: 'n.zip', content: zip({ 'in/big.md': content, 'small.md': 'word %%secret%%\n' }) });
    await button('Import 2 pages').click();
    await page.getByText('An export can’t give these files back as they were; keep your copy: 1').waitFor();
    await page.getByText('in/big.md: the page differs from the file in too many places').waitFor();
    await page.keyboard.press('Escape');
    const files = unzipSync((await exported('All pages as .zip')).bytes);
    const textOf = (path: string) => Buffer.from(files[path] ?? []).toString();
    expect(textOf('small.md')).toBe('word %%secret%%\n');
    expect(textOf('in/big.md')).toBe(content.replaceAll('%%secret%%', ''));
  });

  it('of a page that was changed since says which file lacks its comments', async () => {
    await choose({ name: 'n.md', content: '# N\n\nword %%secret%%\n' });
    await button('Import 1 page').click();
    await page.getByText('1 page was imported.').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.page-pick', { hasText: 'N' }).last().click();
    await page.getByRole('textbox', { name: /^Markdown of/ }).fill('all new');
    await exported('All pages as .zip');
    await page.getByText(/could not be put back, because the page was changed there: n\.md\./).waitFor();
  });
});

describe('an import', () => {
  it('takes no more than the notebook holds, and says so', async () => {
    await openEditor(pagesNamed(...Array.from({ length: 192 }, (_, at) => `Page ${at}`)));
    await choose({
      name: 'many.zip',
      content: zip(Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`${at}.md`, `# ${at}`]))),
    });
    await page.getByText('the last 6 of these files will not be imported').waitFor();
    await button('Import 8 pages').click();
    await page.getByText('8 pages were imported.').waitFor();
    await expect.poll(async () => (await desk.stored(made)).pages).toHaveLength(200);
    await closeEditor();
  });
});

describe('an export', () => {
  // One editor for all: each gives it another title and other pages.
  beforeAll(() => openEditor());
  afterEach(async () => {
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
    expectNoComplaints();
  });
  afterAll(closeEditor);

  async function show({ title = 'Paper & ink', pages }: { title?: string; pages: { markdown: string }[] }): Promise<void> {
    await desk.change(made, { title });
    made = await desk.renewPages(page, made, { pages });
  }

  it('of this page is its text, unsaved words included', async () => {
    await show(pagesNamed('One'));
    await page.getByRole('textbox', { name: /^Markdown of/ }).fill('# One\n\nnot saved yet');
    const { name, bytes } = await exported('This page as .md');
    expect(name).toBe('one.md');
    expect(bytes.toString()).toBe('# One\n\nnot saved yet');
  });

  it('of all pages comes back the same', async () => {
    const texts = [
      '# One\n\ntext',
      '---\ntags: x\n---\n# Front',
      'no heading',
      '# Heading that is not the title',
      'Milk & eggs\n\nwords',
    ];
    await show({
      title: 'CON',
      pages: texts.map((markdown, at) => ({ markdown, ...(at > 1 && at < 4 ? { title: `Given: ${at}?` } : {}) })),
    });
    const { name, bytes } = await exported('All pages as .zip');
    expect(name).toBe('con-page.zip');
    expect(Object.keys(unzipSync(bytes))).toHaveLength(5);
    expect(Object.keys(unzipSync(bytes)).at(-1)).toBe('05-milk-eggs.md');
    const before = await desk.stored(made);
    await page.keyboard.press('Escape');
    await show(pagesNamed('Another'));
    await choose({ name, content: bytes });
    await button('Import 5 pages').click();
    await page.getByText('5 pages were imported.').waitFor();
    const after = (await desk.stored(made)).pages.slice(1);
    expect(after.map(({ markdown }) => markdown)).toEqual(before.pages.map(({ markdown }) => markdown));
    // A page without a title is numbered by its place, which is another one here.
    expect(before.pages.at(-1)!.title).toBe('Page 5');
    expect(after.map(({ title }) => title)).toEqual([...before.pages.slice(0, -1).map(({ title }) => title), 'Page 6']);
  });

  it('as one html file reads without scripts and without a network, and nothing hostile is in it', async () => {
    const hostile =
      '# <b>Title</b>\n\n<script>ran=1</script><img src=x onerror="ran=1"><style>*{display:none}</style>\n\n**bold** [x](javascript:ran=1)\n\n```js\nlet a = 1;\n```';
    await show({
      title: '</title><script>ran=1</script>',
      pages: [{ markdown: hostile }, { markdown: '# Two\n\n## Below' }],
    });
    const { path, name } = await exported('All pages as one .html');
    expect(name).toBe('title-script-ran-1-script.html');
    const context = await desk.browser.newContext({ javaScriptEnabled: false, offline: true });
    const asked: string[] = [];
    context.on('request', request => asked.push(request.url()));
    const copy = await context.newPage();
    // By its ending the browser knows what it is; a download waits under a name without one.
    await copyFile(path, `${path}.html`);
    await copy.goto(`file://${path}.html`);
    await expect.poll(() => copy.title()).toBe('</title><script>ran=1</script>');
    await expect.poll(() => copy.locator('script, [onerror], [href^="javascript"]').count()).toBe(0);
    await expect.poll(() => copy.locator('.prose style').count()).toBe(0);
    await expect.poll(() => copy.locator('.book-page strong').innerText()).toBe('bold');
    await expect
      .poll(() =>
        copy
          .locator('.prose')
          .first()
          .evaluate(body => getComputedStyle(body).fontFamily),
      )
      .toContain('serif');
    await expect.poll(() => copy.locator('.hljs-keyword, .pl-k').count()).toBeGreaterThan(0);
    await copy.getByRole('navigation').getByRole('link', { name: 'Below' }).click();
    expect(new URL(copy.url()).hash).toMatch(/^#user-content-/);
    expect(asked.filter(url => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([]);
    await context.close();
  });

  it('of imported files leads from page to page and to headings in its one html file, and nowhere where a file is missing', async () => {
    await show(pagesNamed('One'));
    const files = {
      'Start.md': '# Start\n\n[[Deep/Two|wiki]] [file](Deep/Two.md#Part%20two) [gone](Gone.md)',
      'Deep/Two.md': '# Two\n\n[up](../Start.md)\n\n## Part two\n\nend',
    };
    await choose({ name: 'vault.zip', content: zip(files) });
    await button('Import 2 pages').click();
    await page.getByText('2 pages were imported.').waitFor();
    await page.keyboard.press('Escape');
    const html = (await exported('All pages as one .html')).bytes.toString();
    const targetOf = (words: string) => new RegExp(`<a ([^<>]*)>${words}</a>`).exec(html)?.[1]?.match(/href="([^"]*)"/)?.[1];
    /** The first heading at the place that a link leads to. */
    const standsAt = (target = '') => {
      const at = html.lastIndexOf('<', html.indexOf(` id="${target.slice(1)}"`));
      return /<h\d[^>]*>(.*?)<\/h\d>/s.exec(html.slice(at))?.[1];
    };
    expect(['wiki', 'file', 'up'].map(words => targetOf(words)?.[0])).toEqual(['#', '#', '#']);
    expect(['wiki', 'file', 'up'].map(words => standsAt(targetOf(words)))).toEqual([
      expect.stringContaining('Two'),
      expect.stringContaining('Part two'),
      expect.stringContaining('Start'),
    ]);
    expect([html.includes('>gone</a>'), targetOf('gone')]).toEqual([true, undefined]);
  });

  it('with formulas and diagrams shows both in its one html file, without scripts and without a network', {
    timeout: 60_000,
  }, async () => {
    const markdown =
      '# Drawn\n\nInline $a^2$.\n\n$$\\frac{1}{2}$$\n\n```mermaid\nflowchart LR\n  A[Paper] --> B[Shelf]\n```\n\n```mermaid\nno diagram\n```\n';
    await show({ title: 'Figures', pages: [{ markdown }] });
    const { path } = await exported('All pages as one .html');
    await expect.poll(() => page.locator('iframe.drawing-frame').count()).toBeLessThanOrEqual(1);
    const context = await desk.browser.newContext({ javaScriptEnabled: false, offline: true });
    const asked: string[] = [];
    context.on('request', request => asked.push(request.url()));
    const copy = await context.newPage();
    await copyFile(path, `${path}.html`);
    await copy.goto(`file://${path}.html`);
    const picture = copy.locator('.diagram img');
    await expect.poll(() => picture.getAttribute('alt')).toMatch(/^Diagram: flowchart/);
    await expect
      .poll(() => picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth))
      .toBeGreaterThan(50);
    await copy.getByText('Source of the diagram').click();
    await expect.poll(() => copy.locator('.diagram code').innerText()).toContain('A[Paper] --> B[Shelf]');
    await expect.poll(() => copy.locator('.prose > pre code.language-mermaid').innerText()).toContain('no diagram');
    const heights = await copy.locator('math').evaluateAll(all => all.map(math => math.getBoundingClientRect().height));
    expect(heights).toHaveLength(2);
    expect(Math.min(...heights)).toBeGreaterThan(10);
    // A fraction stands on two lines, so it is drawn as one.
    expect(heights[1]).toBeGreaterThan(1.4 * heights[0]!);
    await expect.poll(() => copy.locator('math annotation').last().isVisible()).toBe(false);
    expect(asked.filter(url => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([]);
    await context.close();
  });
});

describe('images', () => {
  beforeAll(() => openEditor());
  afterAll(closeEditor);

  it('of a zip go to the store and come out again, into a zip and into one html file', async () => {
    const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#1b5675' } })
      .png()
      .toBuffer();
    await choose({ name: 'n.zip', content: zip({ 'a.md': '# Pictured\n\n![a](img/blue.png)', 'img/blue.png': picture }) });
    await button('Import 1 page').click();
    await page.getByText('1 page was imported.').waitFor();
    const { markdown } = (await desk.stored(made)).pages[1]!;
    const url = /!\[a\]\((http[^)]+)\)/.exec(markdown)![1]!;
    expect(url.startsWith(bucket.publicUrl)).toBe(true);
    await expect.poll(async () => (await fetch(url)).status).toBe(200);
    await page.keyboard.press('Escape');

    // A store that lets no other origin read: the links stay, and it is said.
    const without = unzipSync((await exported('All pages as .zip')).bytes);
    expect(Buffer.from(without['a.md']!).toString()).toContain(`![a](${url})`);
    await page.locator('.notice.warning', { hasText: '1 of its images could not be fetched.' }).waitFor();
    await button('Try again').waitFor();
    await page.keyboard.press('Escape');

    const rules = `<CORSConfiguration><CORSRule><AllowedOrigin>${desk.service.origin}</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>`;
    expect((await images.send('PUT', `/${bucket.name}?cors`, { body: rules })).status).toBe(200);
    await page.reload();
    // Without their list nobody knows which they are: that is no notebook without images.
    await page.route('**/api/notebooks/*/images', route => route.abort('connectionreset'));
    expect(Object.keys(unzipSync((await exported('All pages as .zip')).bytes))).toEqual(['01-one.md', 'a.md']);
    const listless = 'Its images are not in it, because their list could not be loaded. The server cannot be reached.';
    await page.locator('.notice.warning', { hasText: listless }).waitFor();
    await page.unroute('**/api/notebooks/*/images');
    const again = page.waitForEvent('download');
    await button('Try again').click();
    const archive = unzipSync(await readFile(await (await again).path()));
    await page.locator('.notice', { hasText: /^Saved as paper-ink\.zip\.$/ }).waitFor();
    await expect.poll(() => button('Try again').count()).toBe(0);
    expect(Object.keys(archive)).toEqual(['01-one.md', 'a.md', 'img/blue.png']);
    expect(Buffer.from(archive['a.md']!).toString()).toBe('# Pictured\n\n![a](img/blue.png)');
    await page.keyboard.press('Escape');
    const { bytes } = await exported('All pages as one .html');
    expect(bytes.toString()).toMatch(/<img src="data:image\/\w+;base64,/);
    expect(bytes.toString()).not.toContain(url);
  });
});
