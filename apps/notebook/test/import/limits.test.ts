import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { rateLimits } from '../../src/limits.ts';
import { launchChromium } from '../support/browser.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { findFaults } from '../views/axe.ts';

vi.setConfig({ testTimeout: 120_000 });

let app: NotebookApp;
let origin: string;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let made: CreatedNotebook;
beforeAll(async () => {
  app = await startNotebookApp({ env: { MAX_NOTEBOOK_BYTES: '5000', RATE_LIMITS: 'on' } });
  origin = await app.listen();
  browser = await launchChromium();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await app?.close();
});
beforeEach(async () => {
  made = await app.create({ title: 'Taken in', pages: [{ markdown: '# One' }] });
  context = await browser.newContext();
  await context.clock.install();
  page = await context.newPage();
  await page.goto(`${origin}/e/${made.editToken}`);
  await page.locator('#markdown-field').waitFor();
});
afterEach(() => context.close());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const pagesUrl = () => `/api/notebooks/${made.slug}/pages`;
const stored = async () =>
  (await app.ask('GET', '/api/notebook', { token: made.editToken })).json().pages.map(({ title }: { title: string }) => title);

async function choose(files: Record<string, string>): Promise<void> {
  await button('Import…').click();
  await page
    .getByLabel('Markdown files, or a zip of them')
    .setInputFiles(
      Object.entries(files).map(([name, content]) => ({ name, mimeType: 'text/markdown', buffer: Buffer.from(content) })),
    );
}

/** Leaves so many of the 200 new pages that an address may add in ten minutes. */
async function leavePages(count: number): Promise<void> {
  const { id } = (await app.parts.store.findNotebookBySlug(made.slug))!;
  const slot = { name: 'newPage', key: `127.0.0.1 ${id}`, ...rateLimits.newPage };
  for (let taken = 0; taken < rateLimits.newPage.max - count; taken += 1)
    expect((await app.parts.store.takeRateSlot(slot, app.clock.now)).allowed).toBe(true);
}

it('an import that meets the limit of new pages says until when it waits, and goes on by itself', async () => {
  await leavePages(1);
  await choose({ 'a.md': '# A', 'b.md': '# B', 'c.md': '# C' });
  await button('Import 3 pages').click();
  await page.getByText(/Adding page 2 of 3: the service asks us to wait\. It goes on at \d+:\d\d/).waitFor();
  await expect.poll(() => findFaults(page)).toEqual([]);
  expect(await stored()).toEqual(['One', 'A']);
  app.clock.now += 601_000;
  await context.clock.runFor(601_000);
  await page.getByText('3 pages were imported.').waitFor();
  expect(await stored()).toEqual(['One', 'A', 'B', 'C']);
});

it('one that waits can be stopped, says what is missing, and goes on later', async () => {
  await leavePages(1);
  await choose({ 'a.md': '# A', 'b.md': '# B' });
  await button('Import 2 pages').click();
  await page.getByText(/Adding page 2 of 2: the service asks us to wait/).waitFor();
  await button('Stop importing').click();
  await page.getByText('1 page was imported, 1 was not. You stopped it.').waitFor();
  await page.getByText('Not imported: 1').waitFor();
  await page.locator('.left-out li', { hasText: 'b.md' }).waitFor();
  app.clock.now += 601_000;
  await button('Try again with the other 1').click();
  await page.getByText('1 page was imported.').waitFor();
  expect(await stored()).toEqual(['One', 'A', 'B']);
});

it('one whose window is closed while it waits stops, and the editor says how far it came', async () => {
  await leavePages(1);
  await choose({ 'a.md': '# A', 'b.md': '# B' });
  await button('Import 2 pages').click();
  await page.getByText(/Adding page 2 of 2: the service asks us to wait/).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.session-note', { hasText: '1 page was imported, 1 was not. You stopped it.' }).waitFor();
  expect(await stored()).toEqual(['One', 'A']);
});

it('one that fills the notebook says the limit and names what is not there; shorter pages go on', async () => {
  const long = (title: string) => `# ${title}\n\n${'x'.repeat(1_800)}`;
  await choose({ 'a.md': long('A'), 'b.md': long('B'), 'c.md': long('C'), 'd.md': '# D' });
  await button('Import 4 pages').click();
  await page
    .getByText(
      '2 pages were imported, 2 were not. This notebook holds as much text as it can. Its pages may hold 4.9 KiB of text',
    )
    .waitFor();
  await expect.poll(() => page.locator('.left-out li').allTextContents()).toEqual(['c.md', 'd.md']);
  expect(await stored()).toEqual(['One', 'A', 'B']);
  const { pages } = (await app.ask('GET', '/api/notebook', { token: made.editToken })).json();
  await app.ask('DELETE', `${pagesUrl()}/${pages[1].id}`, { token: made.editToken });
  await button('Try again with the other 2').click();
  await page.getByText('2 pages were imported.').waitFor();
  expect(await stored()).toEqual(['One', 'B', 'C', 'D']);
});

it('an import lists a notebook that was only opened, as writing in it does', async () => {
  const listed = () => page.evaluate(slug => JSON.parse(localStorage.getItem(`octavo.notebook.${slug}`)!).listed, made.slug);
  await page.locator('.session-note', { hasText: 'It is not in this browser’s list of notebooks.' }).waitFor();
  expect(await listed()).toBe(false);
  await choose({ 'a.md': '# A' });
  await button('Import 1 page').click();
  await page.getByText('1 page was imported.').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.session-note', { hasText: 'You changed this notebook, so it is now in this browser’s list' }).waitFor();
  await expect.poll(listed).toBeUndefined();
});
