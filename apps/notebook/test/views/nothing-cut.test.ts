import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderLoaded } from '../../src/markdown/render-loaded.ts';
import { renderView } from '../../src/views/view.tsx';
import { launchChromium } from '../support/browser.ts';
import { type ClientSite, startClientSite } from './client-site.ts';
import { viewProps } from './samples.ts';

// What a reader needs is in sight or can be scrolled there: on a phone, at 400 %, and with the reader's own spacing.
let site: ClientSite;
let browser: Browser;

const text = `# What is long

A key <kbd>${'Control Shift '.repeat(8)}</kbd> and <kbd>${'k'.repeat(90)}</kbd>.

![${'IMG_20261126_'.repeat(9)}](data:image/png,none "A caption")

\`\`\`sh
npm install one-package another-package a-third-package
npm run build
\`\`\`

Energy $E = mc^2$ and $f(x) = a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q$ in a line.

- An item with $f(x) = a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q$.
`;

beforeAll(async () => {
  const page = { ...viewProps().page, ...(await renderLoaded(text)) };
  site = await startClientSite(client => ({
    '/view': renderView(client, viewProps({ page })),
  }));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

async function open(path: string, width: number, more: object = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 640 }, ...more });
  const page = await context.newPage();
  await page.goto(site.origin + path);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  return page;
}

describe.each([320, 1280])('in a window %i px wide', width => {
  it('nothing in the text ends beyond the sheet, where nobody could scroll to it', async () => {
    const page = await open('/view', width);
    const cut = () =>
      page.evaluate(() => {
        const sheet = document.querySelector('.sheet')!.getBoundingClientRect();
        return [...document.querySelectorAll<HTMLElement>('.prose :is(kbd, figure, img, .math-inline)')]
          .filter(element => {
            const { left, right } = element.getBoundingClientRect();
            return left < sheet.left || right > sheet.right;
          })
          .map(element => element.tagName);
      });
    await expect.poll(cut).toEqual([]);
    await page.context().close();
  });
});

it.each([
  [320, 2],
  [1280, 0],
])('a formula in a line scrolls where the window is too narrow, %i px', async (width, wide) => {
  const page = await open('/view', width);
  await expect.poll(() => page.locator('.prose .math-inline[tabindex="0"]').count()).toBe(wide);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  const ends = page.locator('.prose .math-inline').nth(1);
  await ends.evaluate(box => box.scrollTo(10_000, 0));
  await expect
    .poll(() =>
      ends.evaluate(box => {
        const last = [...box.querySelectorAll('mi')].at(-1)!.getBoundingClientRect();
        return last.width > 0 && last.right <= box.getBoundingClientRect().right;
      }),
    )
    .toBe(true);
  await page.context().close();
});

it('the copy button, which touch always shows, leaves the end of the code free', async () => {
  const page = await open('/view', 390, { hasTouch: true, isMobile: true });
  const isFree = () =>
    page.locator('.code-box').evaluate(box => {
      const pre = box.querySelector('pre')!;
      pre.scrollLeft = 10_000;
      const line = document.createRange();
      line.selectNodeContents(pre.querySelector('code')!);
      const button = box.querySelector('.copy-code')!.getBoundingClientRect();
      return [...line.getClientRects()].every(({ right, top }) => top >= button.bottom || right <= button.left);
    });
  await page.locator('.copy-code').waitFor();
  await expect.poll(() => page.evaluate(() => matchMedia('(hover: none)').matches)).toBe(true);
  await expect.poll(isFree).toBe(true);
  await page.context().close();
});

it('what a link led to is marked in the reader’s own colors too', async () => {
  const page = await open('/view#what-is-long', 1280, { forcedColors: 'active' });
  await expect.poll(() => page.evaluate(() => document.querySelector(':target')?.tagName)).toBe('H1');
  await expect.poll(() => page.locator('h1:target').evaluate(target => getComputedStyle(target).outlineStyle)).toBe('solid');
  await page.context().close();
});
