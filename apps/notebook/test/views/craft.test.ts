import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPicture } from '../images/pictures.ts';
import { makeImageFolder } from '../support/image-folder.ts';
import { ServiceInBrowser } from '../support/service-in-browser.ts';

const images = makeImageFolder();
let octavo: ServiceInBrowser;
beforeAll(async () => {
  octavo = await ServiceInBrowser.start(undefined, { OFFLINE: 'off', ...images.env, PUBLIC_URL: 'http://notes.test' });
});
afterAll(async () => {
  await octavo?.close();
  images.remove();
});

const words =
  'Words enough to wrap over several lines on a telephone and over two on a desk, so that each of them can be measured. ';
const table = (columns: number) =>
  [
    `|${' A column of words |'.repeat(columns)}`,
    `|${'---|'.repeat(columns)}`,
    `|${' some more words here |'.repeat(columns)}`,
  ].join('\n');

const everything = `# A title of many words that wraps on narrow screens

${words.repeat(2)}With \`code\`, **weight**, a note[^1] and $x^2 + \\frac{a}{b}$.

## A part

- one, ${words}
  - nested, ${words}
- two

1. loose

2. list

### A smaller part

> ${words}

${table(8)}

${words}

\`\`\`
code
\`\`\`

#### The smallest part

日本語の文章も同じ行に立ちます。${words}

$$ \\sum_{i=1}^n i $$

${words}

[^1]: ${words}
`;

async function open(markdown: string, width: number, notebook: object = {}): Promise<Page> {
  const made = await octavo.create({ title: 'Craft', pages: [{ markdown }], ...notebook });
  const page = await octavo.browser.newPage({ viewport: { width, height: 900 } });
  await page.goto(`${octavo.origin}/n/${made.slug}`);
  await page.evaluate(() => document.fonts.ready);
  return page;
}

/** How far, in every block with rules, the first rule below its first and its last baseline is, and how far it is from whole lines. */
function measureRules(page: Page, rulesToALine: number) {
  return page.evaluate(toALine => {
    const line = Number.parseFloat(getComputedStyle(document.querySelector('.prose')!).lineHeight);
    const baselineAt = (block: Element, end: boolean): number => {
      const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
      const filled: Text[] = [];
      while (texts.nextNode())
        if (texts.currentNode.textContent!.trim() !== '' && !texts.currentNode.parentElement!.closest('math, sup, code, a'))
          filled.push(texts.currentNode as Text);
      const text = filled.at(end ? -1 : 0)!;
      const probe = document.createElement('span');
      probe.style.display = 'inline-block';
      if (end) text.after(probe);
      else text.before(probe);
      const { bottom } = probe.getBoundingClientRect();
      probe.remove();
      return bottom;
    };
    return [...document.querySelectorAll('.prose > :is(p, h1, h2, h3, h4, ul, ol, blockquote):not(:has(.math-display))')].map(
      block => {
        const { backgroundImage, backgroundPositionY, backgroundSize } = getComputedStyle(block);
        const { top, height } = block.getBoundingClientRect();
        const first = top + Number.parseFloat(backgroundPositionY.split(',').at(-1)!) - 1;
        const below = (baseline: number) => (((first - baseline) % line) + line) % line;
        return {
          block: `${block.tagName} ${block.textContent!.trim().slice(0, 20)}`,
          ruled: backgroundImage.includes('gradient') && backgroundSize.endsWith(` ${line / toALine}px`),
          below: [below(baselineAt(block, false)), below(baselineAt(block, true))],
          lines: height / line,
        };
      },
    );
  }, rulesToALine);
}

describe.each([
  ['lined', 1, 390],
  ['lined', 1, 1440],
  ['grid', 2, 390],
  ['grid', 2, 1440],
] as const)('%s paper with %i rules to a line, at %i px', (paper, rulesToALine, width) => {
  it('has rules just below every baseline, whatever stands before', async () => {
    const page = await open(everything, width, { paper });
    const blocks = await measureRules(page, rulesToALine);
    expect(blocks.length).toBeGreaterThan(10);
    for (const { block, ruled, below, lines } of blocks) {
      expect([block, ruled]).toEqual([block, true]);
      for (const distance of below) {
        expect([block, distance]).toEqual([block, expect.closeTo(3, -0.1)]);
      }
      // A part of a pixel is what rounding leaves.
      expect([block, Math.abs(lines - Math.round(lines)) < 0.05]).toEqual([block, true]);
    }
    await page.close();
  });
});

it('a wide table takes the margins, shows on which side there is more, and scrolls by keyboard', async () => {
  const page = await open(`${words}\n\n${table(14)}\n\n${words}`, 1440);
  const boxes = await page.evaluate(() => {
    const box = (of: string) => document.querySelector(of)!.getBoundingClientRect();
    return { table: box('.prose > table'), text: box('.prose > p'), sheet: box('.sheet') };
  });
  expect(boxes.table.width).toBeGreaterThan(boxes.text.width + 200);
  const [left, right] = [boxes.text.left - boxes.table.left, boxes.table.right - boxes.text.right];
  expect(Math.abs(left - right)).toBeLessThan(2);
  expect(boxes.table.left).toBeGreaterThanOrEqual(boxes.sheet.left);
  expect(boxes.table.right).toBeLessThanOrEqual(boxes.sheet.right);
  const shown = page.locator('.prose > table');
  await expect.poll(() => shown.getAttribute('data-more')).toBe('right');
  expect(await shown.evaluate(element => getComputedStyle(element).maskImage)).toContain('gradient');
  await shown.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => shown.getAttribute('data-more')).toBe('left right');
  await shown.evaluate(element => element.scrollTo({ left: element.scrollWidth, behavior: 'instant' }));
  await expect.poll(() => shown.getAttribute('data-more')).toBe('left');
  await page.close();
});

it('a small table stays at the edge of the text, and no table is wider than a telephone', async () => {
  const page = await open(`${words}\n\n${table(1)}\n\n${table(9)}`, 390);
  const places = await page.evaluate(() => ({
    text: document.querySelector('.prose > p')!.getBoundingClientRect().left,
    tables: [...document.querySelectorAll('.prose > table')].map(each => each.getBoundingClientRect().left),
    wider: document.documentElement.scrollWidth - innerWidth,
  }));
  expect(places.tables[0]).toBe(places.text);
  expect(places.tables[1]).toBeLessThan(places.text);
  expect(places.wider).toBe(0);
  await page.close();
});

it('on a telephone the contents fold below the title', async () => {
  const page = await open('# The title\n\nText.\n\n## One\n\n## Two\n\n## Three', 390);
  const fold = page.locator('details.toc-inside');
  await fold.waitFor();
  const [title, contents, text] = await page.evaluate(() =>
    ['.prose h1', '.toc-inside', '.prose > p'].map(of => document.querySelector(of)!.getBoundingClientRect().top),
  );
  expect(title).toBeLessThan(contents!);
  expect(contents).toBeLessThan(text!);
  await fold.locator('summary').click();
  await fold.getByRole('link', { name: 'Two' }).click();
  await expect.poll(() => page.url()).toMatch(/#(?:user-content-)?two$/);
  await page.close();
});

it('nothing moves when an image of the notebook comes', async () => {
  const made = await octavo.create({ pages: [{ markdown: 'empty' }] });
  const headers = { 'x-edit-token': made.editToken };
  const body = new Uint8Array(await aPicture('png', { width: 900, height: 600 }));
  const uploaded = await fetch(`${octavo.origin}/api/notebooks/${made.slug}/images`, { method: 'POST', headers, body });
  const { url, markdown } = (await uploaded.json()) as { url: string; markdown: string };
  const saved = await fetch(`${octavo.origin}/api/notebooks/${made.slug}/pages/${made.pageId}`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ markdown: `${markdown}\n\nThe words below.` }),
  });
  expect([uploaded.status, saved.status]).toEqual([201, 200]);
  const page = await octavo.browser.newPage({ viewport: { width: 390, height: 900 } });
  let letGo = () => {};
  const held = new Promise<void>(resolve => {
    letGo = resolve;
  });
  await page.route(`**${new URL(url).pathname}`, async route => {
    await held;
    // What the service answers there; its port is chosen at the start, and the address of the image is older.
    const file = await fetch(octavo.origin + new URL(url).pathname);
    await route.fulfill({ status: file.status, contentType: 'image/png', body: Buffer.from(await file.arrayBuffer()) });
  });
  await page.goto(`${octavo.origin}/n/${made.slug}`, { waitUntil: 'domcontentloaded' });
  await page.evaluate(() => document.fonts.ready);
  const place = () =>
    page.evaluate(() => {
      const image = document.querySelector<HTMLImageElement>('.prose img')!;
      const below = document.querySelectorAll('.prose > p')[1]!;
      return {
        loaded: image.complete && image.naturalWidth > 0,
        height: image.offsetHeight,
        below: below.getBoundingClientRect().top,
      };
    });
  const before = await place();
  expect(before.loaded).toBe(false);
  letGo();
  await expect.poll(async () => (await place()).loaded).toBe(true);
  const after = await place();
  expect(after).toEqual({ ...before, loaded: true });
  expect(after.height).toBeGreaterThan(200);
  await page.close();
});

it.each([
  [
    'ja',
    null,
    '# 紙の折り方\n\n最初の紙を三回折ると、八葉十六頁になります。直角に折ります。',
    /Source Serif 4 Variable.*Noto Serif CJK JP/,
  ],
  ['zh-Hant', null, '第一張紙摺疊三次，這樣就有八張和十六頁，我們來看看這個過程。', /Noto Serif CJK TC/],
  ['ar', 'rtl', 'تُطوى الورقة الأولى ثلاث مرات، فتصير ثماني أوراق وست عشرة صفحة من الكتاب.\n\n---\n\n- one', /Source Serif/],
  ['de', null, 'Der erste Bogen wird dreimal gefalzt, sodass er acht Blätter und sechzehn Seiten ergibt.', /Source Serif/],
])('a page in %s says so, and has its typefaces', async (language, direction, markdown, family) => {
  const page = await open(markdown, 820);
  const prose = page.locator('.prose');
  await expect.poll(() => prose.getAttribute('lang')).toBe(language);
  await expect.poll(() => prose.getAttribute('dir')).toBe(direction);
  expect(await prose.evaluate(element => getComputedStyle(element).fontFamily)).toMatch(family);
  // The list of the Arabic page begins with a Latin letter, and runs as it does.
  if (direction) expect(await prose.locator('ul').evaluate(element => getComputedStyle(element).direction)).toBe('ltr');
  await page.close();
});

it('no line runs through the labels of a diagram', async () => {
  const page = await open('```mermaid\nflowchart LR\n  A -->|a label| B\n```', 820);
  const drawn = page.locator('.prose figure img').first();
  await drawn.waitFor({ timeout: 60_000 });
  const svg = await drawn.evaluate(element => decodeURIComponent((element as HTMLImageElement).src));
  expect(svg).toMatch(/\.edgeLabel rect\s*\{\s*opacity:\s*1\s*!important/);
  await page.close();
});
