import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, pagesNamed } from '../views/editor-desk.ts';

// Titles and the order of pages are kept like texts while the server takes no change: of a private notebook, too.

vi.setConfig({ testTimeout: 120_000 });

let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
const threePages = pagesNamed('One', 'Two', 'Three');
async function begin(body: object = { visibility: 'private', ...threePages }): Promise<void> {
  made = await desk.create({ title: 'Desk', ...body });
  page = await desk.newPage({ serviceWorkers: 'block' });
}
async function open(): Promise<void> {
  await begin();
  await desk.open(page, made);
}
const unavailable = { title: 'The service is not available right now.', code: 'unavailable' };
const ways: Record<string, (route: Route) => Promise<void>> = {
  fails: route => route.fulfill({ status: 503, json: unavailable }),
  'cannot be reached': route => route.abort(),
};
/** From now on the server takes no change. It still answers who reads. */
const refuseChanges = (how: keyof typeof ways) =>
  page.route('**/api/**', route => (route.request().method() === 'GET' ? route.continue() : ways[how]!(route)));

const title = () => page.getByRole('textbox', { name: 'Notebook title' });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const titles = () => page.locator('.page-pick').allTextContents();
const stored = async () => {
  const { title, pages } = await desk.stored(made);
  return [title, ...pages.map(page => page.title)];
};
const state = () => page.locator('.save-state').innerText();
const note = () => page.locator('.session-note', { hasText: 'is kept on this device' }).count();
async function rename(to: string, from = 'One'): Promise<void> {
  await button(`Rename ${from}`).click();
  await page.getByLabel('Page title').fill(to);
  await page.keyboard.press('Enter');
  await expect.poll(titles).toContain(to);
}

describe('in one editor, whose pages are new for each of these', () => {
  let before: string;
  beforeAll(open);
  afterAll(() => desk.context.close());
  beforeEach(async () => {
    await page.unrouteAll();
    // What the test before was told stays until the editor is opened again.
    if ((await page.locator('.session-note').count()) > 0) await desk.open(page, made);
    made = await desk.renewPages(page, made, threePages);
    before = (await desk.stored(made)).title;
  });

  describe.each([
    ['fails', 'Not saved (The service cannot save right now. It keeps trying) – kept on this device'],
    ['cannot be reached', 'The server can’t be reached – kept on this device'],
  ])('while the server %s', (how, words) => {
    it('titles and the order of pages are kept, survive a reload, and are saved later', async () => {
      await refuseChanges(how);
      await title().fill('Later');
      await title().press('Enter');
      await expect.poll(state).toContain(words);
      await rename('Renamed');
      await button('Move Renamed down').click();
      await expect.poll(titles).toEqual(['Two', 'Renamed', 'Three']);
      await expect.poll(note).toBe(1);
      await expect.poll(() => page.getByRole('alert').count()).toBe(0);
      await page.reload();
      await expect.poll(titles).toEqual(['Two', 'Renamed', 'Three']);
      await expect.poll(() => title().inputValue()).toBe('Later');
      await expect.poll(note).toBe(1);
      expect(await stored()).toEqual([before, 'One', 'Two', 'Three']);
      await page.unrouteAll();
      await expect.poll(stored, { timeout: 60_000 }).toEqual(['Later', 'Two', 'Renamed', 'Three']);
      await expect.poll(state, { timeout: 60_000 }).toContain('Saved');
      await expect.poll(note).toBe(0);
    });

    it('a title is kept whose field was not left', async () => {
      await refuseChanges(how);
      await title().fill('Not left');
      await page.reload();
      await expect.poll(() => title().inputValue()).toBe('Not left');
      await page.unrouteAll();
      await expect.poll(stored, { timeout: 60_000 }).toEqual(['Not left', 'One', 'Two', 'Three']);
    });

    it('the newest of several titles is the one that is saved', async () => {
      await refuseChanges(how);
      for (const typed of ['First', 'Second']) {
        await title().fill(typed);
        await title().press('Enter');
        await expect.poll(note).toBe(1);
      }
      await page.unrouteAll();
      await expect.poll(stored, { timeout: 60_000 }).toEqual(['Second', 'One', 'Two', 'Three']);
      await expect.poll(() => title().inputValue()).toBe('Second');
    });
  });

  describe('a title whose answer nobody heard', () => {
    /** The server takes the next titles, and this window is not told. */
    async function giveUnheard(...typed: string[]): Promise<void> {
      await page.route('**/api/**', async route => {
        if (route.request().method() === 'PATCH') await route.fetch();
        await route.abort();
      });
      for (const words of typed) {
        await title().fill(words);
        await title().press('Enter');
        await expect.poll(async () => (await desk.stored(made)).title).toBe(words);
      }
      await expect.poll(note).toBe(1);
    }
    const comeBack = async () => {
      // This window is gone before the server can be heard again.
      await page.goto('about:blank');
      await page.unrouteAll();
      await desk.open(page, made);
    };
    const written = () => page.locator('.session-note', { hasText: 'changed elsewhere' }).allTextContents();

    it('does not replace a newer one from another person, and is shown', async () => {
      await giveUnheard('Mine');
      await desk.change(made, { title: 'Theirs' });
      await comeBack();
      await expect.poll(() => title().inputValue(), { timeout: 60_000 }).toBe('Theirs');
      await expect.poll(written).toEqual([expect.stringContaining('The title you wrote was “Mine”.')]);
      await expect.poll(note).toBe(0);
      expect((await desk.stored(made)).title).toBe('Theirs');
    });

    it('is not sent again while it stands, and gives way to the next of one’s own', async () => {
      await giveUnheard('First', 'Second');
      const sent: string[] = [];
      page.on('request', request => request.method() === 'PATCH' && sent.push(request.postData() ?? ''));
      await comeBack();
      await expect.poll(() => title().inputValue()).toBe('Second');
      await expect.poll(note, { timeout: 60_000 }).toBe(0);
      expect(sent).toEqual([]);
      await title().fill('Third');
      await title().press('Enter');
      await expect.poll(async () => (await desk.stored(made)).title).toBe('Third');
      await expect.poll(written).toEqual([]);
    });
  });

  describe('a page’s title whose answer nobody heard', () => {
    const pageTitles = async () => (await stored()).slice(1);
    /** The server takes the title, and this window is not told. */
    async function giveUnheard(to: string): Promise<void> {
      await page.route('**/api/**', async route => {
        if (route.request().method() === 'PATCH') await route.fetch();
        await route.abort();
      });
      await rename(to);
      await expect.poll(pageTitles).toContain(to);
      await expect.poll(note).toBe(1);
    }
    async function renameElsewhere(to: string): Promise<void> {
      const { pages } = await desk.stored(made);
      await desk.changePage(made, pages[0]!.id, { title: to });
    }
    const returns: Record<string, () => Promise<void>> = {
      'in a window that is opened again': async () => {
        await page.goto('about:blank');
        await page.unrouteAll();
        await desk.open(page, made);
      },
      'in a window that stayed open': () => page.unrouteAll(),
    };
    const written = () => page.locator('.session-note', { hasText: 'renamed elsewhere' }).allTextContents();

    it.each(Object.keys(returns))('does not replace a newer one from another person, and is shown, %s', async way => {
      await giveUnheard('Mine');
      await renameElsewhere('Theirs');
      await returns[way]!();
      await expect.poll(note, { timeout: 60_000 }).toBe(0);
      await expect.poll(titles).toEqual(['Theirs', 'Two', 'Three']);
      await expect.poll(written).toEqual([expect.stringContaining('The title you wrote was “Mine”.')]);
      expect(await pageTitles()).toEqual(['Theirs', 'Two', 'Three']);
    });

    it('is not sent again while it stands', async () => {
      await giveUnheard('First');
      const sent: string[] = [];
      page.on('request', request => request.method() === 'PATCH' && sent.push(request.postData() ?? ''));
      await returns['in a window that is opened again']!();
      await expect.poll(note, { timeout: 60_000 }).toBe(0);
      expect(sent).toEqual([]);
      expect(await pageTitles()).toEqual(['First', 'Two', 'Three']);
      expect(await written()).toEqual([]);
    });

    it.each(Object.keys(returns))('gives way to the next of one’s own, %s', async way => {
      await giveUnheard('First');
      await rename('Second', 'First');
      await returns[way]!();
      await expect.poll(pageTitles, { timeout: 60_000 }).toEqual(['Second', 'Two', 'Three']);
      await expect.poll(note).toBe(0);
      expect(await written()).toEqual([]);
    });
  });

  it('a page’s title from another person, unseen here, is shown before your own replaces it', async () => {
    const { pages } = await desk.stored(made);
    await button('Rename One').click();
    await page.getByLabel('Page title').fill('Mine');
    await desk.changePage(made, pages[0]!.id, { title: 'Theirs' });
    await page.keyboard.press('Enter');
    await expect.poll(titles).toEqual(['Theirs', 'Two', 'Three']);
    await expect
      .poll(() => page.locator('.page-list-said.error').allTextContents())
      .toEqual(['“Theirs” was renamed elsewhere meanwhile. The title you wrote was “Mine”.']);
    expect(await stored()).toEqual([before, 'Theirs', 'Two', 'Three']);
    await button('Rename Theirs').click();
    await expect.poll(() => page.getByLabel('Page title').inputValue()).toBe('Mine');
    await page.keyboard.press('Enter');
    await expect.poll(titles).toEqual(['Mine', 'Two', 'Three']);
    await expect.poll(stored).toEqual([before, 'Mine', 'Two', 'Three']);
  });

  it('a page’s title is kept, too, when the heading that it replaces was written anew meanwhile', async () => {
    await refuseChanges('fails');
    await rename('Renamed');
    await page.getByRole('textbox', { name: /^Markdown of/ }).fill('# Uno\n\nAnew.');
    await expect.poll(state).toContain('kept on this device');
    await page.goto('about:blank');
    await page.unrouteAll();
    await desk.open(page, made);
    await expect.poll(stored, { timeout: 60_000 }).toEqual([before, 'Renamed', 'Two', 'Three']);
    await expect.poll(async () => (await desk.stored(made)).pages[0]!.markdown).toBe('# Uno\n\nAnew.');
  });
});

it('a visitor’s page title is kept too, survives a reload, and is saved later', async () => {
  await begin({ title: 'Open', openEditing: true, ...pagesNamed('One', 'Two') });
  await page.goto(`${desk.service.origin}/n/${made.slug}/edit`);
  await button('Rename One').waitFor();
  await refuseChanges('fails');
  await rename('Renamed');
  await expect.poll(note).toBe(1);
  await page.reload();
  await expect.poll(titles).toEqual(['Renamed', 'Two']);
  expect(await stored()).toEqual(['Open', 'One', 'Two']);
  await page.unrouteAll();
  await expect.poll(stored, { timeout: 60_000 }).toEqual(['Open', 'Renamed', 'Two']);
  await expect.poll(note).toBe(0);
  await desk.context.close();
});

describe('in an editor of its own', () => {
  beforeEach(open);
  afterEach(() => desk.context.close());

  it('what an owner’s window kept is left to the owner by a visitor’s, in the same browser', async () => {
    await desk.change(made, { openEditing: true, visibility: 'unlisted' });
    await refuseChanges('fails');
    await title().fill('Owner’s');
    await title().press('Enter');
    await expect.poll(note).toBe(1);
    await page.goto(`${desk.service.origin}/n/${made.slug}/edit`);
    await page.evaluate(() => localStorage.clear());
    await page.unrouteAll();
    await page.reload();
    await button('Rename One').waitFor();
    await rename('Visited');
    await expect.poll(stored).toEqual(['Desk', 'Visited', 'Two', 'Three']);
    await page.goto(`${desk.service.origin}/e/${made.editToken}`);
    await expect.poll(stored, { timeout: 60_000 }).toEqual(['Owner’s', 'Visited', 'Two', 'Three']);
  });

  it('a title that is refused is not kept, and its field says why', async () => {
    await page.route('**/api/notebooks/*', route =>
      route.fulfill({ status: 422, json: { title: 'No.', detail: 'not today', code: 'invalid' } }),
    );
    await title().fill('Refused');
    await title().press('Enter');
    await page.getByRole('alert').filter({ hasText: 'The title was not saved.' }).waitFor();
    await expect.poll(note).toBe(0);
  });
});
