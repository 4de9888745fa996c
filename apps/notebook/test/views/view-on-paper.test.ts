import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderLoaded } from '../../src/markdown/render-loaded.ts';
import { renderView } from '../../src/views/view.tsx';
import { launchChromium } from '../support/browser.ts';
import { firefoxMissing, launchFirefox } from '../support/firefox.ts';
import { launchWebKit, webkitMissing } from '../support/webkit.ts';
import { type ClientSite, startClientSite } from './client-site.ts';
import { viewProps } from './samples.ts';

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], ...rows: readonly string[][]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
const numbers = (count: number) => Array.from({ length: count }, (_, at) => String((at + 1) * 137));

const digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const words = 'Watermarked since the year 1282, sized with gelatine, and folded once';
const long = ['Internationalization', 'Representations', 'Responsibilities', 'Compatibility'];
const path = '`octavo pull --into=some/long/path/of/a/folder/that/goes/on/and/on/and/on`';
const eight = table(
  ['Sheet', 'Digest', 'Width', 'Height', 'Folded', 'Remark', 'Price', 'Maker'],
  ['Imperial', digest, '762', '559', 'once', words, '12.50', 'Fabriano'],
);
const text = [
  table(['Name', 'Word'], ['Fabriano and its mills', 'W'.repeat(80)]),
  eight,
  table([...long, ...long], [...long, ...long]),
  table(numbers(16), numbers(16)),
  table(numbers(40), numbers(40)),
  table(numbers(200), numbers(200)),
  table(['Command', 'Option', 'Meaning'], [path, '`--with-images-and-everything-else-that-there-is`', words]),
  table(['الاسم', 'البصمة', 'ملاحظة', 'السعر'], ['مطبعة بولاق', digest + digest, 'أول مطبعة رسمية حكومية', '١٢٫٥٠']),
  `- An item\n\n  ${eight.replaceAll('\n', '\n  ')}`,
].join('\n\nBetween tables.\n\n');

const terms = Array.from({ length: 40 }, (_, at) => `x_{${at}}`).join(' + ');
const rest = `$$ ${terms} = 0 $$

In a line $${terms}$, and $x$.

\`\`\`sh
${'octavo pull --with-images '.repeat(9)}
${'x'.repeat(200)}
\`\`\`

<kbd>${'k'.repeat(150)}</kbd>

<img src="/wide.svg" width="3000" height="100" alt="${'wide'.repeat(40)}">`;

let site: ClientSite;
let browser: Browser;

beforeAll(async () => {
  const view = async (markdown: string) => viewProps({ page: { ...viewProps().page, ...(await renderLoaded(markdown)) } });
  const [tables, others, onlyEight] = await Promise.all([view(text), view(rest), view(eight)]);
  site = await startClientSite(client => ({
    '/tables': renderView(client, tables),
    '/others': renderView(client, others),
    '/eight': renderView(client, onlyEight),
  }));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** What is between the margins of A4 and of A5. */
const sheets = { A4: 657, A5: 423 };

async function openOnPaper(path: string, width: number, javaScriptEnabled: boolean): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, javaScriptEnabled });
  const page = await context.newPage();
  await page.goto(site.origin + path);
  if (javaScriptEnabled) {
    // The script comes after the page, and answers the event when it is there.
    await expect
      .poll(() =>
        page.evaluate(() => {
          dispatchEvent(new Event('beforeprint'));
          return document.querySelector('.prose table[data-fitted], .prose [style*="--fit"]') !== null;
        }),
      )
      .toBe(true);
  }
  await page.emulateMedia({ media: 'print' });
  // Letters have whole pixels on the screen, and their own widths on paper.
  await page.evaluate(() => document.documentElement.style.setProperty('text-rendering', 'geometricPrecision'));
  return page;
}

/** How far, in pixels, the letters of each element are beyond the text's edges. Runs in the browser. */
function beyondEdges(selector: string): number[] {
  const edges = document.querySelector('.prose')!.getBoundingClientRect();
  return [...document.querySelectorAll(selector)].map(element => {
    const content = document.createRange();
    content.selectNodeContents(element);
    const boxes = [element.getBoundingClientRect(), ...content.getClientRects()];
    return Math.ceil(Math.max(0, ...boxes.map(({ left, right }) => Math.max(edges.left - left, right - edges.right) - 1)));
  });
}

const nothing = Array.from(text.split('Between tables.'), () => 0);
/** How many lines each cell of the second row has. */
const linesOf = (page: Page) =>
  page.locator('.prose td').evaluateAll(cells =>
    cells.map(cell => {
      const content = document.createRange();
      content.selectNodeContents(cell);
      return new Set([...content.getClientRects()].map(({ top }) => top)).size;
    }),
  );

describe.each([true, false])('a printed view, with scripts: %s', scripts => {
  it.each(Object.entries(sheets))('has every column of every table on the sheet (%s)', async (_, width) => {
    const page = await openOnPaper('/tables', width, scripts);
    await expect.poll(() => page.evaluate(beyondEdges, '.prose table')).toEqual(nothing);
    await page.context().close();
  });

  it('breaks a digest in a table, and no ordinary word', async () => {
    const page = await openOnPaper('/eight', sheets.A4, scripts);
    const lines = await linesOf(page);
    expect(lines[1]).toBeGreaterThan(1);
    expect(lines.toSpliced(5, 1).toSpliced(1, 1)).toEqual([1, 1, 1, 1, 1, 1]);
    await page.context().close();
  });

  it('cuts off no code, key or image', async () => {
    const page = await openOnPaper('/others', sheets.A4, scripts);
    await expect.poll(() => page.evaluate(beyondEdges, '.prose :is(pre, kbd, img)')).toEqual([0, 0, 0]);
    await page.context().close();
  });
});

it('a formula of a view that is wider than the sheet becomes smaller, on paper only', async () => {
  const page = await openOnPaper('/others', sheets.A4, true);
  await expect.poll(() => page.evaluate(beyondEdges, '.prose math')).toEqual([0, 0, 0]);
  const size = () => page.locator('.math-display').evaluate(formula => Number.parseFloat(getComputedStyle(formula).fontSize));
  const printed = await size();
  await page.emulateMedia({ media: 'screen' });
  await expect.poll(size).toBeGreaterThan(2 * printed);
  await page.context().close();
});

it.each(Object.entries(sheets))('without a script, a formula of many parts goes on in the next line (%s)', async (_, width) => {
  const page = await openOnPaper('/others', width, false);
  await expect.poll(() => page.evaluate(beyondEdges, '.prose math')).toEqual([0, 0, 0]);
  await page.context().close();
});

/** Shows the page as it is printed on A4, in browsers whose driver cannot. Runs in the browser. */
function showOnPaper(width: number): void {
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSMediaRule)) continue;
      if (rule.media.mediaText === 'screen') rule.media.mediaText = 'not all';
      if (rule.media.mediaText === 'print') rule.media.mediaText = 'all';
    }
  document.querySelector<HTMLElement>('.prose')!.style.width = `${width}px`;
}

it.skipIf(firefoxMissing)('has every column on the sheet in Firefox', async () => {
  const firefox = await launchFirefox();
  const page = await (await firefox.newContext()).newPage();
  await page.goto(`${site.origin}/tables`);
  await page.evaluate(showOnPaper, sheets.A4);
  expect(await page.evaluate(beyondEdges, '.prose table')).toEqual(nothing);
  await firefox.close();
});

it.skipIf(webkitMissing)('has every column on the sheet in WebKit', async () => {
  const webkit = await launchWebKit();
  await webkit.driver.get(`${site.origin}/tables`);
  await webkit.driver.executeScript(`(${String(showOnPaper)})(arguments[0])`, sheets.A4);
  expect(await webkit.driver.executeScript(`return (${String(beyondEdges)})('.prose table')`)).toEqual(nothing);
  await webkit.close();
});
