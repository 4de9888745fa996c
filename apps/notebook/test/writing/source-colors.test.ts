import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EditorDesk } from '../views/editor-desk.ts';

let desk: EditorDesk;
let page: Page;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
afterEach(() => expect(desk.complaints).toEqual([]));

const field = () => page.locator('#markdown-field');
const isColored = () => page.locator('#markdown-field[data-colored]').count();
const toggle = () => page.getByRole('button', { name: 'Syntax colors' });

let shared: Page | undefined;

/** The editor that most tests share: its first page with this text. */
async function open(markdown: string): Promise<void> {
  if (shared) page = shared;
  else await openAnew(markdown);
  shared = page;
  if (await page.locator('.find-panel').isVisible()) await page.getByLabel('Find in this page').press('Escape');
  await page.getByRole('button', { name: 'A', exact: true }).click();
  await expect.poll(() => field().inputValue()).not.toBe('`second`');
  await put(markdown);
  await expect.poll(isSame).toBe(true);
}

async function openAnew(markdown: string, options: BrowserContextOptions = {}): Promise<void> {
  page = await desk.newPage(options);
  const pages = [
    { title: 'A', markdown },
    { title: 'B', markdown: '`second`' },
  ];
  await desk.open(page, await desk.create({ pages }));
}

/** Typed, a long text would take the browser seconds. */
const put = (text: string) =>
  field().evaluate((one: HTMLTextAreaElement, value) => {
    one.value = value;
    one.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }, text);

/** The words that have a color, in the order of the text. */
const painted = (kind: string) =>
  page.evaluate(name => [...(CSS.highlights.get(`octavo-source-${name}`) ?? [])].map(range => (range as Range).toString()), kind);
const copied = () =>
  page.evaluate(() =>
    [...document.querySelectorAll('.source-colors > div > div')].map(box => box.textContent!.replace(/^\n$/, '')),
  );

async function isSame(): Promise<boolean> {
  return (await copied()).join('\n') === (await field().inputValue());
}

describe('colors of the source', () => {
  it('follow what is typed, undone, pasted and replaced, from line to line', async () => {
    await open('one\n\ntwo');
    await expect.poll(isColored).toBe(1);
    await field().focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# ');
    await expect.poll(() => painted('heading')).toEqual(['# one']);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n```\n*a*');
    await expect.poll(() => painted('code')).toEqual(['*a*']);
    await expect.poll(isSame).toBe(true);
    // The fence that is opened above swallows the one below.
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('~~~\n');
    await expect.poll(() => painted('code')).toEqual(['# one', 'two', '```', '*a*']);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('`x`');
    await expect.poll(copied).toEqual(['`x`']);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect.poll(isSame).toBe(true);
    await page.evaluate(() => {
      const one = document.querySelector<HTMLTextAreaElement>('#markdown-field')!;
      one.setSelectionRange(0, one.value.length);
      document.execCommand('insertText', false, 'a\n\n\n**b**\n\n');
    });
    await expect.poll(copied).toEqual(['a', '', '', '**b**', '', '']);
    await expect.poll(() => painted('strong')).toEqual(['b']);
  });

  it('are those of the page that is shown', async () => {
    await open('# first');
    await expect.poll(() => painted('heading')).toEqual(['# first']);
    await page.getByRole('button', { name: 'B', exact: true }).click();
    await expect.poll(() => painted('code')).toEqual(['`second`']);
    await expect.poll(() => painted('heading')).toEqual([]);
    await expect.poll(() => page.locator('.source-colors').count()).toBe(1);
  });

  it('are painted in what is shown, also after a jump', async () => {
    await open(Array.from({ length: 3_000 }, (_, at) => `\`line ${at}\``).join('\n'));
    await expect.poll(() => painted('code')).toContain('`line 0`');
    await expect.poll(async () => (await painted('code')).length).toBeLessThan(300);
    await field().evaluate(one => one.scrollTo(0, one.scrollHeight));
    await expect.poll(() => painted('code')).toContain('`line 2999`');
    const offset = () =>
      page.evaluate(
        () => document.querySelector('.source-colors')!.scrollTop - document.querySelector('#markdown-field')!.scrollTop,
      );
    await expect.poll(offset).toBe(0);
  });

  it('are switched off in the toolbar, and stay off', async () => {
    await open('`a`');
    await expect.poll(isColored).toBe(1);
    await expect.poll(() => toggle().getAttribute('aria-pressed')).toBe('true');
    await toggle().click();
    await expect.poll(isColored).toBe(0);
    await expect.poll(() => page.evaluate(() => CSS.highlights.size)).toBe(0);
    await page.reload();
    await expect.poll(() => toggle().getAttribute('aria-pressed')).toBe('false');
    await toggle().click();
    await expect.poll(isColored).toBe(1);
  });

  it.each<[string, BrowserContextOptions]>([
    ['more contrast', { contrast: 'more' }],
    ['colors of their own', { forcedColors: 'active' }],
  ])('are not there for readers who want %s', async (_, options) => {
    await openAnew('`a`', options);
    await field().press('Control+End');
    await page.keyboard.type('b');
    await expect.poll(() => page.locator('.save-state').innerText()).toContain('Saved');
    await expect.poll(isColored).toBe(0);
    await expect.poll(() => toggle().count()).toBe(0);
    await page.emulateMedia({ contrast: 'no-preference', forcedColors: 'none' });
    await expect.poll(isColored).toBe(1);
    await desk.context.close();
  });

  it('are given up for a text or a line that is too long, and come back', async () => {
    // Its own, because such a text keeps an editor busy for a while.
    await openAnew('`a`');
    await expect.poll(isColored).toBe(1);
    await put('x'.repeat(20_001));
    await expect.poll(isColored).toBe(0);
    await put('`b`');
    await expect.poll(isColored).toBe(1);
    await put(`${'`c` '.repeat(250)}\n`.repeat(300));
    await expect.poll(isColored).toBe(0);
    await desk.context.close();
  });

  it('are given up where the copy is not as high as the text', async () => {
    await openAnew('`a`\n'.repeat(200));
    await expect.poll(isColored).toBe(1);
    // As an extension or a setting of the browser might.
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('.source-colors > div > div { padding-bottom: 1px; }');
      document.adoptedStyleSheets = [sheet];
    });
    await field().press('Control+Home');
    await page.keyboard.type('b');
    await expect.poll(isColored).toBe(0);
    await expect.poll(() => field().evaluate(one => getComputedStyle(one).webkitTextFillColor)).not.toBe('rgba(0, 0, 0, 0)');
    await desk.context.close();
  });

  it('draw the line under what an input method composes; for Japanese the field shows its own', async () => {
    await open('a `b` ');
    await expect.poll(isColored).toBe(1);
    await field().press('Control+End');
    const input = await page.context().newCDPSession(page);
    await input.send('Input.imeSetComposition', { text: 'ni', selectionStart: 2, selectionEnd: 2 });
    await expect.poll(() => painted('composed')).toEqual(['ni']);
    await expect.poll(isSame).toBe(true);
    await input.send('Input.insertText', { text: '你' });
    await expect.poll(() => painted('composed')).toEqual([]);
    await expect.poll(copied).toEqual(['a `b` 你']);
    await input.send('Input.imeSetComposition', { text: 'かな', selectionStart: 2, selectionEnd: 2 });
    await expect.poll(isColored).toBe(0);
    await input.send('Input.insertText', { text: '仮名' });
    await expect.poll(isColored).toBe(1);
    await expect.poll(copied).toEqual(['a `b` 你仮名']);
  });

  it('leave caret, placeholder, spelling and matches as they are', async () => {
    await open('');
    await expect.poll(isColored).toBe(1);
    const styles = () =>
      field().evaluate((one: HTMLTextAreaElement) => {
        const letters = getComputedStyle(one);
        const placeholder = getComputedStyle(one, '::placeholder');
        return [letters.caretColor === letters.color, placeholder.webkitTextFillColor === placeholder.color, one.spellcheck];
      });
    await expect.poll(styles).toEqual([true, true, true]);
    await field().fill('find `code` and code');
    await field().press('Control+f');
    await page.getByLabel('Find in this page').fill('code');
    await expect.poll(() => page.locator('.find-said').innerText()).toBe('1 of 2');
    await expect
      .poll(() => page.evaluate(() => [...CSS.highlights.keys()].sort()))
      .toEqual(['octavo-found', 'octavo-found-now', 'octavo-source-code']);
    const layers = () =>
      page.evaluate(() =>
        ['.match-marks', '.source-colors', '#markdown-field'].map(css => getComputedStyle(document.querySelector(css)!).zIndex),
      );
    await expect.poll(layers).toEqual(['auto', '1', '2']);
  });
});
