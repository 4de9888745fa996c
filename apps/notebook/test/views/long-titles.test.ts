import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderView } from '../../src/views/view.tsx';
import { launchChromium } from '../support/browser.ts';
import { type ClientSite, startClientSite } from './client-site.ts';
import { viewProps } from './samples.ts';

// Titles of 200 characters leave room for the other pages, in the list and at the end of a page.
let site: ClientSite;
let browser: Browser;

const long = ['with spaces '.repeat(17).slice(0, 199), 'w'.repeat(200), 'Short'];

beforeAll(async () => {
  const pages = long.map((title, at) => ({ id: `p${at}`, href: `/n/x/p/p${at}`, title, current: at === 1 }));
  const [previous, next] = [
    { id: 'p0', href: '/n/x', title: long[0]! },
    { id: 'p2', href: '/n/x/p/p2', title: long[1]! },
  ];
  site = await startClientSite(client => ({ '/view': renderView(client, viewProps({ pages, previous, next })) }));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const linesOf = (page: Page, links: string) =>
  page.locator(`${links}:visible`).evaluateAll(all =>
    all.map(link => {
      const title = link.querySelector('span:last-of-type')!;
      return Math.round(title.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(title).lineHeight));
    }),
  );

describe.each([
  [390, '.index-above a'],
  [1440, '.index-beside a'],
])('in a window %i px wide', (width, list) => {
  it.each(['light', 'dark'] as const)(
    'a long title takes three lines, and all that it needs once the keyboard is there (%s)',
    async colorScheme => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await context.newPage();
      await page.goto(`${site.origin}/view`);
      const summary = page.locator('.index-above summary:visible');
      if ((await summary.count()) > 0) await summary.click();
      await expect.poll(() => linesOf(page, list)).toEqual([3, 3, 1]);
      await expect.poll(() => linesOf(page, '.pager a')).toEqual([3, 3]);
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      for (const link of [`${list}:visible`, '.pager a']) {
        const first = page.locator(link).first();
        await expect.poll(() => first.getAttribute('title')).toBe(long[0]);
        await page.keyboard.press('Tab');
        await first.focus();
        await expect.poll(async () => (await linesOf(page, link.replace(':visible', '')))[0]).toBeGreaterThan(3);
      }
      await context.close();
    },
  );
});
