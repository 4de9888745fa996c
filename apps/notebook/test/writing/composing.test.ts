import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, pagesNamed } from '../views/editor-desk.ts';

// An input method takes Enter, Escape and keys with Ctrl for itself. None of our shortcuts may act on them.
let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
/** One editor for all that is pressed on a computer, its first page shown as it was made, and no panel over it. */
let shared: Page | undefined;
async function openShared(): Promise<void> {
  if (!shared) {
    made = await desk.create({ title: 'Desk', ...pagesNamed('One', 'Two') });
    shared = await desk.newPage();
    await desk.open(shared, made);
  }
  page = shared;
  const panel = page.locator('.find-panel');
  if (await panel.isVisible()) await panel.getByRole('textbox').first().press('Escape');
  await field().fill('# One\n\nOn One.');
}
afterEach(() => expect(desk.complaints).toEqual([]));

const field = () => page.getByRole('textbox', { name: /^Markdown of/ });
const mode = () => page.locator('.workspace').getAttribute('data-view-mode');

/** How browsers report a key that an input method takes: Chromium and Firefox with `isComposing`, WebKit only with the old `keyCode`. */
const kinds = [
  { name: 'Chromium', told: { isComposing: true }, words: '日本' },
  { name: 'WebKit', told: { keyCode: 229 }, words: '日本語' },
] as const;

interface Key {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey?: boolean;
  readonly shiftKey?: boolean;
  readonly isComposing?: boolean;
  readonly keyCode?: number;
}

async function press(at: Locator, key: Key): Promise<void> {
  await at.evaluate(
    (element, init) => void element.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })),
    key,
  );
  await page.evaluate(() => new Promise(requestAnimationFrame));
}

it('the keyboard of a phone composes each word: names of emoji are offered all the same, and a press takes one', async () => {
  made = await desk.create({ title: 'Desk', ...pagesNamed('One', 'Two') });
  page = await desk.newPage({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 800 } });
  await desk.open(page, made);
  const session = await desk.context.newCDPSession(page);
  await field().focus();
  await field().press('Control+End');
  await page.keyboard.type(' :');
  await session.send('Input.imeSetComposition', { text: 'rocke', selectionStart: 5, selectionEnd: 5 });
  await page.getByRole('option', { name: 'rocket' }).tap();
  await expect.poll(() => field().inputValue()).toBe('# One\n\nOn One. :rocket:');
  await page.keyboard.type(' on');
  await expect.poll(() => field().inputValue()).toBe('# One\n\nOn One. :rocket: on');
  await expect.poll(async () => (await desk.stored(made)).pages[0]!.markdown, { timeout: 20_000 }).toContain(':rocket: on');
  await desk.context.close();
});

describe.each(kinds)('while something is composed, as $name tells it', ({ told, words: written }) => {
  beforeEach(openShared);

  it('Enter in the title confirms the words and leaves the focus there', async () => {
    const title = page.getByRole('textbox', { name: 'Notebook title' });
    await title.fill(written);
    await press(title, { key: 'Enter', code: 'Enter', ...told });
    expect(await title.evaluate(element => element === document.activeElement)).toBe(true);
    await title.press('Enter');
    await expect.poll(async () => (await desk.stored(made)).title).toBe(written);
  });

  it('Escape takes back what is composed, and not the title of the page', async () => {
    await page.locator('.page-pick').first().press('F2');
    const title = page.getByRole('textbox', { name: 'Page title' });
    await title.fill(written);
    await press(title, { key: 'Escape', code: 'Escape', ...told });
    await title.press('Enter');
    await expect.poll(async () => (await desk.stored(made)).pages[0]!.title).toBe(written);
  });

  it('Escape and Enter in the search leave the panel as it is', async () => {
    await field().press('Control+f');
    const words = page.getByRole('textbox', { name: 'Find in this page' });
    await words.fill('One');
    await page.getByText('1 of 2').waitFor();
    await press(words, { key: 'Enter', code: 'Enter', ...told });
    await press(words, { key: 'Escape', code: 'Escape', ...told });
    await expect.poll(() => words.inputValue()).toBe('One');
    await page.getByText('1 of 2').waitFor();
  });

  it.each([
    ['Control+F', { key: 'Process', code: 'KeyF', ctrlKey: true }],
    ['Control+/', { key: '/', code: 'Slash', ctrlKey: true }],
    ['Control+Shift+3', { key: 'Process', code: 'Digit3', ctrlKey: true, shiftKey: true }],
  ])('%s opens and changes nothing', async (_name, key) => {
    await field().focus();
    await press(field(), { ...key, ...told });
    expect(await mode()).toBe('split');
    await expect.poll(() => page.locator('.find-panel, dialog[open]').count()).toBe(0);
    expect(await field().evaluate(text => text === document.activeElement)).toBe(true);
  });
});
