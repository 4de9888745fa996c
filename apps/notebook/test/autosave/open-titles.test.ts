import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, lookForChanges, pagesNamed } from '../views/editor-desk.ts';

// A title that is still being typed is kept on this device, as a text is: a reload or a crash loses none of it.

let desk: EditorDesk;
let page: Page;
let made: Made;
/** The notebook's title as the test finds it. */
let before: string;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());

const twoPages = pagesNamed('One', 'Two');
async function begin(body: object = {}): Promise<void> {
  made = await desk.create({ title: 'Desk', ...twoPages, ...body });
  page = await desk.newPage({ serviceWorkers: 'block', viewport: { width: 1280, height: 800 } });
  await desk.open(page, made);
}
/** One editor for the tests of a group, whose pages are new for each of them. */
function inOneEditor(): void {
  beforeAll(() => begin());
  afterAll(() => desk.context.close());
  beforeEach(async () => {
    // Leaves a form that is still open, with what it keeps.
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 800 });
    // What the test before was told stays until the editor is opened again.
    if ((await page.locator('.session-note').count()) > 0) await desk.open(page, made);
    made = await desk.renewPages(page, made, twoPages);
    before = (await desk.stored(made)).title;
    await expect.poll(kept).toEqual([]);
  });
}
const button = (name: string) => page.getByRole('button', { name, exact: true });
const form = () => page.getByLabel('Page title');
const titles = () => page.locator('.page-pick').allTextContents();
const notes = () => page.locator('.session-note').allTextContents();
const stored = async () => {
  const { title, pages } = await desk.stored(made);
  return [title, ...pages.map(each => each.title)];
};
const kept = () =>
  page.evaluate(() =>
    Object.keys(localStorage)
      .filter(key => key.startsWith('octavo.title.'))
      .map(key => localStorage[key]),
  );
async function type(words: string, of = 'One'): Promise<void> {
  await button(`Rename ${of}`).click();
  await form().fill('');
  await form().pressSequentially(words);
}

describe('the form that renames a page', () => {
  inOneEditor();

  it.each([1280, 390])('is open again after a reload, with what was typed and the caret behind it (%i px)', async width => {
    await page.setViewportSize({ width, height: 800 });
    if (width < 700) await button('Pages').click();
    await type('Chapter o');
    await page.reload();
    await expect.poll(() => form().inputValue()).toBe('Chapter o');
    await expect.poll(() => form().isVisible()).toBe(true);
    await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Page title');
    expect(await stored()).toEqual([before, 'One', 'Two']);
    await page.keyboard.type('ne');
    await page.keyboard.press('Enter');
    await expect.poll(stored).toEqual([before, 'Chapter one', 'Two']);
    await expect.poll(kept).toEqual([]);
    await page.reload();
    await expect.poll(titles).toEqual(['Chapter one', 'Two']);
    await expect.poll(() => form().count()).toBe(0);
  });

  it('keeps nothing of what Escape left, nor of a title that the page has', async () => {
    await type('never');
    await page.keyboard.press('Escape');
    await expect.poll(kept).toEqual([]);
    await type('One');
    await expect.poll(kept).toEqual([]);
    await form().fill('never');
    await page.reload();
    await form().press('Escape');
    await expect.poll(kept).toEqual([]);
    await page.reload();
    await expect.poll(titles).toEqual(['One', 'Two']);
    await expect.poll(() => form().count()).toBe(0);
  });

  it('offers what it was left with in a closed window; the words of an open one stay there', async () => {
    await type('Mine');
    const other = await desk.window();
    await desk.open(other, made);
    await expect.poll(() => other.getByLabel('Page title').count()).toBe(0);
    const keys = () => other.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('octavo.title.')));
    const [ofClosed] = await keys();
    await page.close();
    page = other;
    // The browser tells the other window some time later; then it keeps the words itself.
    await expect.poll(keys).toEqual([expect.not.stringMatching(`^${ofClosed}$`)]);
    await expect.poll(() => form().count()).toBe(0);
    await button('Rename One').click();
    await expect.poll(() => form().inputValue()).toBe('Mine');
  });

  it('tells its words when the page was deleted elsewhere meanwhile', async () => {
    await type('Lost words');
    await page.goto('about:blank');
    await desk.deleteElsewhere(made);
    await desk.open(page, made);
    await expect
      .poll(notes)
      .toContainEqual(
        expect.stringContaining('“One” is no longer in this notebook. The title you wrote for it was “Lost words”.'),
      );
    await expect.poll(kept).toEqual([]);
  });
});

describe('in an editor of its own', () => {
  afterEach(() => desk.context.close());

  it('the form keeps a visitor’s words', async () => {
    await begin({ openEditing: true });
    await page.goto(`${desk.service.origin}/n/${made.slug}/edit`);
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await type('Visited');
    await page.reload();
    await expect.poll(() => form().inputValue()).toBe('Visited');
    await expect.poll(kept).toHaveLength(1);
  });
});

describe('the field of the notebook’s title', () => {
  inOneEditor();

  const title = () => page.getByRole('textbox', { name: 'Notebook title' });
  const crash = async () => {
    const session = await desk.context.newCDPSession(page);
    const crashed = page.waitForEvent('crash');
    // It gets no answer.
    void session.send('Page.crash').catch(() => {});
    await crashed;
  };

  it('keeps what was typed when the window crashes: it is saved when the notebook is opened again', async () => {
    await title().fill('Typed, not left');
    await expect.poll(kept).toHaveLength(1);
    await crash();
    expect(await stored()).toEqual([before, 'One', 'Two']);
    page = await desk.window();
    await desk.open(page, made);
    await expect.poll(() => title().inputValue()).toBe('Typed, not left');
    await expect.poll(stored).toEqual(['Typed, not left', 'One', 'Two']);
    await expect.poll(kept).toEqual([]);
  });

  it('does not replace a title that another person gave meanwhile, and tells the words', async () => {
    await title().fill('Mine');
    await expect.poll(kept).toHaveLength(1);
    await crash();
    await desk.change(made, { title: 'Theirs' });
    page = await desk.window();
    await desk.open(page, made);
    await expect.poll(() => title().inputValue()).toBe('Theirs');
    await expect
      .poll(notes)
      .toContainEqual(expect.stringContaining('The title was changed elsewhere meanwhile. The title you wrote was “Mine”.'));
    await expect.poll(kept).toEqual([]);
    expect(await stored()).toEqual(['Theirs', 'One', 'Two']);
  });

  it('shows a title that another person gave meanwhile, once it is left with nothing typed', async () => {
    await title().focus();
    await desk.change(made, { title: 'Given elsewhere' });
    await lookForChanges(page);
    await expect.poll(() => page.title()).toBe('Given elsewhere · Octavo');
    await expect.poll(() => title().inputValue()).toBe(before);
    await page.locator('#markdown-field').click();
    await expect.poll(() => title().inputValue()).toBe('Given elsewhere');
    expect(await stored()).toEqual(['Given elsewhere', 'One', 'Two']);
  });

  it('keeps nothing once the title is saved, or is what it was', async () => {
    await title().fill('Saved');
    await expect.poll(kept).toHaveLength(1);
    await title().press('Enter');
    await expect.poll(stored).toEqual(['Saved', 'One', 'Two']);
    await expect.poll(kept).toEqual([]);
    await title().fill('Sa');
    await expect.poll(kept).toHaveLength(1);
    await title().fill('Saved');
    await expect.poll(kept).toEqual([]);
    await lookForChanges(page);
  });
});
