import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderLoaded } from '../../src/markdown/render-loaded.ts';
import { renderPrint } from '../../src/views/print.tsx';
import { launchChromium } from '../support/browser.ts';
import { type ClientSite, startClientSite } from '../views/client-site.ts';
import { viewProps } from '../views/samples.ts';
import { pdfReaderMissing, readPaper, readSheets } from './pdf.ts';

const words = (at: number) =>
  `Paper ${at} was made by hand and dried on a line; a good sheet shows the mould it was made on when it is held against the light. `;
const rows = (name: string, count: number) =>
  [
    '| Row | Sheet | Made |',
    '|---|---|---|',
    ...Array.from({ length: count }, (_, at) => `| ${name}-${at} | ${at} | 1${at} |`),
  ].join('\n');
const code = `\`\`\`ts\n${Array.from({ length: 20 }, (_, at) => `const sheet${at} = fold(${at});`).join('\n')}\n\`\`\``;

/** Long enough that headings fall on many sheets; tables of many heights meet the ends of sheets. */
const texts = Array.from({ length: 6 }, (_, chapter) =>
  Array.from({ length: 9 }, (_, part) =>
    [
      `## Part ${chapter}.${part}`,
      words(part).repeat(2 + ((chapter + part) % 5)),
      rows(`t${chapter}x${part}`, 4 + ((part * 5) % 17)),
      part % 3 === 0 ? code : words(part).repeat(6),
    ].join('\n\n'),
  ).join('\n\n'),
).concat(`# Long table\n\n${rows('long', 120)}\n\n## After it\n\nThe end.`);

/** A drawing whose words pdftotext finds where it was drawn. */
const drawing = (at: number, height: number) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="400" height="${height}"><text x="9" y="20">top-of-${at}</text><text x="9" y="${height - 9}">end-of-${at}</text></svg>`)}`;
/** Pictures of many heights, so that some meet the end of a sheet. */
const figures = Array.from({ length: 24 }, (_, at) => {
  const height = 120 + ((at * 67) % 300);
  return `<figure><img src="${drawing(at, height)}" width="400" height="${height}" alt=""><figcaption>caption-of-${at}</figcaption></figure>
<ol start="${at + 1}"><li>task-${at} ${words(at).repeat(3)} answer-${at}</li></ol>`;
}).join('\n');

/** What would end a CSS string, a rule or a page, were it not only a title. */
const hostileTitle = '"} @page { @top-left { content: "stolen';
const titleOf = (at: number) => (at === 5 ? hostileTitle : `Chapter ${at}`);

let site: ClientSite;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const pages = await Promise.all(
    texts.map(async (text, at) => ({
      id: `c${at}`,
      title: titleOf(at),
      ...(await renderLoaded(text, { idPrefix: `user-content-c${at}-` })),
    })),
  );
  pages.push({ ...pages[0]!, id: 'figures', title: 'Exercises', html: figures, headings: [] });
  const notebook = { ...viewProps().notebook, title: 'A book of paper', pageCount: pages.length };
  site = await startClientSite(client => ({ '/print': renderPrint(client, { notebook, pages, viewLinkOpens: true }) }));
  browser = await launchChromium();
  page = await browser.newPage({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

async function printed(paper: 'a4' | 'letter'): Promise<Buffer> {
  await page.goto(`${site.origin}/print`);
  await page.locator('html[data-book]').waitFor({ state: 'attached' });
  await page.locator('[data-print-paper]').selectOption(paper);
  await page.evaluate(() => document.fonts.ready);
  return page.pdf({ preferCSSPageSize: true });
}

describe.skipIf(pdfReaderMissing)('a printed book', () => {
  describe.each([
    ['a4', [595, 842]],
    ['letter', [612, 792]],
  ] as const)('on %s', (paper, size) => {
    let pdf: Buffer;
    let sheets: string[];
    beforeAll(async () => {
      pdf = await printed(paper);
      sheets = await readSheets(pdf);
    }, 120_000);

    it('has the size of that paper', async () => {
      expect(await readPaper(pdf)).toEqual(size);
      expect(sheets.length).toBeGreaterThan(20);
    });

    it('has its number at the foot of every sheet but the title', () => {
      const feet = sheets.map(sheet => sheet.trimEnd().split('\n').at(-1)!.trim());
      expect(feet.slice(1)).toEqual(sheets.slice(1).map((_, at) => String(at + 2)));
      expect(feet[0]).not.toMatch(/^\d+$/);
    });

    it('has the notebook’s title and the page’s as running heads, as words whatever they are', () => {
      const heads = sheets.map(sheet => sheet.split('\n')[0]!);
      expect(heads[0]).not.toContain('A book of paper   ');
      for (const head of heads.slice(1)) expect(head).toMatch(/^\s*A book of paper {3,}\S/);
      expect(heads[1]).toMatch(/Contents$/);
      for (const at of [0, 1, 2, 3, 4]) {
        const own = heads.filter(head => head.endsWith(` Chapter ${at}`));
        expect(own.length, `Chapter ${at}`).toBeGreaterThan(2);
      }
      expect(heads.filter(head => head.includes(hostileTitle)).length).toBeGreaterThan(2);
    });

    it('has in its contents the number of the sheet that each heading is on', () => {
      const contents = sheets.filter(sheet => /Contents$/.test(sheet.split('\n')[0]!)).join('\n');
      const entries = [...contents.matchAll(/(Part \d\.\d|After it|Chapter \d)\D*?\s(\d+)$/gm)].map(([, name, number]) => ({
        name: name!,
        number: Number(number),
      }));
      expect(entries.length).toBe(54 + 1 + 6);
      for (const { name, number } of entries)
        expect([name, new RegExp(`(?:^|\\s)${name}$`, 'm').test(sheets[number - 1] ?? '')]).toEqual([name, true]);
      expect(new Set(entries.map(({ number }) => number)).size).toBeGreaterThan(15);
    });

    it('leaves no heading alone at the foot of a sheet', () => {
      const last = sheets.slice(1).map(sheet =>
        sheet
          .trimEnd()
          .split('\n')
          .filter(line => line.trim())
          .at(-2)
          ?.trim(),
      );
      expect(last.filter(line => /^(?:Part \d\.\d|After it)$/.test(line ?? ''))).toEqual([]);
      // Some would stand there: the sheets end everywhere.
      expect(new Set(last.map(line => line?.split(/[\s-]/)[0])).size).toBeGreaterThan(3);
    });

    it('keeps a figure with its caption, and an exercise, whole', () => {
      const sheetsOf = (word: string) => sheets.flatMap((sheet, at) => (new RegExp(`\\b${word}\\b`).test(sheet) ? [at] : []));
      const used = new Set<number>();
      for (let at = 0; at < 24; at += 1) {
        const [top, ...split] = sheetsOf(`top-of-${at}`);
        expect([at, split, sheetsOf(`end-of-${at}`), sheetsOf(`caption-of-${at}`)]).toEqual([at, [], [top], [top]]);
        expect([at, sheetsOf(`answer-${at}`)]).toEqual([at, sheetsOf(`task-${at}`)]);
        used.add(top!);
      }
      expect(used.size).toBeGreaterThan(5);
    });

    it('keeps a table whole that fits on a sheet, and repeats the head of one that does not', () => {
      for (let chapter = 0; chapter < 6; chapter += 1)
        for (let part = 0; part < 9; part += 1) {
          const holding = sheets.filter(sheet => new RegExp(`\\bt${chapter}x${part}-\\d`).test(sheet));
          expect([chapter, part, holding.length]).toEqual([chapter, part, 1]);
        }
      const long = sheets.filter(sheet => /\blong-\d/.test(sheet));
      expect(long.length).toBeGreaterThan(2);
      for (const sheet of long) expect(sheet).toMatch(/Row\s+Sheet\s+Made/);
    });
  });

  it('shows no rule between pages on paper', async () => {
    await page.goto(`${site.origin}/print`);
    const borders = () =>
      page.locator('.book > *').evaluateAll(parts => parts.map(part => getComputedStyle(part).borderTopWidth).join(' '));
    await page.emulateMedia({ media: 'screen' });
    await expect.poll(borders).toMatch(/^0px( 1px)+$/);
    await page.emulateMedia({ media: 'print' });
    await expect.poll(borders).toMatch(/^0px( 0px)+$/);
    await page.emulateMedia({ media: null });
  });

  it('leaves the screen as it was when the numbers were counted', async () => {
    await page.goto(`${site.origin}/print`);
    await page.locator('html[data-book]').waitFor({ state: 'attached' });
    await page.evaluate(() => document.fonts.ready);
    const place = () => page.locator('.book').evaluate(book => JSON.stringify(book.getBoundingClientRect()));
    const before = await place();
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await expect.poll(() => page.locator('.book-contents a').first().getAttribute('data-page')).toBe('4');
    await expect.poll(place).toBe(before);
    await expect.poll(() => page.evaluate(() => document.adoptedStyleSheets.length)).toBe(1);
  });
});

it('the button prints', async () => {
  await page.goto(`${site.origin}/print`);
  await page.locator('html[data-book]').waitFor({ state: 'attached' });
  const asked = page.evaluate(
    () => new Promise(resolve => addEventListener('beforeprint', () => resolve('asked'), { once: true })),
  );
  await page.getByRole('button', { name: 'Print' }).click();
  expect(await asked).toBe('asked');
});

it('without a script there is no button that cannot work, and the book prints all the same', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  await plain.goto(`${site.origin}/print`);
  await plain.getByText('To save a PDF').waitFor();
  await expect.poll(() => plain.getByRole('button', { name: 'Print' }).count()).toBe(0);
  await context.close();
});
