import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderFind } from '../../src/views/find.tsx';
import { renderPrint } from '../../src/views/print.tsx';
import { renderView } from '../../src/views/view.tsx';
import { launchChromium } from '../support/browser.ts';
import { type ClientSite, startClientSite } from './client-site.ts';
import { printProps, viewProps } from './samples.ts';

// Long titles and headings leave room for the others: in the list of pages, above it, in the outline and at the end of a page.
let site: ClientSite;
let browser: Browser;

const long = ['with spaces '.repeat(17).slice(0, 199), 'w'.repeat(200), 'Short'];
const headings = [...long, 'w'.repeat(300), 'w'.repeat(5_000)].map((text, at) => ({ depth: 2 as const, id: `h${at}`, text }));

beforeAll(async () => {
  const pages = long.map((title, at) => ({ id: `p${at}`, href: `/n/x/p/p${at}`, title, current: at === 1 }));
  const [previous, next] = [
    { id: 'p0', href: '/n/x', title: long[0]! },
    { id: 'p2', href: '/n/x/p/p2', title: long[1]! },
  ];
  const base = viewProps({ pages, previous, next });
  const html = headings.map(({ id, text }) => `<h2 id="${id}">${text}</h2>`).join('');
  const props = { ...base, notebook: { ...base.notebook, title: long[1]! }, page: { ...base.page, html, headings } };
  const sheets = printProps().pages.map(sheet => ({ ...sheet, title: long[1]!, html, headings }));
  site = await startClientSite(client => ({
    '/view': renderView(client, props),
    '/find': renderFind(client, { slug: 'x', title: long[1]! }),
    '/print': renderPrint(client, { ...printProps(), pages: sheets }),
  }));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const linesOf = (page: Page, links: string) =>
  page.locator(`${links}:visible`).evaluateAll(all =>
    all.map(link => {
      const title = link.querySelector('span:last-of-type') ?? link;
      return Math.round(title.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(title).lineHeight));
    }),
  );

/** Whether what scrolls around the link leaves room for the ring that shows the keyboard's place. */
const isRingWhole = (link: Element): boolean => {
  const { outlineWidth, outlineOffset, outlineStyle } = getComputedStyle(link);
  if (outlineStyle === 'none') return false;
  let around = link.parentElement;
  while (around && getComputedStyle(around).overflowX === 'visible') around = around.parentElement;
  if (!around) return true;
  const ring = Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset);
  const [inner, outer] = [link, around].map(each => each.getBoundingClientRect());
  return inner!.left - ring >= outer!.left && inner!.right + ring <= outer!.right;
};

describe.each([
  [390, '.index-above a', '.toc-inside a'],
  [1440, '.index-beside a', '.toc-beside a'],
])('in a window %i px wide', (width, list, outline) => {
  it.each(['light', 'dark'] as const)(
    'a long title takes three lines, and all that it needs once the keyboard is there (%s)',
    async colorScheme => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await context.newPage();
      await page.goto(`${site.origin}/view`);
      await page.locator('details').evaluateAll(all => all.forEach(each => void each.setAttribute('open', '')));
      await expect.poll(() => linesOf(page, list)).toEqual([3, 3, 1]);
      await expect.poll(() => linesOf(page, outline)).toEqual([3, 3, 1, 3, 3]);
      await expect.poll(() => linesOf(page, '.pager a')).toEqual([3, 3]);
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      for (const link of [list, outline, '.pager a']) {
        const first = page.locator(`${link}:visible`).first();
        await expect.poll(() => first.getAttribute('title')).toBe(long[0]);
        await page.keyboard.press('Tab');
        await first.focus();
        await expect.poll(async () => (await linesOf(page, link))[0]).toBeGreaterThan(3);
        await expect.poll(() => first.evaluate(isRingWhole)).toBe(true);
      }
      await context.close();
    },
  );
});

it('the notebook’s title above the list takes three lines, and all that it needs while the keyboard is in the list', async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${site.origin}/view`);
  const title = page.locator('.index-beside .index-title');
  await expect.poll(() => linesOf(page, '.index-beside .index-title > span')).toEqual([3]);
  await expect.poll(() => title.getAttribute('title')).toBe(long[1]);
  await page.keyboard.press('Tab');
  await page.locator('.index-beside a').last().focus();
  await expect.poll(async () => (await linesOf(page, '.index-beside .index-title > span'))[0]).toBeGreaterThan(3);
  await context.close();
});

it.each(['light', 'dark'] as const)(
  'the notebook’s title above its search takes three lines, on a phone (%s)',
  async colorScheme => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme });
    const page = await context.newPage();
    await page.goto(`${site.origin}/find`);
    await expect.poll(() => linesOf(page, 'h1')).toEqual([3]);
    await expect.poll(() => page.locator('h1').getAttribute('title')).toBe(`Find in ${long[1]}`);
    await context.close();
  },
);

it('a heading that no hint could show has none: the page shows it', async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${site.origin}/view`);
  const hints = () => page.locator('.toc-beside a').evaluateAll(all => all.map(link => link.getAttribute('title')));
  await expect.poll(hints).toEqual([long[0], long[1], null, 'w'.repeat(300), null]);
  await context.close();
});

it('a word of 300 letters stays on the sheet of the printed contents, beside its number', async () => {
  const page = await browser.newPage({ viewport: { width: 658, height: 971 } });
  await page.goto(`${site.origin}/print`);
  await page.locator('html[data-book]').waitFor({ state: 'attached' });
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await expect.poll(() => page.locator('.book-contents [data-page]').count()).toBeGreaterThan(0);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(658);
  await page.close();
});
