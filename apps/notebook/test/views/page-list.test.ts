import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, lookForChanges, pagesNamed } from './editor-desk.ts';
import { type Box, standing } from './standing.ts';

let desk: EditorDesk;
let page: Page;
let made: Made;
const names = pagesNamed('One', 'Two', 'Three');
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
afterEach(() => expect(desk.complaints).toEqual([]));

async function open(): Promise<void> {
  made = await desk.create(names);
  page = await desk.newPage({ serviceWorkers: 'block' });
  await page.clock.install();
  await desk.open(page, made);
}

/** One editor for the tests of a group, each with pages of its own. */
function inOneEditor(): void {
  beforeAll(open);
  afterAll(() => desk.context?.close());
  beforeEach(async () => {
    made = await desk.renewPages(page, made, names);
  });
  afterEach(async () => {
    await page.unrouteAll();
    await desk.context.setOffline(false);
    await page.clock.resume();
  });
}

const field = () => page.getByRole('textbox', { name: /^Markdown of/ });
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
/** Not `innerText`, which is empty for a row that the browser has not drawn yet. */
const titles = async () =>
  (await page.locator('.page-pick').allTextContents()).map(title => title.replace(' (not saved yet)', ''));
const stored = async () => (await desk.stored(made)).pages.map(each => each.title);
const said = () => page.locator('.page-list-said').innerText();
const title = () => page.getByLabel('Page title');
const row = (title: string) => page.locator('.page-pick', { hasText: new RegExp(`^${title}$`) });
const focusedRow = () => page.evaluate(() => document.activeElement?.closest('.page-pick')?.textContent);

describe('pages are added', () => {
  inOneEditor();

  it('from a template after the open one', async () => {
    await button('Add page').click();
    await button('Meeting notes').click();
    await expect.poll(titles).toEqual(['One', 'Meeting notes', 'Two', 'Three']);
    await expect.poll(() => field().inputValue()).toMatch(/^# Meeting notes\n\n- \*\*Date:\*\* (?!\{)/);
    // The caret is in it.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('markdown-field');
  });

  it('as a copy of one, unsaved words included', async () => {
    await field().fill('# One\n\nnot saved yet');
    await button('Duplicate One').click();
    await expect.poll(titles).toEqual(['One', 'One (copy)', 'Two', 'Three']);
    await expect.poll(() => field().inputValue()).toBe('# One\n\nnot saved yet');
    const second = async () => (await desk.stored(made)).pages[1];
    await expect.poll(second).toMatchObject({ title: 'One (copy)', markdown: '# One\n\nnot saved yet' });
  });
});

describe('pages are renamed', () => {
  inOneEditor();

  it('while their text is being saved', async () => {
    await field().fill('# One\n\nchanged a moment ago');
    await button('Rename One').click();
    await title().fill('Chapter one');
    await title().press('Enter');
    await expect.poll(titles).toEqual(['Chapter one', 'Two', 'Three']);
    await field().fill('# One\n\nand again');
    await page.keyboard.press('Control+s');
    const first = async () => (await desk.stored(made)).pages[0];
    await expect.poll(first).toMatchObject({ title: 'Chapter one', markdown: '# One\n\nand again' });
  });

  it('with F2, whichever has the focus; Escape leaves it as it was', async () => {
    await row('One').press('ArrowDown');
    await page.keyboard.press('F2');
    await title().fill('never');
    await page.keyboard.press('Escape');
    await expect.poll(focusedRow).toBe('Two');
    await page.keyboard.press('F2');
    await title().fill('Second');
    await page.keyboard.press('Enter');
    await expect.poll(stored).toEqual(['One', 'Second', 'Three']);
  });

  it('words in the form stay when its page is deleted elsewhere: a note has them', async () => {
    await row('Two').click();
    await button('Rename Two').click();
    await title().fill('Second');
    await desk.deleteElsewhere(made, (await desk.stored(made)).pages[1]!.id);
    await lookForChanges(page);
    await expect.poll(titles).toEqual(['One', 'Three']);
    await page.getByText('“Two” is no longer in this notebook. The title you wrote for it was “Second”.').waitFor();
  });

  it.each([
    ['Two', 'Three'],
    ['Three', 'Two'],
  ])('the focus goes from the form of %s, whose page is deleted elsewhere, to its neighbor %s', async (gone, neighbor) => {
    await row(gone).click();
    await button(`Rename ${gone}`).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Page title');
    const id = (await desk.stored(made)).pages.find(({ title }) => title === gone)!.id;
    await desk.deleteElsewhere(made, id);
    await lookForChanges(page);
    await expect.poll(focusedRow).toBe(neighbor);
  });

  it('words in the form are there again when another page was renamed meanwhile; what Escape left is not', async () => {
    await button('Rename One').click();
    await title().fill('Chapter one');
    await row('Two').click();
    await button('Rename Two').click();
    await title().fill('Chapter two');
    await title().press('Escape');
    await row('One').click();
    await button('Rename One').click();
    await expect.poll(() => title().inputValue()).toBe('Chapter one');
    await title().press('Escape');
    await row('Two').click();
    await button('Rename Two').click();
    await expect.poll(() => title().inputValue()).toBe('Two');
  });

  describe('to a title that is refused', () => {
    const rename = async (name: string, words: string) => {
      await button(`Rename ${name}`).click();
      await title().fill(words);
      await title().press('Enter');
    };
    const offered = async (name: string) => {
      await button(`Rename ${name}`).click();
      const words = await title().inputValue();
      await title().press('Escape');
      return words;
    };
    let refusals = 0;
    const refuseOne = async (status: number): Promise<void> => {
      // Other words than those that are there since the test before.
      refusals += 1;
      const words = `Refused with ${status}, ${refusals}.`;
      await page.route('**/pages/*', route => route.fulfill({ status, json: { code: 'unavailable', title: words } }));
      await rename('One', 'Chapter one');
      await expect.poll(said).toBe(words);
    };

    it.each([412, 422, 429])('it is in the form again, until the page got one: %i', async status => {
      await refuseOne(status);
      await expect.poll(() => titles()).toEqual(['One', 'Two', 'Three']);
      expect([await offered('One'), await offered('One')]).toEqual(['Chapter one', 'Chapter one']);
      await page.unroute('**/pages/*');
      await rename('One', 'First');
      await expect.poll(stored).toEqual(['First', 'Two', 'Three']);
      expect(await offered('First')).toBe('First');
    });

    it('it is forgotten when the page is to keep the title that it has', async () => {
      await refuseOne(422);
      await rename('One', 'One');
      expect(await offered('One')).toBe('One');
    });

    it('it stays while other pages get theirs', async () => {
      await refuseOne(422);
      await page.unroute('**/pages/*');
      await row('Two').click();
      await rename('Two', 'Chapter two');
      await expect.poll(stored).toEqual(['One', 'Chapter two', 'Three']);
      await row('One').click();
      expect(await offered('One')).toBe('Chapter one');
    });
  });
});

describe('pages move', () => {
  inOneEditor();

  it('up and down, keeping the focus on the button', async () => {
    await button('Move One down').focus();
    await page.keyboard.press('Enter');
    await expect.poll(titles).toEqual(['Two', 'One', 'Three']);
    await expect.poll(stored).toEqual(['Two', 'One', 'Three']);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Move One down');
  });

  it('with Alt and the arrows, keeping the focus, and it is said', async () => {
    await row('One').press('ArrowDown');
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => titles()).toEqual(['Two', 'One', 'Three']);
    await expect.poll(said).toBe('Two is now 1 of 3.');
    await expect.poll(() => focusedRow()).toBe('Two');
    await page.keyboard.press('Alt+End');
    await expect.poll(stored).toEqual(['One', 'Three', 'Two']);
    await expect.poll(said).toBe('Two is now 3 of 3.');
  });

  it('every one of many quick moves', async () => {
    await row('Three').focus();
    for (const key of ['Alt+ArrowUp', 'Alt+ArrowUp', 'Alt+ArrowDown', 'Alt+ArrowUp']) await page.keyboard.press(key);
    await expect.poll(stored).toEqual(['Three', 'One', 'Two']);
  });

  it('by drag with the mouse, and the open page stays open', async () => {
    await drag('Three', 'One');
    await expect.poll(stored).toEqual(['Three', 'One', 'Two']);
    await expect.poll(() => titles()).toEqual(['Three', 'One', 'Two']);
    await expect.poll(() => field().inputValue()).toContain('# One');
    await row('Two').click();
    await expect.poll(() => field().inputValue()).toContain('# Two');
  });

  it('nowhere when Escape ends the drag', async () => {
    await drag('Three', 'One', 'Escape');
    await expect.poll(() => titles()).toEqual(['One', 'Two', 'Three']);
  });

  it('by drag, the one that was taken, though the list changes from outside meanwhile', async () => {
    const [start, end] = await standing(row('Two'), row('Three'));
    await page.mouse.move(start!.x + 30, start!.y + start!.height / 2);
    await page.mouse.down();
    await page.mouse.move(end!.x + 30, end!.y + end!.height - 2, { steps: 4 });
    await page.locator('.drop-line').waitFor();
    await desk.deleteElsewhere(made);
    await lookForChanges(page);
    await expect.poll(() => titles()).toEqual(['Two', 'Three']);
    await page.mouse.up();
    await expect.poll(() => titles()).toEqual(['Three', 'Two']);
    await expect.poll(stored).toEqual(['Three', 'Two']);
  });

  it('by drag with a finger on the grip', async () => {
    const touch = await desk.browser.newPage({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await desk.open(touch, made);
    await touch.getByRole('button', { name: 'Pages' }).tap();
    await dragByFinger(touch, 'One', 'Three');
    await expect.poll(stored).toEqual(['Two', 'Three', 'One']);
    await touch.close();
  });

  it('back where they were when the server says no', async () => {
    await page.route('**/api/notebooks/*', route =>
      route.fulfill({ status: 409, json: { title: 'Read-only.', code: 'read_only' } }),
    );
    await row('Three').press('Alt+ArrowUp');
    await expect.poll(said).toBe('Read-only.');
    await expect.poll(() => titles()).toEqual(['One', 'Two', 'Three']);
  });

  it('what was typed on a page is saved when another page is opened', async () => {
    await field().fill('left at once');
    await row('Two').click();
    await expect.poll(() => field().inputValue()).toContain('# Two');
    await expect.poll(async () => (await desk.stored(made)).pages[0]!.markdown).toBe('left at once');
  });

  async function drag(from: string, to: string, key?: string): Promise<void> {
    const [start, end] = await standing(row(from), row(to));
    await page.mouse.move(start!.x + 30, start!.y + start!.height / 2);
    await page.mouse.down();
    await page.mouse.move(start!.x + 30, start!.y - 10);
    await page.mouse.move(end!.x + 30, end!.y + 2, { steps: 4 });
    await page.locator('.drop-line').waitFor();
    expect(await cursor(from)).toBe('grabbing');
    if (key) await page.keyboard.press(key);
    await page.mouse.up();
    await expect.poll(() => cursor(from)).not.toBe('grabbing');
  }
  const cursor = (title: string) => row(title).evaluate(one => getComputedStyle(one).cursor);

  async function dragByFinger(on: Page, from: string, to: string): Promise<void> {
    const grip = (title: string) => on.locator('li', { has: on.locator('.page-pick', { hasText: title }) }).locator('.page-grip');
    const [start, end] = (await standing(grip(from), grip(to))) as [Box, Box];
    const client = await on.context().newCDPSession(on);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y: number) =>
      client.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: start.x + 5, y }] });
    const [startY, endY] = [start.y + start.height / 2, end.y + end.height - 2];
    await touch('touchStart', startY);
    for (let step = 1; step <= 5; step++) await touch('touchMove', startY + ((endY - startY) * step) / 5);
    await on.locator('.drop-line').waitFor();
    await touch('touchEnd', endY);
  }
});

describe('a deleted page', () => {
  inOneEditor();

  it('leaves the list at once and the server ten seconds later', async () => {
    // From here on the clock goes when it is told to.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
    await button('Delete One').click();
    await page.clock.runFor(100);
    await expect.poll(() => titles()).toEqual(['Two', 'Three']);
    await page.getByText('Deleted “One”.').waitFor();
    await page.clock.runFor(9_500);
    await expect.poll(() => stored()).toEqual(['One', 'Two', 'Three']);
    await page.clock.runFor(500);
    await expect.poll(stored).toEqual(['Two', 'Three']);
    await expect.poll(() => page.getByText('Deleted “One”.').count()).toBe(0);
  });

  it('comes back by Undo with every word and every earlier version', async () => {
    await field().fill('# One\n\nsecond text');
    await page.keyboard.press('Control+s');
    await expect.poll(async () => (await desk.stored(made)).pages[0]!.markdown).toContain('second');
    await field().fill('# One\n\nthird text, never saved');
    await button('Delete One').click();
    await button('Undo deleting One').click();
    await expect.poll(() => titles()).toEqual(['One', 'Two', 'Three']);
    await expect.poll(() => field().inputValue()).toBe('# One\n\nthird text, never saved');
    await page.clock.runFor(60_000);
    await expect.poll(() => stored()).toEqual(['One', 'Two', 'Three']);
    const snapshots = `${desk.service.origin}/api/notebooks/${made.slug}/pages/${made.pageId}/snapshots`;
    const answer = await fetch(snapshots, { headers: { 'x-edit-token': made.editToken } });
    expect(((await answer.json()) as { items: unknown[] }).items.length).toBeGreaterThan(0);
  });

  it('by keyboard: Delete, the focus on Undo, and the time waits for it', async () => {
    await row('One').press('ArrowDown');
    await page.keyboard.press('Delete');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Undo deleting Two');
    await page.clock.runFor(60_000);
    await expect.poll(() => stored()).toEqual(['One', 'Two', 'Three']);
    await page.keyboard.press('Enter');
    await expect.poll(focusedRow).toBe('Two');
    await page.keyboard.press('Delete');
    await expect.poll(titles).toEqual(['One', 'Three']);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Undo deleting Two');
    await page.keyboard.press('Control+z');
    await expect.poll(titles).toEqual(['One', 'Two', 'Three']);
  });

  it('does not stand in the way of moving the others', async () => {
    await button('Delete One').click();
    await row('Three').press('Alt+ArrowUp');
    await expect.poll(stored).toEqual(['One', 'Three', 'Two']);
    await button('Undo deleting One').click();
    await expect.poll(() => titles()).toEqual(['One', 'Three', 'Two']);
  });

  it('is back in the list when the server did not delete it, and that is said', async () => {
    await button('Delete One').click();
    await desk.context.setOffline(true);
    await page.clock.runFor(10_500);
    await expect.poll(said).toBe('One was not deleted. This device is offline.');
    await expect.poll(() => titles()).toEqual(['One', 'Two', 'Three']);
  });

  it('comes back with what another person wrote meanwhile', async () => {
    await button('Delete One').click();
    await desk.saveElsewhere(made, '# One\n\nwritten on another machine');
    await page.clock.runFor(10_500);
    await expect.poll(said).toBe('One was not deleted. It was changed elsewhere in the meantime.');
    await expect.poll(() => titles()).toEqual(['One', 'Two', 'Three']);
    await row('One').click();
    await expect.poll(() => field().inputValue()).toBe('# One\n\nwritten on another machine');
    await expect.poll(async () => (await desk.stored(made)).pages[0]!.markdown).toContain('another machine');
  });
});

describe('a deleted page, in an editor of its own', () => {
  beforeEach(open);
  afterEach(() => desk.context.close());

  it('is gone when the window is closed meanwhile', async () => {
    await button('Delete One').click();
    await page.close();
    await expect.poll(stored).toEqual(['Two', 'Three']);
  });

  it('is never the last one', async () => {
    for (const name of ['One', 'Two']) await button(`Delete ${name}`).click();
    await expect.poll(() => button('Delete Three').getAttribute('aria-disabled')).toBe('true');
    await row('Three').press('Delete');
    await expect.poll(() => titles()).toEqual(['Three']);
  });

  it.each([
    ['Linux x86_64', 'Ctrl+Z'],
    ['MacIntel', '⌘Z'],
  ])('on %s it is said that %s brings a deleted page back', async (platform, keys) => {
    await page.addInitScript(name => Object.defineProperty(navigator, 'platform', { value: name }), platform);
    await page.reload();
    await field().waitFor();
    await button('Delete One').click();
    await expect.poll(said).toBe(`One was deleted. ${keys} in this list or the Undo button brings it back.`);
  });
});
