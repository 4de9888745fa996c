import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeImageFolder } from '../support/image-folder.ts';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import { findSmallTargets } from './targets.ts';

const wide = `| ${'A column | '.repeat(9)}\n|${' - |'.repeat(9)}\n| ${'cell | '.repeat(9)}`;
const markdown = `# كل شيء\n\nA [link](https://example.org), a footnote[^1] and ${'averyverylongword'.repeat(20)}.\n\n## Table\n\n${wide}\n
## Code\n\n\`\`\`js\nconst ${'long '.repeat(60)}= 1\n\`\`\`\n\n- [ ] task\n\n> [!NOTE]\n> Look.\n\n<details><summary>More</summary>\n\nInside\n\n</details>
\n### عنوان\n\n- بند\n  1. أول\n  2. second, in English\n\n$$\n${'a_1 + '.repeat(60)}b\n$$\n\n[^1]: A note.\n`;

// With a store for images: the editor has all its dialogs.
const images = makeImageFolder();
let octavo: ServiceInBrowser;
let paths: string[];
let editPath: string;

beforeAll(async () => {
  octavo = await ServiceInBrowser.start(undefined, images.env);
  const long = 'A title that is rather long for a phone, and one-word-that-never-ends-'.repeat(2);
  const pages = [{ markdown }, ...Array.from({ length: 30 }, (_, place) => ({ markdown: `# ${place} ${long}` }))];
  const many = await octavo.create({ title: long.slice(0, 150), visibility: 'public', pages });
  const one = await octavo.create({ title: 'One page', openEditing: true, pages: [{ markdown }] });
  const locked = await octavo.create({ password: 'open sesame' });
  const once = await octavo.create({ burnAfterRead: true });
  await fetch(`${octavo.origin}/api/notebooks/${one.slug}/comments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      author: 'x'.repeat(80),
      body: `${'y'.repeat(300)} https://example.org/${'z'.repeat(200)}`,
      pageId: one.pageId,
    }),
  });
  const view = `/n/${many.slug}`;
  paths = [
    ...['/', '/?deleted=1', '/new', '/quick', '/search', '/search?q=title', '/share-markdown-without-account', '/nothing'],
    ...[view, `${view}/find`, `${view}/find?q=title`, `${view}/find?q=${'w'.repeat(90)}`, `${view}/print`, `${view}/report`],
    ...[`/n/${one.slug}`, `/n/${locked.slug}`, `/n/${once.slug}`, `/n/${one.slug}/edit`, '/edit/unknown-here'],
  ];
  editPath = `/e/${many.editToken}`;
});
afterAll(async () => {
  await octavo?.close();
  images.remove();
});

const openPage = async (width: number, height: number): Promise<Page> => {
  const context = await octavo.browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  return page;
};

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(octavo.origin + path);
  await page.locator('h1, .preview-pane .prose > *').first().waitFor({ state: 'attached' });
  if (path.endsWith('/edit')) await page.locator('#markdown-field').waitFor();
  await page.evaluate(() => document.fonts.ready);
}

const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

const sizes = [
  [320, 640],
  [3840, 2160],
] as const;

/** What a reader has set for texts that set no size, as the browser's settings do. */
async function fontSizer(page: Page): Promise<(times: number) => Promise<void>> {
  const browser = await page.context().newCDPSession(page);
  const usual = { standard: 16, fixed: 13 };
  return async times => {
    await browser.send('Page.setFontSizes', { fontSizes: { standard: usual.standard * times, fixed: usual.fixed * times } });
    const shown = () => page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
    await expect.poll(shown).toBe(`${usual.standard * times}px`);
  };
}

const everySize =
  'at 320 × 640 and at 3840 × 2160 no page scrolls sideways, and everything can be hit; nor at 1280 with text twice as large';
it(everySize, { timeout: 180_000 }, async () => {
  const page = await openPage(...sizes[0]);
  const setFontSize = await fontSizer(page);
  for (const path of paths) {
    await page.setViewportSize({ width: 320, height: 640 });
    await visit(page, path);
    const folded = await page.evaluate(() => [...document.querySelectorAll('details')].map(({ open }) => open));
    const fold = () =>
      page.evaluate(states => {
        for (const [at, each] of document.querySelectorAll('details').entries()) each.open = states[at] ?? false;
      }, folded);
    for (const [width, height] of sizes) {
      const where = `${path} at ${width} × ${height}`;
      await page.setViewportSize({ width, height });
      await fold();
      await expect.poll(async () => [where, await overflow(page)]).toEqual([where, 0]);
      await page.evaluate(() => {
        for (const fold of document.querySelectorAll('details')) fold.open = true;
      });
      await expect.poll(async () => [where, await overflow(page)]).toEqual([where, 0]);
      await expect.poll(async () => [where, await findSmallTargets(page)]).toEqual([where, []]);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await fold();
    await setFontSize(2);
    await expect.poll(async () => [path, 'large text', await overflow(page)]).toEqual([path, 'large text', 0]);
    await setFontSize(1);
  }
  await page.context().close();
});

describe.each(sizes)('at %i × %i', (width, height) => {
  it('the editor does not scroll sideways either, whatever is open', { timeout: 120_000 }, async () => {
    const page = await openPage(width, height);
    await visit(page, editPath);
    await page.locator('#markdown-field').waitFor();
    const check = async (name: string) => {
      await expect.poll(async () => [name, await overflow(page)]).toEqual([name, 0]);
      await expect.poll(async () => [name, await findSmallTargets(page)]).toEqual([name, []]);
    };
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await check('writing');
    if (width < 1_000) await press('Pages');
    await check('pages');
    for (const name of ['Share', 'Settings', 'Versions', 'Images', 'Comments', 'Add page', 'Import…', 'Export…']) {
      if (!(await page.getByRole('button', { name, exact: true }).isVisible())) await press('More');
      await press(name);
      await page.getByRole('dialog').waitFor();
      await check(name);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await press('Read');
    await check('reading');
    await page.context().close();
  });
});

it('on a very large screen the text is no wider than an eye follows, and stands in the middle', async () => {
  const page = await openPage(3840, 2160);
  for (const path of paths.filter(path => path.startsWith('/n/') && !/find|report|edit/.test(path)).slice(0, 3)) {
    await visit(page, path);
    const { ems, left, right } = await page
      .locator('.prose')
      .first()
      .evaluate(prose => {
        const box = prose.getBoundingClientRect();
        return {
          ems: box.width / Number.parseFloat(getComputedStyle(prose).fontSize),
          left: box.left,
          right: innerWidth - box.right,
        };
      });
    expect(ems).toBeLessThan(42);
    expect(Math.abs(left - right)).toBeLessThan(400);
  }
  await page.context().close();
});

it('opened with text twice as large in a window of 1280, the editor and a view do not scroll sideways', async () => {
  const page = await openPage(1280, 900);
  const setFontSize = await fontSizer(page);
  await setFontSize(2);
  for (const path of [paths.find(each => each.startsWith('/n/'))!, editPath]) {
    await visit(page, path);
    await setFontSize(2);
    await expect.poll(async () => [path, await overflow(page)]).toEqual([path, 0]);
  }
  await page.context().close();
});

it('the editor follows the size of text that changes while it is open', async () => {
  const page = await openPage(1280, 800);
  const setFontSize = await fontSizer(page);
  await visit(page, editPath);
  const layout = async () => ({
    pressed: await page.locator('.view-mode-switch [aria-pressed="true"]:visible').allTextContents(),
    short: await page.locator(':root[data-short]').count(),
  });
  await expect.poll(layout).toEqual({ pressed: ['Split'], short: 0 });
  await setFontSize(2);
  await expect.poll(layout).toEqual({ pressed: ['Write'], short: 1 });
  await setFontSize(1);
  await expect.poll(layout).toEqual({ pressed: ['Split'], short: 0 });
  await page.context().close();
});

it('what has the focus in a long dialog is not hidden under its head or its foot', { timeout: 60_000 }, async () => {
  const page = await openPage(320, 480);
  await visit(page, editPath);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('button', { name: 'Save as PNG' }).waitFor();
  const walked = new Set<string>();
  for (const key of [...Array<string>(20).fill('Tab'), ...Array<string>(20).fill('Shift+Tab')]) {
    await page.keyboard.press(key);
    const { name, hidden } = await page.evaluate(() => {
      const focused = document.activeElement!;
      const { left, right, top, bottom } = focused.getBoundingClientRect();
      const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      const name = focused.id || focused.textContent || focused.tagName;
      return { name, hidden: focused !== document.body && !focused.contains(at) && !at?.contains(focused) };
    });
    walked.add(name);
    expect([name, hidden]).toEqual([name, false]);
  }
  expect(walked.size).toBeGreaterThan(8);
  await page.context().close();
});
