import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderLoaded } from '../../src/markdown/render-loaded.ts';
import { renderPrint } from '../../src/views/print.tsx';
import { renderView } from '../../src/views/view.tsx';
import { launchChromium } from '../support/browser.ts';
import { type ClientSite, startClientSite } from './client-site.ts';
import { printProps, viewProps } from './samples.ts';

const cells = (tag: string) =>
  ['Sheet', 'Width', 'Height', 'Folded once', 'Made since', 'Remark', 'Price', 'Maker']
    .map(words => `<${tag}>${words}</${tag}>`)
    .join('');
const wideTable = `<table><thead><tr>${cells('th')}</tr></thead><tbody><tr>${cells('td')}</tr></tbody></table>`;

const longWords = [
  ['Name', 'Digest', 'Remark'],
  ['Fabriano', 'W'.repeat(80), 'Watermarked since the year 1282'],
]
  .map(row => `<tr>${row.map(words => `<td>${words}</td>`).join('')}</tr>`)
  .join('');

const terms = Array.from({ length: 40 }, (_, at) => `x_{${at}}`).join(' + ');
// Short in TeX and wide on paper.
const wide = `\\mathrm{${'W'.repeat(68)}}`;
const formulas = `$$ ${terms} = 0 $$\n\nHere $${terms} = 1$ too.\n\n$$ a + b = c $$\n\nIn a line $${wide}$, and $x$.\n\n- In an item $${wide}$`;

const headingsAlone = '<h2>Part</h2><h3 class="below">Below it</h3><p class="words">Words</p>';

let site: ClientSite;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const withFormulas = { id: 'p1', title: 'Sums', ...(await renderLoaded(formulas)) };
  site = await startClientSite(client => ({
    '/view': renderView(client, viewProps()),
    '/print': renderPrint(client, printProps()),
    '/formulas': renderPrint(client, { ...printProps(), pages: [withFormulas] }),
    '/headings': renderView(client, viewProps({ page: { ...viewProps().page, html: headingsAlone } })),
    '/table': renderView(client, viewProps({ page: { ...viewProps().page, html: wideTable } })),
    '/long-words': renderPrint(client, {
      ...printProps(),
      pages: [{ ...printProps().pages[0]!, html: `<table>${longWords}</table>` }],
    }),
  }));
  browser = await launchChromium();
  const context = await browser.newContext({ colorScheme: 'dark' });
  await context.addInitScript(() => localStorage.setItem('octavo.theme', 'dark'));
  page = await context.newPage();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const style = (selector: string, property: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

// Spec 1 §1.8: the print view is set in a serif typeface.
it('/print is set in the serif, every word but code, on the screen and on paper', async () => {
  await page.goto(`${site.origin}/print`);
  for (const media of ['screen', 'print'] as const) {
    await page.emulateMedia({ media });
    const families = await page.evaluate(() => {
      const spoken = [...document.querySelectorAll('h1, nav a, .prose :is(h1, h2, h3, p, li, th, td, blockquote)')];
      return [...new Set(spoken.map(element => getComputedStyle(element).fontFamily))];
    });
    expect(families).toEqual([expect.stringMatching(/^"?Source Serif 4[^,]*,.*\bserif$/)]);
  }
  await page.evaluate(() => document.fonts.ready);
  const loaded = await page.evaluate(() => [...document.fonts].filter(font => font.status === 'loaded').map(font => font.family));
  expect(loaded).toContainEqual(expect.stringMatching(/Source Serif 4/));
});

describe.each(['/view', '/print'])('%s on paper, in the dark theme', path => {
  it('prints light, without furniture, and cuts nothing off', async () => {
    await page.emulateMedia({ media: 'screen' });
    await page.goto(site.origin + path);
    if (path === '/view') await expect.poll(() => style('body', 'color-scheme')).toBe('dark');
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => style('body', 'color-scheme')).toBe('light');
    await expect.poll(() => style('.prose p', 'color')).toBe('rgb(35, 33, 30)');
    await expect
      .poll(() =>
        page
          .locator('.site-header, .print-bar, .index, .pager, .toc, .sheet-foot, .site-footer')
          .filter({ visible: true })
          .count(),
      )
      .toBe(0);
    expect(await Promise.all(['.prose p', '.prose code', '.prose h1'].map(part => style(part, 'hyphens')))).toEqual([
      'auto',
      'manual',
      'manual',
    ]);
    await expect.poll(() => style('.prose pre', 'white-space-collapse')).toBe('preserve');
    await expect.poll(() => style('.prose pre', 'text-wrap-mode')).toBe('wrap');
    await expect.poll(() => style('.prose table', 'display')).toBe('table');
  });

  it('prints folded details open', async () => {
    await page.goto(site.origin + path);
    await page.emulateMedia({ media: 'print' });
    const height = await page
      .locator('.prose details p')
      .first()
      .evaluate(words => words.getBoundingClientRect().height);
    expect(height).toBeGreaterThan(10);
  });
});

it('a table of eight columns is as wide as a sheet of A4, or the browser would make the whole page smaller', async () => {
  const sheet = { width: 658, height: 971 };
  await page.setViewportSize(sheet);
  await page.goto(`${site.origin}/table`);
  await page.emulateMedia({ media: 'print' });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(sheet.width);
});

it('a word that is too long for its table breaks in the print view, and no other', async () => {
  // What is between the margins of A4.
  const width = 627;
  await page.setViewportSize({ width, height: 931 });
  await page.emulateMedia({ media: 'screen' });
  await page.goto(`${site.origin}/long-words`);
  await page.locator('html[data-book="ready"]').waitFor();
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  await expect
    .poll(() => page.locator('.prose table').evaluate(table => table.getBoundingClientRect().right))
    .toBeLessThanOrEqual(width);
  const lines = await page.locator('.prose td').evaluateAll(cells =>
    cells.slice(3).map(cell => {
      const text = document.createRange();
      text.selectNodeContents(cell);
      return new Set([...text.getClientRects()].map(({ top }) => top)).size;
    }),
  );
  // The second is broken, the words of the third stay whole.
  expect([lines[0], lines[1]! > 1]).toEqual([1, true]);
  const longest = await page
    .locator('.prose td')
    .last()
    .evaluate(cell => {
      const word = document.createRange();
      word.setStart(cell.firstChild!, 0);
      word.setEnd(cell.firstChild!, 'Watermarked'.length);
      return word.getClientRects().length;
    });
  expect(longest).toBe(1);
});

it('a formula that is wider than a sheet becomes smaller until all of it is on paper', async () => {
  // What is between the margins of A4.
  await page.setViewportSize({ width: 627, height: 931 });
  await page.goto(`${site.origin}/formulas`);
  await page.locator('html[data-book="ready"]').waitFor();
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  // Letters have whole pixels on the screen, and their own widths on paper.
  await page.evaluate(() => document.documentElement.style.setProperty('text-rendering', 'geometricPrecision'));
  const boxes = await page
    .locator('.math-display, .math-long, .math-inline')
    .evaluateAll(all =>
      all.map(each => [
        each.scrollWidth <= each.clientWidth &&
          each.getBoundingClientRect().right <= each.closest('p, li, .book-page')!.getBoundingClientRect().right + 4,
        (each as HTMLElement).style.getPropertyValue('--fit') !== '',
      ]),
    );
  expect(boxes).toEqual([
    [true, true],
    [true, true],
    [true, false],
    [true, true],
    [true, false],
    [true, true],
  ]);
});

it('the print view is light on the screen too, and serif throughout but for code', async () => {
  await page.emulateMedia({ media: 'screen' });
  await page.goto(`${site.origin}/print`);
  await expect.poll(() => style('body', 'color-scheme')).toBe('light');
  for (const part of ['h1', '.prose p', '.prose td', '.prose summary', '.book-contents a']) {
    await expect.poll(() => style(part, 'font-family'), { message: part }).toMatch(/^"Source Serif 4 Variable"/);
  }
});

it('every page of the notebook begins on a sheet of its own', async () => {
  await page.goto(`${site.origin}/print`);
  const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
  // Title, contents and two pages; the text of a page may need more than one sheet.
  const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  expect(sheets).toBeGreaterThanOrEqual(4);
  await expect.poll(() => style('.title-sheet', 'break-after')).toBe('page');
  await expect.poll(() => style('.book-page', 'break-after')).toBe('page');
});

it('a heading below a heading keeps more room above it than a paragraph does', async () => {
  await page.emulateMedia({ media: 'screen' });
  await page.goto(`${site.origin}/headings`);
  const room = (below: string) =>
    page.locator(below).evaluate(element => {
      // On lined paper a block's room is inside of it, where its rules go on.
      const above = element.previousElementSibling!;
      const [padding, paddingAbove] = [getComputedStyle(element).paddingTop, getComputedStyle(above).paddingBottom].map(
        Number.parseFloat,
      );
      return element.getBoundingClientRect().top + padding! - (above.getBoundingClientRect().bottom - paddingAbove!);
    });
  await expect.poll(async () => (await room('.below')) > 1.4 * (await room('.words'))).toBe(true);
});
