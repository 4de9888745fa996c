import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { type Database, sqlite } from '../support/engines.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';
import { firstPage, secondPage, thirdPage } from './real-pages.ts';

let database: Database;
let service: ServiceProcess;
let browser: Browser;
let owner: BrowserContext;
/** What went wrong inside pages: errors and everything the content security policy stopped. */
const complaints: string[] = [];

function listenTo(page: Page): Page {
  page.on('pageerror', error => complaints.push(`${error.message} (${page.url().replace(/\/e\/.*/, '/e/…')})`));
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().includes('404')) complaints.push(message.text());
  });
  return page;
}

beforeAll(async () => {
  database = await sqlite.createDatabase();
  // The port is not known before the start; links are read as paths.
  service = await startService({ DATABASE_URL: database.url, LOG_LEVEL: 'debug' });
  browser = await launchChromium();
  owner = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
});
afterAll(async () => {
  await browser?.close();
  await service?.kill();
  database?.remove();
});

const pathOf = (link: string) => new URL(link).pathname;
/** The values of the two fields that appear when a notebook was created. */
const link = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true }).inputValue();

/** Types and waits until the server has it. */
async function write(page: Page, markdown: string, press?: string): Promise<void> {
  const answer = page.waitForResponse(
    response => response.request().method() === 'PATCH' && response.request().postData()?.includes('markdown') === true,
  );
  await page.getByRole('textbox', { name: /^Markdown of/ }).fill(markdown);
  if (press) await page.keyboard.press(press);
  expect((await answer).status()).toBe(200);
  await page.locator('[data-save-state="saved"]').waitFor();
}

/** On a busy machine a new page is shown plain at first, and says that a reload shows it rendered. */
async function rendered(reading: Page, title: string): Promise<void> {
  await reading.locator('[aria-current="page"]', { hasText: title }).first().waitFor({ state: 'attached' });
  while ((await reading.getByText('This page is shown as plain text').count()) > 0) await reading.reload();
}

async function addPage(page: Page, markdown: string): Promise<void> {
  const before = await page.locator('.page-pick').count();
  await page.getByRole('button', { name: 'Add page' }).click();
  await page.getByRole('button', { name: 'Empty page' }).click();
  await page.locator('.page-pick').nth(before).waitFor();
  await write(page, markdown);
}

it('the whole story: create, share, read, print, edit, reorder, restore, delete', async () => {
  const page = listenTo(await owner.newPage());

  // Create.
  await page.goto(`${service.origin}/new`);
  await page.getByLabel('Title').fill('Field notes');
  await page.getByLabel('Address').fill('quick');
  await page.getByText('reserved').waitFor();
  await page.getByLabel('Address').fill('field-notes-2026');
  await page.locator('[data-slug-state]', { hasText: /available|free/i }).waitFor();
  await page.getByRole('radio', { name: 'Lined' }).check({ force: true });
  await page.getByLabel('First page').fill(firstPage);
  await page.getByRole('button', { name: 'Create the notebook' }).click();
  const viewPath = pathOf(await link(page, 'View link'));
  const editPath = pathOf(await link(page, 'Edit link'));
  expect(viewPath).toBe('/n/field-notes-2026');
  expect(editPath).toMatch(/^\/e\/[\w-]{43}$/);
  const editToken = editPath.slice(3);

  // The editor: the token leaves the address bar, and is there again after a reload.
  await page.goto(service.origin + editPath);
  await page.waitForURL('**/edit/field-notes-2026');
  await page.reload();
  await page.getByRole('textbox', { name: /^Markdown of/ }).waitFor();
  await addPage(page, secondPage);
  await addPage(page, thirdPage);
  await page.locator('.preview-pane .hljs-keyword').first().waitFor();

  // Read as another person, with JavaScript off. Nothing glides away below the pointer.
  const reader = await browser.newContext({ javaScriptEnabled: false, reducedMotion: 'reduce' });
  const reading = listenTo(await reader.newPage());
  const answer = await reading.goto(service.origin + viewPath);
  expect(answer?.headers()['x-robots-tag']).toBe('noindex');
  expect(await answer?.text()).not.toContain(editToken);
  await rendered(reading, 'Field notes');
  await reading.getByRole('heading', { name: /Field notes/, level: 1 }).waitFor();
  await expect.poll(() => reading.locator('.prose').textContent()).toContain('日本語のテキスト');
  await expect.poll(() => reading.locator('.prose kbd').count()).toBe(2);
  await reading.getByText('More', { exact: true }).click();
  await reading.getByText('Inside bold words.').waitFor();
  const footnote = reading.locator('.prose sup a').first();
  await footnote.click();
  const target = decodeURIComponent(new URL(reading.url()).hash.slice(1));
  await expect.poll(() => reading.locator(`[id="${target}"]`).textContent()).toContain('The footnote says so.');
  await reading.getByRole('link', { name: 'The plan' }).first().click();
  await rendered(reading, 'The plan');
  await expect.poll(() => reading.locator('.prose tr').count()).toBe(61);
  await expect.poll(() => reading.locator('.prose td[align="right"]').count()).toBe(120);
  await reading
    .getByRole('link', { name: /Code in six/ })
    .first()
    .click();
  await rendered(reading, 'Code in six');
  await expect.poll(() => reading.locator('.prose pre code').count()).toBe(6);
  await expect.poll(() => reading.locator('.prose .hljs-keyword').count()).toBeGreaterThan(5);

  // Print.
  await reading.goto(`${service.origin}${viewPath}/print`);
  for (const title of ['Field notes', 'The plan', 'Code in six languages'])
    await expect.poll(() => reading.locator('body').textContent()).toContain(title);
  await checkPdf(reading);
  await reader.close();

  // Reorder: the last page to the front.
  await page.locator('.page-pick', { hasText: 'Code in six' }).click();
  for (const _ of [1, 2]) await page.getByRole('button', { name: /^Move Code in six languages up/ }).click();
  await expect
    .poll(() => page.locator('.page-pick').allInnerTexts())
    .toEqual([expect.stringContaining('Code in six'), expect.stringContaining('Field notes'), 'The plan']);

  // Edit, and restore the text from before.
  const field = page.getByRole('textbox', { name: /^Markdown of/ });
  await write(page, '# Overwritten by mistake', 'Control+s');
  await page.getByRole('button', { name: 'Versions' }).click();
  await page.locator('.snapshot-list button').first().click();
  await page.getByRole('button', { name: 'Restore this version' }).click();
  await expect.poll(() => field.inputValue()).toBe(thirdPage);
  const api = await fetch(`${service.origin}/api/notebooks/field-notes-2026`);
  const stored = (await api.json()) as { pages: { markdown: string }[] };
  expect(stored.pages.map(({ markdown }) => markdown)).toEqual([thirdPage, firstPage, secondPage]);

  // Killed in the middle, started again: all there.
  await service.kill('SIGKILL');
  service = await startService({ DATABASE_URL: database.url, LOG_LEVEL: 'debug', PORT: new URL(service.origin).port });
  await page.reload();
  await expect.poll(() => page.getByRole('textbox', { name: /^Markdown of/ }).inputValue()).toBe(thirdPage);

  // The home screen knows it; then delete.
  await page.goto(service.origin);
  await page
    .getByRole('link', { name: /Field notes/ })
    .first()
    .waitFor();
  await page.goto(`${service.origin}/edit/field-notes-2026`);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Delete/ })
    .click();
  await page.getByRole('button', { name: 'Delete the notebook' }).click();
  await page.waitForURL('**/?deleted=1');
  // A full page load (spec 1 §3): the document came from that address, which a changed address bar would not show.
  expect(await page.evaluate(() => performance.getEntriesByType('navigation')[0]!.name)).toBe(`${service.origin}/?deleted=1`);
  await page
    .getByText(/deleted/i)
    .first()
    .waitFor();
  await expect.poll(() => page.getByRole('link', { name: /Field notes/ }).count()).toBe(0);
  await expect.poll(async () => (await fetch(service.origin + viewPath)).status).toBe(404);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(editToken);

  expect(complaints).toEqual([]);
  expect(service.output()).not.toContain(editToken);
}, 120_000);

/** Saved as a PDF by Chromium: a title sheet, a table of contents, and every page on a sheet of its own. */
async function checkPdf(page: Page): Promise<void> {
  const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  expect(sheets).toBeGreaterThanOrEqual(5);
  // poppler-utils reads the words back where it is installed.
  if (!existsSync('/usr/bin/pdftotext')) return;
  const folder = await mkdtemp(join(tmpdir(), 'octavo-pdf-'));
  await writeFile(join(folder, 'notebook.pdf'), pdf);
  const { stdout } = await promisify(execFile)('pdftotext', ['-layout', join(folder, 'notebook.pdf'), '-']);
  await rm(folder, { recursive: true });
  const [titleSheet, contents] = stdout.split('\f') as [string, string];
  expect(titleSheet).toContain('Field notes');
  expect(contents).toMatch(/Contents[\s\S]*The plan[\s\S]*Code in six languages/);
  expect(stdout).toContain('Chapter 59');
}

it('quick paste copies the edit link and opens on both links', async () => {
  const page = listenTo(await owner.newPage());
  await page.goto(`${service.origin}/quick`);
  await page.getByLabel('Your text').fill('Intro\n\n# Pasted in a hurry\n\ntext');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Your clipboard has the edit link.').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await link(page, 'Edit link'));
  const view = await fetch(service.origin + pathOf(await link(page, 'View link')));
  expect(await view.text()).toContain('<title>Pasted in a hurry');
  expect(complaints).toEqual([]);
});
