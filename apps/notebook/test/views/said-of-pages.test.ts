import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, pagesNamed } from './editor-desk.ts';

// F2, and what the editor says of its pages to those who do not see them.

let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
  made = await desk.create(pagesNamed('Any'));
  page = await desk.newPage({ serviceWorkers: 'block' });
  await desk.open(page, made);
});
afterAll(async () => {
  await desk?.context?.close();
  await desk?.close();
});
beforeEach(async () => {
  made = await desk.renewPages(page, made, pagesNamed('One', 'Two', 'Three'));
});
afterEach(() => page.unrouteAll());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = () => page.locator('#markdown-field');
const title = () => page.getByLabel('Page title');
const titles = () => page.locator('.page-name').allInnerTexts();
const stored = async () => (await desk.stored(made)).pages.map(({ title }) => title);
const said = () => page.locator('.page-list-said').innerText();

describe('F2 renames the open page', () => {
  it.each(['Add page', 'Duplicate One', 'Bold', 'Keyboard shortcuts'])('from “%s”, and the focus goes back', async name => {
    const from = page.locator('.page-list, .toolbar').getByRole('button', { name: new RegExp(`^${name}`) });
    // The buttons of a row are gone while it is a form.
    const back = name.startsWith('Duplicate') ? page.locator('.page-pick[aria-current]') : from;
    await from.focus();
    await page.keyboard.press('F2');
    await title().fill('First');
    await page.keyboard.press('Enter');
    await expect.poll(stored).toEqual(['First', 'Two', 'Three']);
    await expect.poll(() => back.evaluate(element => element === document.activeElement)).toBe(true);
  });

  it('from the toolbar of a small screen, whose list unfolds for it', async () => {
    const size = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: /^Bold/ }).focus();
    await page.keyboard.press('F2');
    await title().fill('First');
    await page.keyboard.press('Enter');
    await expect.poll(stored).toEqual(['First', 'Two', 'Three']);
    await page.setViewportSize(size);
  });

  it('never from the text, which keeps the key', async () => {
    await field().focus();
    await page.evaluate(() => {
      const note = (event: KeyboardEvent): void => document.body.setAttribute('data-taken', `${event.defaultPrevented}`);
      document.addEventListener('keydown', note, { once: true });
    });
    await page.keyboard.press('F2');
    await expect.poll(() => page.locator('body').getAttribute('data-taken')).toBe('false');
    await expect.poll(() => title().count()).toBe(0);
  });
});

describe('a page without a title is called what the list calls it', () => {
  beforeEach(async () => {
    made = await desk.renewPages(page, made, { pages: [{ markdown: 'Bring bread' }, { markdown: '' }] });
  });

  it('when it is moved, copied and deleted', async () => {
    await button('Move Bring bread down').click();
    await expect.poll(said).toBe('Bring bread is now 2 of 2.');
    await button('Duplicate Bring bread').click();
    await expect.poll(said).toBe('Bring bread was duplicated.');
    await page.locator('.page-name', { hasText: 'Untitled page' }).click();
    await button('Delete Untitled page').click();
    await page.getByText('Deleted “Untitled page”.').waitFor();
    await button('Undo deleting Untitled page').click();
    await expect.poll(said).toBe('Untitled page is back.');
  });

  it.each([
    ['saved', false],
    ['kept for later', true],
  ])('when its title was taken away: %s', async (_how, isDown) => {
    await button('Rename Bring bread').click();
    await title().fill('Supper');
    await page.keyboard.press('Enter');
    await expect.poll(said).toBe('Renamed to Supper.');
    if (isDown) await page.route('**/api/**', route => route.abort());
    await button('Rename Supper').click();
    await title().fill('');
    await page.keyboard.press('Enter');
    await expect.poll(said).toBe('Renamed to Bring bread.');
    await expect.poll(titles).toEqual(['Bring bread', 'Untitled page']);
    await page.unrouteAll();
    await page.keyboard.press('Control+s');
    await page.locator('[data-save-state="saved"]').waitFor();
  });
});

it('a deleted page with a long title is named in two whole lines, which end in an ellipsis', async () => {
  made = await desk.renewPages(page, made, pagesNamed('elektrizitätenhauptbetriebswerkbau'.repeat(5), 'Two'));
  await page.getByRole('button', { name: /^Delete elektri/ }).click();
  const shown = () =>
    page.locator('.deleted-notice span').evaluate(span => {
      const { lineHeight, webkitLineClamp } = getComputedStyle(span);
      return [span.clientHeight / Number.parseFloat(lineHeight), webkitLineClamp];
    });
  await expect.poll(shown).toEqual([expect.closeTo(2, 1), '2']);
});

describe('that a text is not saved', () => {
  const heard = () => page.evaluate(() => (window as unknown as { heard: string[] }).heard.filter(words => words !== ''));
  const tries = () => {
    let count = 0;
    page.on('requestfailed', () => {
      count += 1;
    });
    return () => count;
  };

  it('is announced once, however often it is tried, and so is that it is saved at last', async () => {
    await page.evaluate(() => {
      const region = document.querySelector('.save-state [role="status"]')!;
      const heard: string[] = [];
      new MutationObserver(() => heard.push(region.textContent)).observe(region, {
        childList: true,
        characterData: true,
        subtree: true,
      });
      Object.assign(window, { heard });
    });
    await page.route('**/api/**', route => route.abort());
    const failed = tries();
    await field().fill('# One\n\nnot saved');
    for (const least of [1, 2, 3]) {
      await page.keyboard.press('Control+s');
      await expect.poll(failed).toBeGreaterThanOrEqual(least);
      await page.locator('[data-save-state="waiting"]').waitFor();
    }
    const words = 'The server can’t be reached – kept on this device';
    await expect.poll(heard).toEqual([words]);
    await page.unrouteAll();
    await page.keyboard.press('Control+s');
    await expect.poll(heard).toEqual([words, 'Saved']);
  });
});
