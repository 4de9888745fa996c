import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EditorDesk } from '../views/editor-desk.ts';

let desk: EditorDesk;
let page: Page;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());

const field = () => page.getByRole('textbox', { name: /^Markdown of/ });
const words = () => page.getByRole('textbox', { name: 'Find in this page' });
const panel = () => page.locator('.find-panel');
const said = () => page.locator('.find-said').innerText();
const text = () => field().inputValue();

let shared: Page | undefined;

/** The editor that most tests share, with this text and no panel. */
async function open(markdown: string, viewport = { width: 1280, height: 800 }): Promise<void> {
  if (shared) page = shared;
  else await openAnew();
  shared = page;
  await page.setViewportSize(viewport);
  if (await panel().isVisible()) {
    await words().press('Escape');
    await panel().waitFor({ state: 'detached' });
  }
  // Typed, a long text would take the browser seconds.
  await field().evaluate((one: HTMLTextAreaElement, value) => {
    one.value = value;
    one.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }, markdown);
  await field().click();
}

/** An editor of its own, for what happens only before something has loaded. */
async function openAnew(prepare: (page: Page) => Promise<unknown> = async () => {}, markdown = ''): Promise<void> {
  page = await desk.newPage();
  await prepare(page);
  await desk.open(page, await desk.create({ pages: [{ title: 'A', markdown }] }));
  await field().click();
}

/** With the caret at the beginning. */
async function find(query: string): Promise<void> {
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Control+f');
  await words().waitFor();
  await words().fill(query);
}

describe('find and replace', () => {
  it('counts, walks by keyboard, and gives the match to the text', async () => {
    await open('one two One\n\nthree one');
    await find('one');
    await expect.poll(said).toBe('1 of 3');
    await page.keyboard.press('Enter');
    await expect.poll(said).toBe('2 of 3');
    await page.keyboard.press('Control+g');
    await page.keyboard.press('F3');
    await expect.poll(said).toBe('1 of 3');
    await page.keyboard.press('Shift+Enter');
    await expect.poll(said).toBe('3 of 3');
    await page.getByRole('button', { name: 'Match case' }).click();
    await expect.poll(said).toBe('1 of 2');
    await words().press('Shift+Enter');
    await expect.poll(said).toBe('2 of 2');
    await words().press('Escape');
    await panel().waitFor({ state: 'detached' });
    const selected = () => field().evaluate((one: HTMLTextAreaElement) => [one.selectionStart, one.selectionEnd]);
    await expect.poll(selected).toEqual([19, 22]);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('markdown-field');
  });

  it('leaves the text alone when words are typed before its script has come', async () => {
    let send = () => {};
    const held = new Promise<void>(resolve => {
      send = resolve;
    });
    const hold = (page: Page) =>
      page.route(/\/find-panel-[\w-]+\.js/, async route => {
        await held;
        await route.continue();
      });
    await openAnew(hold, 'tea');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('cup');
    send();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Find in this page');
    expect(await text()).toBe('tea');
  });

  it('leaves the focus in the text when it went there before the answer came', async () => {
    // The worker of the search has a replacement only when it is let go.
    const hold = () => {
      const send = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (this: Worker, data: { kind?: string }) {
        if (data.kind === 'replace-all') addEventListener('let-go', () => send.call(this, data), { once: true });
        else send.call(this, data);
      };
    };
    await openAnew(page => page.addInitScript(hold), 'tea and tea');
    await find('tea');
    await expect.poll(said).toBe('1 of 2');
    await page.getByRole('button', { name: 'Replace all' }).click();
    await field().focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('hot ');
    await page.evaluate(() => dispatchEvent(new Event('let-go')));
    await expect.poll(said).toBe('The text has changed. Try again.');
    await page.keyboard.type('and sweet ');
    await expect.poll(text).toBe('hot and sweet tea and tea');
  });

  it('looks for the word that is selected, and follows what is written', async () => {
    await open('tea and coffee, tea');
    await field().press('Control+Home');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Control+f');
    await expect.poll(() => words().inputValue()).toBe('tea');
    await expect.poll(said).toBe('1 of 2');
    await field().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' tea');
    await expect.poll(said).toMatch(/ of 3$/);
  });

  it('replaces one after the other, and the keys stay in the panel', async () => {
    await open('a b a b a');
    await find('a');
    await expect.poll(said).toBe('1 of 3');
    const by = page.getByRole('textbox', { name: 'Replace with' });
    await by.fill('aa');
    await by.press('Enter');
    await expect.poll(text).toBe('aa b a b a');
    await expect.poll(said).toBe('3 of 4');
    await by.press('Enter');
    await expect.poll(text).toBe('aa b aa b a');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Replace with');
  });

  it('replaces all in one step of undo, by expression too', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n');
    await open(lines);
    await find('line (\\d+)');
    await page.getByRole('button', { name: 'Regular expression' }).click();
    await page.getByRole('textbox', { name: 'Replace with' }).fill('$1 row');
    await expect.poll(said).toBe('1 of 60');
    await page.getByRole('button', { name: 'Replace all' }).click();
    await expect.poll(said).toBe('Replaced 60 matches.');
    await expect.poll(text).toBe(lines.replaceAll(/line (\d+)/g, '$1 row'));
    await field().focus();
    await page.keyboard.press('Control+z');
    await expect.poll(text).toBe(lines);
  });

  it('keeps the focus in the panel when nothing is left to replace', async () => {
    await open('a b a');
    await find('a');
    await page.getByRole('textbox', { name: 'Replace with' }).fill('c');
    await expect.poll(said).toBe('1 of 2');
    await page.getByRole('button', { name: 'Replace all' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(text).toBe('c b c');
    const off = () => page.getByRole('button', { name: 'Replace all' }).isDisabled();
    await expect.poll(off).toBe(true);
    await page.keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
  });

  it('ends an expression that takes too long, and says so; the next one works', async () => {
    await openAnew(page => page.clock.install(), `${'a'.repeat(40)}!`);
    await find('(a+)+$');
    await page.getByRole('button', { name: 'Regular expression' }).click();
    const later = async () => {
      await page.clock.fastForward(3_000);
      return said();
    };
    await expect.poll(later).toBe('This expression takes too long. Try a simpler one.');
    await words().fill('(');
    await expect.poll(said).toBe('This is not a regular expression.');
    await words().fill('a+');
    await expect.poll(said).toBe('1 of 1');
  });

  it('scrolls to a match, and paints it where it stands', async () => {
    await open(`${'words and words\n\n'.repeat(200)}here`);
    await find('here');
    await expect.poll(said).toBe('1 of 1');
    await expect.poll(() => field().evaluate((one: HTMLTextAreaElement) => one.scrollTop)).toBeGreaterThan(1_000);
    // The copy wraps as the field does: both are as high.
    const heights = () =>
      field().evaluate((one: HTMLTextAreaElement) => {
        const column = document.querySelector('.match-marks > div')!;
        const { paddingBottom } = getComputedStyle(one);
        return Math.abs(one.scrollHeight - Number.parseFloat(paddingBottom) - column.getBoundingClientRect().height);
      });
    await expect.poll(heights).toBeLessThan(2);
    await expect.poll(() => page.evaluate(() => CSS.highlights.get('octavo-found-now')?.size)).toBe(1);
    await words().press('Escape');
    await expect.poll(() => page.evaluate(() => CSS.highlights.size)).toBe(0);
  });

  it('fits a phone', async () => {
    await open('one two one', { width: 390, height: 700 });
    await page.getByRole('button', { name: /^Find and replace/ }).click();
    await words().fill('one');
    await expect.poll(said).toMatch(/ of 2$/);
    const wide = () => panel().evaluate(one => one.scrollWidth - one.clientWidth);
    await expect.poll(wide).toBe(0);
  });
});

describe('emoji by name', () => {
  const offered = () => page.getByRole('option').allInnerTexts();

  it('are offered while a name is typed, and taken by Enter', async () => {
    await open('');
    await page.keyboard.type('Go :rocke');
    await expect.poll(offered).toContain('🚀 rocket');
    await expect.poll(() => field().getAttribute('aria-activedescendant')).toBe('emoji-name-0');
    await page.keyboard.press('Enter');
    await expect.poll(text).toBe('Go :rocket:');
    await expect.poll(() => page.getByRole('option').count()).toBe(0);
    await expect.poll(() => page.locator('.preview-pane[data-shown="true"]').innerText()).toContain('Go 🚀');
    await page.keyboard.type(' and :tad');
    await expect.poll(offered).toContain('🎉 tada');
    await page.getByRole('option', { name: 'tada' }).first().click();
    await expect.poll(text).toBe('Go :rocket: and :tada:');
    await page.keyboard.press('Control+z');
    await expect.poll(text).toBe('Go :rocket: and :tad');
  });

  it('are not offered in code, and Esc sends them away', async () => {
    await open('');
    await page.keyboard.type(':smil');
    await expect.poll(() => page.getByRole('option').count()).toBeGreaterThan(3);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => field().getAttribute('aria-activedescendant')).toBe('emoji-name-1');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('option').count()).toBe(0);
    await page.keyboard.type(' `:smil');
    await page.keyboard.press('Enter');
    await expect.poll(text).toBe(':smil `:smil\n');
  });
});

it('a list of emoji names that Esc came before is not shown', async () => {
  await openAnew();
  let answer = (): void => {};
  const held = new Promise<void>(resolve => (answer = resolve));
  const asked = Promise.withResolvers<void>();
  await page.route(/\/emoji-[^/]+\.js/, async route => {
    asked.resolve();
    await held;
    await route.continue();
  });
  await page.keyboard.type(':smil');
  await asked.promise;
  await page.keyboard.press('Escape');
  const loaded = page.waitForResponse(/\/emoji-[^/]+\.js/);
  answer();
  await (await loaded).finished();
  // Runs after the script that came.
  const shown = await page.evaluate(async () => {
    await new Promise(resolve => requestIdleCallback(resolve));
    return document.querySelectorAll('[role=option]').length;
  });
  expect(shown).toBe(0);
  await page.keyboard.type('e');
  await expect.poll(() => page.getByRole('option').count()).toBeGreaterThan(3);
});

it('focus leaves the text alone, and a second press brings all back', async () => {
  await open('one');
  await page.keyboard.press('Control+Shift+4');
  for (const gone of ['.page-list', '.toolbar', '.preview-panes', '.editor-buttons'])
    await expect.poll(() => page.locator(gone).first().isVisible()).toBe(false);
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('markdown-field');
  await expect.poll(() => page.locator('.save-state').isVisible()).toBe(true);
  await page.getByRole('button', { name: 'Focus' }).click();
  for (const back of ['.page-list', '.toolbar', '.preview-panes', '.editor-buttons'])
    await expect.poll(() => page.locator(back).first().isVisible()).toBe(true);
});
