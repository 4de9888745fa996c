import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pageOf } from '../../../../bench/render/pages.ts';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import type { Made } from '../support/service-process.ts';

let octavo: ServiceInBrowser;
let context: BrowserContext;
let page: Page;
let made: Made;

beforeAll(async () => {
  octavo = await ServiceInBrowser.borrow();
  const long = Array.from({ length: 80 }, (_, at) => `line ${at}`).join('\n\n');
  made = await octavo.create({
    title: 'Desk',
    pages: [
      { markdown: long, title: 'One' },
      { markdown: 'two', title: 'Two' },
      { markdown: pageOf(100_000), title: 'Three' },
    ],
  });
});
afterAll(() => octavo?.close());

async function openNew(): Promise<void> {
  context = await octavo.browser.newContext({ viewport: { width: 1400, height: 800 } });
  page = await context.newPage();
  await open();
}

/** A new window: its undo history is empty. */
function inOwnEditor(): void {
  beforeEach(openNew);
  afterEach(() => context.close());
}

/** One editor for the tests of a group; each begins on the first page, with both panes of the same width. */
function inOneEditor(): void {
  beforeAll(openNew);
  afterAll(() => context?.close());
  beforeEach(async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Split', exact: true }).click();
    await divider().press('Home');
    await pick(0);
  });
}

async function open({ editToken } = made): Promise<void> {
  await page.goto(`${octavo.origin}/e/${editToken}`);
  await field().waitFor();
}

const field = () => page.getByRole('textbox', { name: /^Markdown of/ });
const preview = () => page.getByRole('region', { name: 'Preview' });
const pick = (place: number) => page.locator('.page-pick').nth(place).click();
const divider = () => page.getByRole('separator', { name: 'Width of the text' });
const shareOfText = async () => (await field().boundingBox())!.width / (await page.locator('.editor-panes').boundingBox())!.width;

describe('a page that is opened again', () => {
  inOwnEditor();

  it('has its undo history', async () => {
    await field().press('Control+End');
    await page.keyboard.type('typed');
    const typed = await field().inputValue();
    await pick(1);
    await expect.poll(() => field().inputValue()).toBe('two');
    await pick(0);
    await expect.poll(() => field().inputValue()).toBe(typed);
    await field().press('Control+z');
    await expect.poll(() => field().inputValue()).not.toContain('typed');
    await field().press('Control+Shift+z');
    await expect.poll(() => field().inputValue()).toBe(typed);
  });

  it('an undo of what was typed on another page goes to that page, never unseen', async () => {
    await field().press('Control+End');
    await page.keyboard.type('first');
    await pick(1);
    await field().press('Control+End');
    await page.keyboard.type('second');
    await pick(0);
    await field().press('Control+z');
    const shown = await field().inputValue();
    // One history for the window (Chromium), or one for each field: in both what changes is what is seen.
    expect(shown === 'two' || !shown.includes('first')).toBe(true);
  });

  // Chromium ends a run of typing when a node leaves the document, wherever that is.
  it('words typed while the preview follows are taken back together, as in any field', async () => {
    const before = await field().inputValue();
    await field().press('Control+End');
    for (const [text, selector] of [
      ['\n\nhello wide world', 'p'],
      ['\n\n- one **two** three', 'li'],
    ] as const) {
      await page.keyboard.insertText(text.slice(0, 4));
      await preview()
        .locator(selector)
        .last()
        .filter({ hasText: /^\s*(?:he)?\s*$/ })
        .waitFor({ state: 'attached' });
      await page.keyboard.type(text.slice(4), { delay: 60 });
      await preview()
        .locator(selector)
        .last()
        .filter({ hasText: text.slice(-5) })
        .waitFor();
    }
    for (let presses = 0; presses < 12; presses += 1) await page.keyboard.press('Control+z');
    await expect.poll(() => field().inputValue()).toBe(before);
  });
});

describe('in one editor', () => {
  inOneEditor();

  it('a page that is opened again has its caret and its place', async () => {
    await field().evaluate((text: HTMLTextAreaElement) => {
      text.focus();
      text.setSelectionRange(30, 40);
      text.scrollTop = 500;
    });
    await pick(1);
    await pick(0);
    const read = (text: HTMLTextAreaElement) => [text.selectionStart, text.selectionEnd, text.scrollTop] as const;
    const [start, end, top] = await field().evaluate(read);
    expect([start, end]).toEqual([30, 40]);
    // The panes that follow each other may round a pixel.
    expect(Math.abs(top - 500)).toBeLessThan(3);
  });

  describe('what is shown', () => {
    it('text, both or the preview, by button', async () => {
      for (const [name, text, look] of [
        ['Write', true, false],
        ['Split', true, true],
        ['Read', false, true],
      ] as const) {
        await page.getByRole('button', { name, exact: true }).click();
        expect([await field().isVisible(), await preview().isVisible()], name).toEqual([text, look]);
        await expect.poll(() => page.getByRole('button', { name, exact: true }).getAttribute('aria-pressed')).toBe('true');
      }
    });

    it('by key, and the focus goes to what is left', async () => {
      await field().focus();
      await page.keyboard.press('Control+Shift+Digit3');
      await expect.poll(() => field().isVisible()).toBe(false);
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Preview');
      await page.keyboard.press('Control+Shift+Digit1');
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('markdown-field');
      await expect.poll(() => preview().isVisible()).toBe(false);
      await page.keyboard.press('Control+Shift+Digit2');
      expect([await field().isVisible(), await preview().isVisible()]).toEqual([true, true]);
    });
  });

  it('the sheet of keys calls the views what their buttons say, and has the keys of the list of pages', async () => {
    const views = await page.locator('.view-mode-switch button').allInnerTexts();
    await field().press('Control+/');
    const rows = page.getByRole('dialog').getByRole('rowheader');
    const [first = '', ...others] = views;
    await expect.poll(() => rows.allInnerTexts()).toContain([first, ...others.map(name => name.toLowerCase())].join(', '));
    const keysOf = (name: string) =>
      page
        .getByRole('row')
        .filter({ has: page.getByRole('rowheader', { name }) })
        .locator('kbd')
        .allInnerTexts();
    await expect.poll(() => keysOf('Move the page')).toEqual(['Alt+↑', 'Alt+↓']);
    await expect.poll(() => keysOf('Rename the page')).toEqual(['F2']);
  });

  describe('the divider', () => {
    it('moves by keyboard, says where it is, and goes back by Home', async () => {
      await divider().press('ArrowRight');
      await expect.poll(() => divider().getAttribute('aria-valuenow')).toBe('52');
      await divider().press('Shift+ArrowLeft');
      await expect.poll(() => divider().getAttribute('aria-valuenow')).toBe('42');
      await expect.poll(shareOfText).toBeCloseTo(0.42, 1);
      for (let press = 0; press < 5; press += 1) await divider().press('Shift+ArrowLeft');
      await expect.poll(() => divider().getAttribute('aria-valuenow')).toBe('20');
      await divider().press('Home');
      await expect.poll(() => divider().getAttribute('aria-valuenow')).toBe('50');
    });

    it('is dragged, keeps its place on this device, and goes back by a double click', async () => {
      const panes = (await page.locator('.editor-panes').boundingBox())!;
      const at = (await divider().boundingBox())!;
      await page.mouse.move(at.x + at.width / 2, at.y + 200);
      await page.mouse.down();
      await page.mouse.move(panes.x + panes.width * 0.7, at.y + 220, { steps: 4 });
      await page.mouse.up();
      await expect.poll(shareOfText).toBeCloseTo(0.7, 1);
      await open();
      await expect.poll(shareOfText).toBeCloseTo(0.7, 1);
      const moved = (await divider().boundingBox())!;
      await page.mouse.dblclick(moved.x + moved.width / 2, moved.y + 200);
      await expect.poll(shareOfText).toBeCloseTo(0.5, 1);
    });
  });

  it('a key on a page of 100 kB makes one block of its preview anew, and puts no element in for it', async () => {
    await pick(2);
    // Said once all of the page is in; its parts come one after the other.
    await preview().locator('.prose[data-made]').getByText('Part 40: what we measured').waitFor({ state: 'attached' });
    await preview()
      .locator('.prose')
      .evaluate(prose => {
        const seen = { changed: 0 };
        Object.assign(window, { seen });
        new MutationObserver(records => {
          for (const { addedNodes } of records) seen.changed += [...addedNodes].filter(node => node instanceof Element).length;
        }).observe(prose, { childList: true, subtree: true });
      });
    const place = (await field().inputValue()).indexOf('first run');
    await field().evaluate((text: HTMLTextAreaElement, at) => {
      text.focus();
      text.setSelectionRange(at, at);
    }, place);
    await page.keyboard.type('x');
    await preview().getByText('xfirst run').waitFor({ state: 'attached' });
    expect(await page.evaluate(() => (window as unknown as { seen: { changed: number } }).seen.changed)).toBe(0);
    await expect.poll(() => preview().locator('.prose').getAttribute('data-made')).toBe('1');
  });
});

describe('a text that is shown plain', () => {
  inOwnEditor();

  const plain = () => page.locator('.preview-pane[data-shown="true"] .prose > pre');
  const notice = () => page.locator('.preview-pane[data-shown="true"] .notice');

  const rest = '\n\na line'.repeat(300);

  /** The worker falls silent over the first text that begins with HANGS. */
  async function openPlain(first: string): Promise<void> {
    const pages = [{ markdown: first + rest }, { markdown: '# Two' }];
    const plainOne = await octavo.create({ title: 'Plain', pages });
    await page.addInitScript(() => {
      const [seen, hung] = [new WeakSet<Worker>(), new WeakSet<Worker>()];
      const send = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (this: Worker, data: { markdown?: string }) {
        if (!seen.has(this))
          this.addEventListener('message', event => {
            if (event.data === 'ready') document.documentElement.dataset.worker = 'ready';
          });
        seen.add(this);
        if (data.markdown?.startsWith('HANGS')) hung.add(this);
        if (!hung.has(this)) send.call(this, data);
      };
    });
    await page.clock.install();
    await open(plainOne);
    // Before it is loaded no text is to blame, and the clock of this page is ours.
    await page.locator('html[data-worker="ready"]').waitFor();
  }

  it('because the worker hangs over it, spoils no page that waits behind it', async () => {
    await openPlain('HANGS');
    await pick(1);
    await field().waitFor();
    await expect.poll(() => field().inputValue()).toBe('# Two');
    await page.clock.runFor(21_000);
    await page.locator('.preview-pane[data-shown="true"] h1', { hasText: 'Two' }).waitFor();
    await expect.poll(() => notice().count()).toBe(0);
    await pick(0);
    await plain().waitFor();
    await notice().waitFor();
  });

  it.each([
    ['the worker hangs over it', 'HANGS'],
    ['it is too deep', `${'> '.repeat(400)}deep`],
  ])('because %s, scrolls with the field', async (_, first) => {
    await openPlain(first);
    await page.clock.runFor(21_000);
    await plain().waitFor();
    const scrolled = async () => {
      const of = (pane: Element) => pane.scrollTop / (pane.scrollHeight - pane.clientHeight);
      return { text: await field().evaluate(of), look: await preview().evaluate(of) };
    };
    await field().hover();
    await page.mouse.wheel(0, 3_000);
    await expect.poll(async () => (await scrolled()).look).toBeGreaterThan(0.1);
    await preview().hover();
    await page.mouse.wheel(0, 500);
    await expect.poll(async () => (await scrolled()).look - (await scrolled()).text).toBeLessThan(0.1);
    expect((await scrolled()).text).toBeLessThan(0.9);
  });
});

it('a long title takes three lines of the list, is whole for the keyboard, and whole in the hint', async () => {
  context = await octavo.browser.newContext({ viewport: { width: 1400, height: 800 } });
  page = await context.newPage();
  const long = 'A title of many words '.repeat(9).trim();
  await open(
    await octavo.create({
      pages: [
        { markdown: 'one', title: 'Short' },
        { markdown: 'two', title: long },
      ],
    }),
  );
  const row = page.locator('.page-pick', { hasText: long });
  const lines = () =>
    row
      .locator('.page-name')
      .evaluate(name => name.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(name).lineHeight));
  await expect.poll(async () => Math.round(await lines())).toBe(3);
  await expect.poll(() => row.getAttribute('title')).toBe(long);
  await expect.poll(() => page.locator('.page-pick').first().getAttribute('title')).toBeNull();
  await page.getByRole('button', { name: long, exact: true }).waitFor();
  await page.locator('.page-pick').first().focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(async () => Math.round(await lines())).toBeGreaterThan(3);
  await context.close();
});
