import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { renderView } from '../../src/views/view.tsx';
import { launchChromium } from '../support/browser.ts';
import { type ClientSite, startClientSite } from './client-site.ts';
import { viewProps } from './samples.ts';

let site: ClientSite;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const markdown = '# Hills\n\n![A hill|40](/icon-512.png "Seen from below")\n\nWords.';
  const shown = { ...viewProps().page, ...renderMarkdown(markdown) };
  site = await startClientSite(client => ({ '/view': renderView(client, viewProps({ page: shown })) }));
  browser = await launchChromium();
  page = await browser.newPage({ viewport: { width: 390, height: 700 } });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const focused = () => page.evaluate(() => document.activeElement?.className);
const zoomed = () => page.locator('dialog.zoomed');
const widthOf = (selector: string) => page.locator(selector).evaluate(image => image.getBoundingClientRect().width);

it('a picture opens above the page by keyboard, and gives the focus back on Esc', async () => {
  await page.goto(`${site.origin}/view`);
  await page.locator('a.zoom').focus();
  await page.keyboard.press('Enter');
  await zoomed().waitFor();
  await expect.poll(() => zoomed().getAttribute('aria-label')).toBe('A hill');
  await expect.poll(() => zoomed().locator('.zoomed-caption').textContent()).toBe('Seen from below');
  await page.keyboard.press('Escape');
  await zoomed().waitFor({ state: 'detached' });
  await expect.poll(focused).toBe('zoom');
  expect(new URL(page.url()).pathname).toBe('/view');
});

it('fits the window, and shows every pixel on a press', async () => {
  await page.goto(`${site.origin}/view`);
  await expect.poll(() => widthOf('.prose img')).toBe(40);
  await page.locator('a.zoom').click();
  // As wide as the window, with a little room on both sides.
  await expect.poll(async () => Math.round((await widthOf('.zoomed img')) / 100)).toBe(4);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await page.locator('.zoomed-size').click();
  await expect.poll(() => widthOf('.zoomed img')).toBe(512);
  await page.locator('.zoomed-close').click();
  await zoomed().waitFor({ state: 'detached' });
});

it('without a script the picture is a link to its file', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const bare = await context.newPage();
  await bare.goto(`${site.origin}/view`);
  await bare.locator('a.zoom').click();
  await expect.poll(() => new URL(bare.url()).pathname).toBe('/icon-512.png');
  await context.close();
});
