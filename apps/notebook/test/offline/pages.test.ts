import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { crash } from '../support/crash.ts';
import type { Made } from '../support/service-process.ts';
import { Middlebox } from '../sync/middlebox.ts';
import type { StoredPage } from '../sync/writer.ts';
import { recordsIn } from './copies.ts';
import { ServiceOnLine } from './service-on-line.ts';

const pollOptions = { timeout: 60_000, interval: 100 };

/** What is done to the list of pages while the server is gone, by the owner's browser. */
describe('the server ended', () => {
  let octavo: ServiceOnLine;
  let context: BrowserContext;
  let page: Page;
  let made: Made;

  const beOnline = (window = page) => window.evaluate(() => dispatchEvent(new Event('online')));

  beforeAll(async () => {
    octavo = await ServiceOnLine.start();
    context = await octavo.browser.newContext();
    // The seconds in which a deletion can be taken back pass at the word of the test.
    await context.clock.install();
  }, 120_000);
  afterAll(() => octavo?.close());
  beforeEach(async () => {
    await octavo.beThere();
    page = await newWindow();
  }, 120_000);
  afterEach(async () => {
    for (const window of context?.pages() ?? []) await window.close();
  });

  async function newWindow(): Promise<Page> {
    const window = await context.newPage();
    window.setDefaultTimeout(60_000);
    return window;
  }

  /** Opened by its owner, who wrote in it, so that this browser keeps it. */
  async function own(titles: readonly string[], body: object = {}): Promise<void> {
    made = await octavo.create({ pages: titles.map(title => ({ markdown: `# ${title}\n` })), ...body });
    await page.goto(`${octavo.origin}/e/${made.editToken}`);
    await field().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Words.');
    await page.keyboard.press('Control+s');
    await expect.poll(() => page.locator('[data-save-state]').getAttribute('data-save-state'), pollOptions).toBe('saved');
  }
  const hasEditor = () => page.evaluate(async () => (await caches.match('/edit/offline')) !== undefined);
  const recordsOfIt = async () => (await recordsIn(page)).filter(key => key.startsWith(`${made.slug}/`));
  const isKept = async () => (await recordsOfIt()).some(key => key.endsWith('/notebook'));
  async function ownAndKept(): Promise<void> {
    await own(['One', 'Two', 'Three']);
    await expect.poll(hasEditor, pollOptions).toBe(true);
    await expect.poll(isKept, pollOptions).toBe(true);
  }

  const field = (window = page) => window.locator('.editor-pane:not([hidden]) textarea, #markdown-field').first();
  const button = (name: string, window = page) => window.getByRole('button', { name, exact: true });
  const titlesIn = async (window: Page) =>
    (await window.locator('.page-pick').allTextContents()).map(title => title.replace(' (not saved yet)', ''));
  const titles = () => titlesIn(page);
  const pick = (title: string, window = page) => window.locator('.page-pick', { hasText: new RegExp(`^${title}`) }).click();
  const ask = async (method: string, path: string, body?: object) =>
    fetch(`${octavo.serviceOrigin}/api${path}`, {
      method,
      headers: { 'x-edit-token': made.editToken, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const stored = async () => ((await (await ask('GET', '/notebook')).json()) as { pages: StoredPage[] }).pages;
  const storedTitles = async () => (await stored()).map(({ title }) => title);
  async function add(template: string, window = page): Promise<void> {
    await button('Add page', window).click();
    await button(template, window).click();
  }
  async function rename(title: string, to: string, window = page): Promise<void> {
    await pick(title, window);
    await button(`Rename ${title}`, window).click();
    await window.getByLabel('Page title').fill(to);
    await window.keyboard.press('Enter');
  }
  async function remove(title: string): Promise<void> {
    await pick(title);
    await button(`Delete ${title}`).click();
  }
  const waits = (window = page) => window.locator('.session-note', { hasText: 'What you changed in the list of pages' }).count();
  /** The time to take a deletion back is over, and the server was not there. */
  const isDeletedHere = async () => {
    const notice = page.locator('.deleted-notice');
    await notice.waitFor();
    // It stands still while the pointer is on the notice, which may have come up below it.
    await page.mouse.move(1, 1);
    const secondsLater = async () => {
      await context.clock.runFor(10_500);
      return notice.count();
    };
    await expect.poll(secondsLater, pollOptions).toBe(0);
    // It was tried, and waits.
    await expect.poll(() => waits(), pollOptions).toBe(1);
  };

  it('pages are added, renamed, moved and deleted, are there after a reload, and on the server when it is back', {
    timeout: 240_000,
  }, async () => {
    await ownAndKept();
    await octavo.kill();
    await page.goto(`${octavo.origin}/edit/${made.slug}`);
    await expect.poll(titles, pollOptions).toEqual(['One', 'Two', 'Three']);
    await add('Empty page');
    await expect.poll(titles, pollOptions).toEqual(['One', 'New page', 'Two', 'Three']);
    await field().fill('# Added offline\n\nIts words.');
    await rename('Three', 'Renamed offline');
    await button('Move Renamed offline up').click();
    await expect.poll(titles, pollOptions).toEqual(['One', 'New page', 'Renamed offline', 'Two']);
    await remove('Two');
    await isDeletedHere();
    await page.reload();
    await expect.poll(titles, pollOptions).toEqual(['One', 'New page', 'Renamed offline']);
    await expect.poll(() => waits(), pollOptions).toBe(1);
    await pick('New page');
    await expect.poll(() => field().inputValue(), pollOptions).toBe('# Added offline\n\nIts words.');
    await octavo.startAgain();
    await beOnline();
    await expect.poll(storedTitles, pollOptions).toEqual(['One', 'Added offline', 'Renamed offline']);
    await expect.poll(() => waits(), pollOptions).toBe(0);
    await expect.poll(titles, pollOptions).toEqual(['One', 'Added offline', 'Renamed offline']);
    expect((await stored())[1]!.markdown).toBe('# Added offline\n\nIts words.');
    // It is a page like any other from now on.
    await field().fill('# Added offline\n\nMore words.');
    await expect.poll(async () => (await stored())[1]?.markdown, pollOptions).toBe('# Added offline\n\nMore words.');
    await expect.poll(recordsOfIt, pollOptions).not.toContainEqual(expect.stringMatching(/changes|new-/));
  });

  it('pages that were added in two tabs are both saved, each once, and an empty one too', { timeout: 240_000 }, async () => {
    await ownAndKept();
    octavo.cut();
    const other = await newWindow();
    await other.goto(`${octavo.origin}/edit/${made.slug}`);
    await add('Meeting notes', other);
    await add('Empty page');
    await expect.poll(titles, pollOptions).toEqual(['One', 'New page', 'Two', 'Three']);
    await expect.poll(() => titlesIn(other), pollOptions).toEqual(['One', 'Meeting notes', 'Two', 'Three']);
    octavo.mend();
    await beOnline();
    await beOnline(other);
    await expect.poll(async () => (await stored()).length, pollOptions).toBe(5);
    await expect.poll(() => Promise.all([waits(), waits(other)]), pollOptions).toEqual([0, 0]);
    expect((await storedTitles()).sort()).toEqual(['Meeting notes', 'One', expect.stringMatching(/^Page [23]$/), 'Three', 'Two']);
  });

  it('pages that arrived while their answers were lost are not added again, and keep what was written in them since', {
    timeout: 240_000,
  }, async () => {
    const line = await Middlebox.start(octavo.serviceOrigin);
    try {
      octavo.lead(line.origin);
      await ownAndKept();
      line.mood = 'breaks answers';
      await add('Empty page');
      await expect.poll(titles, pollOptions).toEqual(['One', 'New page', 'Two', 'Three']);
      await add('Empty page');
      await expect.poll(titles, pollOptions).toEqual(['One', 'New page', 'New page', 'Two', 'Three']);
      await field().fill('Written in the second.');
      await add('Meeting notes');
      await rename('Meeting notes', 'Notes of today');
      await expect.poll(async () => (await stored()).length, pollOptions).toBe(6);
      line.mood = 'passes';
      await beOnline();
      await expect.poll(() => waits(), pollOptions).toBe(0);
      const inOrder = [
        'One',
        expect.stringMatching(/^Page \d$/),
        expect.stringMatching(/^Page \d$/),
        'Notes of today',
        'Two',
        'Three',
      ];
      await expect.poll(storedTitles, pollOptions).toEqual(inOrder);
      expect((await stored()).slice(1, 3).map(({ markdown }) => markdown)).toEqual(['', 'Written in the second.']);
      await expect.poll(async () => (await titles()).indexOf('Notes of today'), pollOptions).toBe(3);
      await expect.poll(async () => (await titles()).length, pollOptions).toBe(6);
    } finally {
      octavo.lead(octavo.serviceOrigin);
      await line.close();
    }
  });

  it('a title that is being typed stays in its field when the page arrives on the server, and is saved', {
    timeout: 240_000,
  }, async () => {
    await ownAndKept();
    octavo.cut();
    await add('Empty page');
    // Until then the field is that of the page before.
    await expect.poll(titles, pollOptions).toEqual(['One', 'New page', 'Two', 'Three']);
    await field().fill('# Added offline');
    await button('Rename New page').click();
    await page.getByLabel('Page title').fill('Half a ti');
    octavo.mend();
    await beOnline();
    await expect.poll(storedTitles, pollOptions).toEqual(['One', 'Added offline', 'Two', 'Three']);
    await expect.poll(() => waits(), pollOptions).toBe(0);
    await page.getByLabel('Page title').press('End');
    await page.keyboard.type('tle');
    await page.keyboard.press('Enter');
    await expect.poll(storedTitles, pollOptions).toEqual(['One', 'Half a title', 'Two', 'Three']);
    await expect.poll(titles, pollOptions).toEqual(['One', 'Half a title', 'Two', 'Three']);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), pollOptions).toBe('Half a title');
  });

  it('a title that is given while the page is on its way, or on a line that breaks again, is saved', {
    timeout: 240_000,
  }, async () => {
    await ownAndKept();
    octavo.cut();
    // Opened from the copy, it reads the list and adds the page in one go. An open editor that tries again by itself may add it first,
    // and then read a list that has it already.
    await page.goto(`${octavo.origin}/edit/${made.slug}`);
    await expect.poll(titles, pollOptions).toEqual(['One', 'Two', 'Three']);
    await add('Meeting notes');
    const adding = Promise.withResolvers<void>();
    let answers = 0;
    await page.route('**/api/notebooks/*/pages', async route => {
      const answer = await route.fetch().catch(() => undefined);
      if (!answer) return route.abort();
      answers += 1;
      await adding.promise;
      await route.fulfill({ response: answer });
    });
    octavo.mend();
    await beOnline();
    await expect.poll(() => answers, pollOptions).toBe(1);
    await rename('Meeting notes', 'Named meanwhile');
    let refused = 0;
    await page.route('**/api/notebooks/*/pages/*', async route => {
      refused += 1;
      await (refused === 1 ? route.abort('connectionreset') : route.continue());
    });
    adding.resolve();
    await expect.poll(() => refused, pollOptions).toBeGreaterThan(1);
    await expect.poll(storedTitles, pollOptions).toEqual(['One', 'Named meanwhile', 'Two', 'Three']);
    await expect.poll(titles, pollOptions).toEqual(['One', 'Named meanwhile', 'Two', 'Three']);
    await expect.poll(() => waits(), pollOptions).toBe(0);
  });

  it('words of a page that arrived before stay on this device until they are saved, also when the tab dies', {
    timeout: 240_000,
  }, async () => {
    const line = await Middlebox.start(octavo.serviceOrigin);
    try {
      octavo.lead(line.origin);
      await ownAndKept();
      line.mood = 'breaks answers';
      await add('Empty page');
      await expect.poll(titles, pollOptions).toEqual(['One', 'New page', 'Two', 'Three']);
      await field().fill('Written since.');
      await expect.poll(async () => (await stored()).length, pollOptions).toBe(4);
      // The page gets its id, and the save of its words meets no answer.
      await page.route('**/api/notebooks/*/pages/*', () => {});
      const saving = page.waitForRequest(request => request.method() === 'PATCH' && request.url().includes('/pages/'));
      line.mood = 'passes';
      await beOnline();
      await saving;
      const newTexts = async () => (await recordsOfIt()).filter(key => key.includes('/new-') && key.endsWith('/text'));
      await expect.poll(newTexts, pollOptions).toEqual([]);
      await crash(page);
      page = await newWindow();
      await page.goto(`${octavo.origin}/e/${made.editToken}`);
      await expect.poll(async () => (await stored())[1]?.markdown, pollOptions).toBe('Written since.');
    } finally {
      octavo.lead(octavo.serviceOrigin);
      await line.close();
    }
  });

  it('a page that was added and deleted is back by “Undo” with its title, though the network came back meanwhile', {
    timeout: 240_000,
  }, async () => {
    await ownAndKept();
    octavo.cut();
    await add('Empty page');
    await rename('New page', 'My notes');
    await rename('Three', 'Renamed');
    await remove('My notes');
    // While the pointer is on the notice, its time stands still.
    await page.locator('.deleted-notice').hover();
    octavo.mend();
    await beOnline();
    await expect.poll(storedTitles, pollOptions).toEqual(['One', 'Two', 'Renamed']);
    await page.locator('.deleted-notice button', { hasText: 'Undo' }).click();
    await expect.poll(storedTitles, pollOptions).toEqual(['One', 'My notes', 'Two', 'Renamed']);
    await expect.poll(() => waits(), pollOptions).toBe(0);
  });

  it('words of a page that was deleted offline and changed elsewhere are in it when it is back', {
    timeout: 240_000,
  }, async () => {
    await ownAndKept();
    octavo.cut();
    await pick('Two');
    await field().fill('# Two\n\nTyped before.');
    await remove('Two');
    await isDeletedHere();
    const two = (await stored()).find(({ title }) => title === 'Two')!;
    const elsewhere = await ask('PATCH', `/notebooks/${made.slug}/pages/${two.id}`, { markdown: '# Two, elsewhere\n' });
    expect(elsewhere.status).toBe(200);
    octavo.mend();
    await beOnline();
    await page.getByText('A page that you deleted offline is back: it was changed elsewhere meanwhile.').waitFor();
    await expect
      .poll(async () => (await stored()).find(({ id }) => id === two.id)?.markdown, pollOptions)
      .toBe('# Two, elsewhere\n\nTyped before.');
  });

  it('what others did meanwhile is kept: a page that was changed elsewhere is back, and it is said', {
    timeout: 240_000,
  }, async () => {
    await ownAndKept();
    octavo.cut();
    await remove('Two');
    await isDeletedHere();
    await pick('Three');
    await button('Move Three up').click();
    await expect.poll(titles, pollOptions).toEqual(['Three', 'One']);
    // The window is closed: else it might delete the page as soon as there is a server, before anybody changed it.
    await page.goto('about:blank');
    octavo.mend();
    const two = (await stored()).find(({ title }) => title === 'Two')!;
    await ask('PATCH', `/notebooks/${made.slug}/pages/${two.id}`, { markdown: '# Two\n\nFrom elsewhere.' });
    await ask('POST', `/notebooks/${made.slug}/pages`, { markdown: '# Theirs', after: two.id });
    await page.goto(`${octavo.origin}/edit/${made.slug}`);
    await page.getByText('A page that you deleted offline is back: it was changed elsewhere meanwhile.').waitFor();
    await expect.poll(titles, pollOptions).toEqual(expect.arrayContaining(['One', 'Two', 'Three', 'Theirs']));
    await expect.poll(async () => (await storedTitles()).indexOf('Three'), pollOptions).toBe(0);
    expect((await storedTitles()).sort()).toEqual(['One', 'Theirs', 'Three', 'Two']);
    expect((await stored()).find(({ title }) => title === 'Two')!.markdown).toContain('From elsewhere.');
  });

  it('an edit link that this browser knows opens the editor, and nothing keeps its token', { timeout: 120_000 }, async () => {
    await ownAndKept();
    octavo.cut();
    await page.goto(`${octavo.origin}/e/${made.editToken}`);
    await expect.poll(titles, pollOptions).toEqual(['One', 'Two', 'Three']);
    await expect.poll(() => new URL(page.url()).pathname, pollOptions).toBe(`/edit/${made.slug}`);
    const everything = await page.evaluate(async () => {
      const texts: string[] = [];
      for (const name of await caches.keys())
        for (const key of await (await caches.open(name)).keys()) texts.push(key.url, await (await caches.match(key))!.text());
      return texts.join('\n');
    });
    expect(everything).not.toContain(made.editToken);
    await page.goto(`${octavo.origin}/e/${'x'.repeat(43)}`);
    await page.getByText('The server cannot be reached.').first().waitFor();
  });

  it('can be installed: Chromium misses nothing, and reads the manifest without a fault', { timeout: 120_000 }, async () => {
    await own(['One']);
    const devtools = await context.newCDPSession(page);
    const missing = async () => {
      const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
      // Every window that a test opens is one.
      return installabilityErrors.map(({ errorId }) => errorId).filter(id => id !== 'in-incognito');
    };
    await expect.poll(missing, pollOptions).toEqual([]);
    const { url, errors, data } = await devtools.send('Page.getAppManifest');
    expect([url, errors]).toEqual([`${octavo.origin}/site.webmanifest`, []]);
    expect(JSON.parse(data!)).toMatchObject({ start_url: '/', display: 'standalone' });
  });

  it('nothing waits for a private notebook: the change is refused in words, and nothing of it is kept', {
    timeout: 120_000,
  }, async () => {
    await own(['Secret one', 'Secret two'], { visibility: 'private' });
    octavo.cut();
    await add('Empty page');
    await page.locator('.page-list-said', { hasText: 'The server cannot be reached.' }).waitFor();
    await expect.poll(titles, pollOptions).toEqual(['Secret one', 'Secret two']);
    // The draft of what was written before goes a moment after it was saved.
    await expect.poll(recordsOfIt, pollOptions).toEqual([]);
  });
});
