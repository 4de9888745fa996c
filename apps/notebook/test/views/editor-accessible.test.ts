import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeImageFolder } from '../support/image-folder.ts';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import type { Made } from '../support/service-process.ts';
import { findFaults } from './axe.ts';

// With a store for images: the editor has all its dialogs.
const images = makeImageFolder();
let octavo: ServiceInBrowser;
let made: Made;

beforeAll(async () => {
  octavo = await ServiceInBrowser.start(undefined, images.env);
  const markdown = `# Code\n\n\`\`\`js\nconst ${'long '.repeat(60)}= 1\n\`\`\`\n\n- [ ] task\n`;
  const pages = Array.from({ length: 22 }, (_, place) => ({ markdown: place === 0 ? markdown : `# Page ${place}` }));
  made = await octavo.create({ title: 'A title that is rather long for a phone', embedding: true, pages });
});
afterAll(async () => {
  await octavo?.close();
  images.remove();
});

const behindMore = ['Versions', 'Images', 'Comments', 'Settings'];
const dialogs = ['Share', ...behindMore, 'Add page', 'Import…', 'Export…'];

/** What is no dialog: how it is opened, and what has the focus after Escape. */
const states: readonly { name: string; open: (page: Page) => Promise<unknown>; after: RegExp }[] = [
  {
    name: 'find and replace',
    open: async page => {
      await page.getByRole('button', { name: /^Find and replace/ }).click();
      await page.getByLabel('Find in this page').fill('long');
      await page.getByText(/^1 of/).waitFor();
    },
    after: /^Markdown of/,
  },
  {
    name: 'a menu of the toolbar',
    open: async page => {
      await page.getByRole('button', { name: /^Heading/ }).click();
      await page.getByRole('menuitem', { name: 'Heading 1' }).waitFor();
    },
    after: /^Heading/,
  },
  {
    name: 'names of emoji',
    open: async page => {
      await page.locator('#markdown-field').press('Control+End');
      await page.keyboard.type(' :rock');
      await page.getByRole('option').first().waitFor();
    },
    after: /^Markdown of/,
  },
];

/** The name of what has the focus. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: element } = document;
    return element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? '';
  });

/** In both color schemes: what is open follows the reader's at once. */
async function check(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    const message = `${name} in ${colorScheme}`;
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => findFaults(page), { message }).toEqual([]);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), { message })
      .toBeLessThanOrEqual(0);
  }
}

// One is opened in the light and one in the dark.
describe.each([
  [320, 'dark'],
  [1440, 'light'],
] as const)('the editor at %i px, opened in %s', (width, colorScheme) => {
  it('in light and dark: nothing serious for axe, no sideways scrolling, dialogs included', { timeout: 120_000 }, async () => {
    const context = await octavo.browser.newContext({ colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${octavo.origin}/e/${made.editToken}`);
    await page.locator('.preview-pane .prose pre').waitFor({ state: 'attached' });
    await check(page, 'editor');
    for (const { name, open, after } of states) {
      await open(page);
      await check(page, name);
      await page.keyboard.press('Escape');
      await expect.poll(() => focused(page), { message: name }).toMatch(after);
    }
    await page.keyboard.press('Control+Shift+Digit4');
    await page.locator('.workspace[data-view-mode="focus"]').waitFor();
    await check(page, 'focus');
    await page.keyboard.press('Control+Shift+Digit4');
    if (width < 1000) {
      await page.getByRole('button', { name: 'Read', exact: true }).click();
      await check(page, 'look');
      await page.getByRole('button', { name: 'Pages', exact: true }).click();
      await check(page, 'pages');
    }
    for (const name of dialogs) {
      // On small screens these wait behind a button.
      const hidden = width < 1000 && behindMore.includes(name);
      if (hidden) await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      await check(page, name);
      if (name === 'Share') {
        await page.getByRole('button', { name: 'Edit on my phone' }).click();
        await page.getByRole('img', { name: 'QR code that opens the editor' }).waitFor();
        await check(page, 'the QR code of the edit link');
      }
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      // The dialog gives the focus back to the button that opened it.
      await expect.poll(() => focused(page)).toContain(hidden ? 'More' : name);
    }
    await context.close();
  });
});

/** A ring around what has the focus, or around what it fills; none on the targets of our own scripts. */
const isSeen = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return false;
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const isInside = right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
    const parts = [element, element.closest('.writing'), element.nextElementSibling].filter(part => part !== null);
    const isRinged = (style: CSSStyleDeclaration) => style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) > 0;
    const isMarked = parts.some(part => isRinged(getComputedStyle(part)) || getComputedStyle(part).boxShadow.includes('inset'));
    return isInside && (isMarked || element.matches('[role="separator"]'));
  });

/** Tab by Tab, each stop seen. @returns the stops before it */
async function walkTo(page: Page, name: RegExp, key = 'Tab'): Promise<string[]> {
  const passed: string[] = [];
  while (!name.test(await focused(page))) {
    passed.push(await focused(page));
    expect(passed.length, `${name} is not among ${passed.join(' | ')}`).toBeLessThan(80);
    await page.keyboard.press(key);
    await expect.poll(() => isSeen(page), { message: `after ${passed.at(-1)}` }).toBe(true);
  }
  return passed;
}

it('from the empty home page to the closed share panel by keyboard alone, each stop seen', { timeout: 120_000 }, async () => {
  const context = await octavo.browser.newContext({
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  await page.goto(octavo.origin);
  await expect.poll(() => isSeen(page)).toBe(true);
  await page.keyboard.type('# Picnic\n\nBring bread.');
  await walkTo(page, /^Publish$/);
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('Copy view link');
  await page.keyboard.press('Enter');
  await page.getByText('Your clipboard has the view link.').waitFor();
  await walkTo(page, /^Open the editor$/);
  await page.keyboard.press('Enter');
  await page.locator('#markdown-field').waitFor();
  await walkTo(page, /^Markdown of/);
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' And butter.');
  await page.keyboard.press('Control+f');
  // Its code is fetched when it is first opened.
  await expect.poll(() => focused(page)).toBe('Find in this page');
  await page.keyboard.type('bread');
  await page.getByText('1 of 1').waitFor();
  await expect.poll(() => isSeen(page)).toBe(true);
  await walkTo(page, /^Replace all$/);
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toMatch(/^Markdown of/);
  await page.keyboard.press('Control+Shift+Digit4');
  await page.locator('.workspace[data-view-mode="focus"]').waitFor();
  await expect.poll(() => focused(page)).toMatch(/^Markdown of/);
  await page.keyboard.press('Control+Shift+Digit4');
  await page.locator('.workspace:not([data-view-mode="focus"])').waitFor();
  await page.keyboard.press('Escape');
  await walkTo(page, /^Share$/, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  const stops = await walkTo(page, /^Replace the edit link$/);
  // To read, then who may, then to edit.
  const order = ['Copy view link', 'Set password', 'Copy edit link'].map(stop => stops.indexOf(stop));
  expect(order).not.toContain(-1);
  expect(order).toEqual([...order].sort((one, other) => one - other));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('Share');
  await context.close();
});
