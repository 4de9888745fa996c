import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeImageFolder } from '../support/image-folder.ts';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import type { Made } from '../support/service-process.ts';
import { standing } from './standing.ts';

// With its button in the toolbar.
const images = makeImageFolder();
let octavo: ServiceInBrowser;
let made: Made;
beforeAll(async () => {
  octavo = await ServiceInBrowser.start(undefined, images.env);
  made = await octavo.create({ title: 'Desk', pages: [{ markdown: '# One' }] });
});
afterAll(async () => {
  await octavo?.close();
  images.remove();
});

/** One editor for each width, for all tests. */
const opened = new Map<number, Page>();

/** Without a dialog. */
async function openAt(width: number): Promise<Page> {
  const open = opened.get(width) ?? (await octavo.browser.newPage({ viewport: { width, height: 800 }, serviceWorkers: 'block' }));
  if (!opened.has(width)) {
    opened.set(width, open);
    await open.goto(`${octavo.origin}/e/${made.editToken}`);
    await open.getByRole('textbox', { name: /^Markdown of/ }).waitFor();
  }
  await open.setViewportSize({ width, height: 800 });
  await open.keyboard.press('Escape');
  await open.getByRole('dialog').waitFor({ state: 'detached' });
  return open;
}

const preview = (page: Page) => page.getByRole('region', { name: 'Preview' });

// Spec 1 §1.5.
it('on a wide screen text and preview stand side by side', async () => {
  const page = await openAt(1280);
  const [text, look] = await standing(page.locator('textarea'), preview(page));
  expect(look!.x).toBeGreaterThanOrEqual(text!.x + text!.width);
  expect(Math.abs(look!.y - text!.y)).toBeLessThan(150);
});

it.each([1280, 1366])('in a window of %i the toolbar is one row', async width => {
  const page = await openAt(width);
  const tools = await standing(...(await page.locator('.tool:visible').all()));
  expect(tools.length).toBeGreaterThan(15);
  expect(new Set(tools.map(tool => tool!.y)).size).toBe(1);
});

it('on a small screen there is only the text to write', async () => {
  const page = await openAt(390);
  await expect.poll(() => page.locator('textarea').isVisible()).toBe(true);
  await expect.poll(() => preview(page).count()).toBe(0);
});

// Spec 1 §1.10.
it('the share panel shows both links', async () => {
  const page = await openAt(1280);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect.poll(() => page.getByLabel('View link', { exact: true }).inputValue()).toBe(`${octavo.origin}/n/${made.slug}`);
  await expect
    .poll(() => page.getByLabel('Edit link', { exact: true }).inputValue())
    .toBe(`${octavo.origin}/e/${made.editToken}`);
});

it('on a phone what is not sharing and viewing waits behind "More", and folds by Esc, elsewhere and choice', async () => {
  const page = await openAt(390);
  const more = page.getByRole('button', { name: 'More', exact: true });
  const settings = page.getByRole('button', { name: 'Settings', exact: true });
  await expect.poll(() => settings.isVisible()).toBe(false);
  await more.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Versions');
  await page.keyboard.press('Escape');
  await expect.poll(() => settings.isVisible()).toBe(false);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('More');
  await more.click();
  await page.locator('textarea').click();
  await settings.waitFor({ state: 'hidden' });
  await more.click();
  await settings.click();
  await expect.poll(() => page.getByRole('dialog').isVisible()).toBe(true);
  await expect.poll(() => settings.isVisible()).toBe(false);
});

it('a dialog that another one opened gives the focus back to where both began', async () => {
  const page = await openAt(1280);
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  for (const button of ['Delete this notebook…', 'Share']) {
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('dialog', { name: /^(?:Delete|Share) this notebook/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(async () => [button, await focused()]).toEqual([button, 'Settings']);
  }
});

it('a notebook that its view link does not open has no button that leads there', async () => {
  const hidden = await octavo.create({ title: 'Hidden', visibility: 'private', pages: [{ markdown: '# One' }] });
  const view = (page: Page) => page.getByRole('link', { name: 'View', exact: true });
  const open = await openAt(1280);
  await expect.poll(() => view(open).getAttribute('href')).toBe(`/n/${made.slug}`);
  const page = await octavo.browser.newPage();
  await page.goto(`${octavo.origin}/e/${hidden.editToken}`);
  await page.getByRole('textbox', { name: /^Markdown of/ }).waitFor();
  await expect.poll(() => view(page).count()).toBe(0);
});

it('on a phone the page list and the find panel take turns, so that text stays in sight', async () => {
  const page = await openAt(390);
  await page.setViewportSize({ width: 390, height: 844 });
  const list = page.getByRole('navigation', { name: 'Pages' });
  const words = page.getByRole('textbox', { name: 'Find in this page' });
  const pages = page.getByRole('button', { name: 'Pages', exact: true });
  // The note about the list of this browser is in sight all the time.
  await page.getByRole('button', { name: 'Keep it in the list' }).waitFor();
  const textHeight = async () => (await standing(page.locator('.fields')))[0]!.height;
  await pages.click();
  await list.waitFor();
  await expect.poll(textHeight).toBeGreaterThan(150);
  await page.locator('textarea').focus();
  await page.keyboard.press('Control+f');
  await words.waitFor();
  await list.waitFor({ state: 'hidden' });
  await expect.poll(textHeight).toBeGreaterThan(150);
  await words.fill('One');
  await pages.click();
  await list.waitFor();
  await words.waitFor({ state: 'hidden' });
  await expect.poll(textHeight).toBeGreaterThan(150);
  await pages.click();
  await words.waitFor();
  await expect.poll(() => words.inputValue()).toBe('One');
});
