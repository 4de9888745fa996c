import { readFile } from 'node:fs/promises';
import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { routeFirst } from '../support/route-first.ts';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import { ClosedTabs } from './closed-tab.ts';
import { LastingWindows, withClock } from './lasting-windows.ts';
import { Elsewhere, eventually, Writer } from './writer.ts';

// A busy machine takes its time to open windows.
vi.setConfig({ testTimeout: 120_000 });

const twoPages = [{ markdown: '# One\n\ntext' }, { markdown: '# Two' }];

let octavo: ServiceInBrowser;
/** This test's own, or that of windows which many tests share. */
let context: BrowserContext;
let elsewhere: Elsewhere;
let writer: Writer;

beforeAll(async () => {
  octavo = await ServiceInBrowser.start();
});
afterAll(() => octavo?.close());
/** For what leaves something in the browser, or needs a notebook of its own. */
function inOwnBrowser(): void {
  beforeEach(async () => {
    elsewhere = new Elsewhere(octavo.origin, await octavo.create({ pages: twoPages }));
    context = await newContext();
  });
  afterEach(() => context.close());
}
/** One window for the tests of a group, with fresh pages for each. */
function inOneWindow(open = newContext): LastingWindows {
  const windows = LastingWindows.forTestsHere({ octavo: () => octavo, pages: twoPages, count: 1, newContext: open });
  beforeEach(() => {
    ({ context, elsewhere, first: writer } = windows);
  });
  return windows;
}

/** The window closes while it is offline. With a connection, the next one saves what this browser kept. */
async function comesBack(windows: LastingWindows): Promise<void> {
  await writer.vanish();
  await context.setOffline(false);
  const again = await Writer.open(context, elsewhere);
  windows.first = again;
  await again.says(/Unsaved text from .* was restored/);
  await again.comesTo('saved');
}

const newContext = () =>
  withClock(octavo.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], acceptDownloads: true }));

/** IndexedDB refuses as browsers do: blocked at the door, or full at the write. */
async function newContextWithoutDatabase(how: 'blocked' | 'full'): Promise<BrowserContext> {
  const made = await newContext();
  await made.addInitScript(kind => {
    if (kind === 'blocked') {
      IDBFactory.prototype.open = () => {
        throw new DOMException('blocked', 'SecurityError');
      };
    } else {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    }
  }, how);
  return made;
}

/** In the page: local storage takes nothing more. */
function fillLocalStorage(): void {
  Storage.prototype.setItem = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
}

/** In the page: neither the database nor local storage takes anything more. */
function fillStorage(): void {
  const refuse = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  IDBObjectStore.prototype.put = refuse;
  Storage.prototype.setItem = refuse;
}

describe.each(['blocked', 'full'] as const)('the browser’s database is %s', how => {
  const windows = inOneWindow(() => newContextWithoutDatabase(how));

  it('drafts go to local storage, and nobody is bothered', async () => {
    await context.setOffline(true);
    await writer.typeAfter('text', ', kept all the same');
    await writer.comesToSay('Offline – kept on this device');
    await comesBack(windows);
    expect(await elsewhere.text()).toBe('# One\n\ntext, kept all the same');
  });

  it('and local storage too: said once, and writing goes on', async () => {
    await writer.page.evaluate(fillLocalStorage);
    await writer.typeAfter('text', ', not kept');
    await writer.comesToSay('This browser keeps nothing on this device.');
    await writer.comesTo('saved');
    expect(await elsewhere.text()).toBe('# One\n\ntext, not kept');
    await writer.button('Dismiss').click();
    await writer.typeAfter('kept', ', and on');
    await writer.comesTo('saved');
    await expect.poll(() => writer.page.getByText('This browser keeps nothing').count()).toBe(0);
    await context.setOffline(true);
    await writer.typeAfter('on', ' and on');
    await writer.comesToSay('Offline – not kept on this device: do not close this window');
    // It keeps nothing for the tests after this one either.
    await writer.page.close();
  });
});

describe('text of a closed tab', () => {
  inOwnBrowser();
  const tabs = new ClosedTabs('text');

  it('stays stored while this browser keeps nothing more and the server does not have it', async () => {
    await tabs.leave(context, elsewhere, ', left behind');
    for (const put of ['full', 'full', 'free']) {
      const page = await context.newPage();
      if (put === 'full') await page.addInitScript(fillStorage);
      if (put === 'full') await page.route('**/pages/*', route => route.abort('connectionreset'));
      const again = new Writer(page);
      await page.goto(`${octavo.origin}/e/${elsewhere.made.editToken}`);
      await again.says(/Unsaved text from .* was restored/);
      await again.comesTo(put === 'full' ? 'waiting' : 'saved');
      await again.vanish();
    }
    expect(await elsewhere.text()).toBe('# One\n\ntext, left behind');
  });

  it('goes once the server has it, though this browser keeps nothing more', async () => {
    await tabs.leave(context, elsewhere, ', left behind');
    const page = await context.newPage();
    await page.addInitScript(fillStorage);
    const again = new Writer(page);
    await page.goto(`${octavo.origin}/e/${elsewhere.made.editToken}`);
    await again.says(/Unsaved text from .* was restored/);
    await again.comesTo('saved');
    await eventually(() => again.drafts()).toEqual([]);
  });
});

describe('a visitor whose unlocking ended', () => {
  inOwnBrowser();

  it('is told so, and the same window saves once it is unlocked again', async () => {
    const { slug } = elsewhere.made;
    await elsewhere.changeSettings({ openEditing: true, password: 'key' });
    const unlock = () => context.request.post(`${octavo.origin}/api/notebooks/${slug}/unlock`, { data: { password: 'key' } });
    await unlock();
    const visitor = new Writer(await context.newPage());
    await visitor.page.goto(`${octavo.origin}/n/${slug}/edit`);
    await visitor.field.waitFor();
    await context.clearCookies();
    await visitor.typeAfter('text', ', of a visitor');
    await visitor.comesToSay('This notebook asks for its password again. Unlock it in another tab, then come back here.');
    const unlockLink = visitor.page.getByRole('link', { name: 'Unlock it' });
    await eventually(() => unlockLink.getAttribute('href')).toBe(`/n/${slug}`);
    await unlock();
    await visitor.page.evaluate(() => dispatchEvent(new Event('focus')));
    await visitor.comesTo('saved');
    await eventually(() => elsewhere.text()).toBe('# One\n\ntext, of a visitor');
    await eventually(() => visitor.page.getByText('asks for its password again').count()).toBe(0);
  });
});

describe('nothing is left to save to', () => {
  inOwnBrowser();
  beforeEach(async () => {
    writer = await Writer.open(context, elsewhere);
  });

  it('the notebook is deleted elsewhere: the text stays, to copy and to download, also after the tab is closed', async () => {
    await elsewhere.deleteNotebook();
    await writer.typeAfter('text', ', written in vain?');
    await writer.comesToSay('This notebook can’t be opened any more');
    await writer.comesToSay('Cannot be saved – kept on this device');
    await writer.button('Copy or download the text').click();
    const first = writer.page.locator('.kept-texts li').first();
    await first.getByRole('button', { name: 'Copy' }).click();
    await first.getByText('Copied.').waitFor();
    expect(await writer.page.evaluate(() => navigator.clipboard.readText())).toBe('# One\n\ntext, written in vain?');
    const download = writer.page.waitForEvent('download');
    await first.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('One.md');
    expect(await readFile(await (await download).path(), 'utf8')).toBe('# One\n\ntext, written in vain?');
    await writer.vanish();

    const again = new Writer(await context.newPage());
    await again.page.goto(`${octavo.origin}/edit/${elsewhere.made.slug}`);
    await again.says('This edit link no longer works');
    await again.says('text, written in vain?');
    await again.button('Discard').click();
    await again.page.getByText('written in vain?').waitFor({ state: 'detached' });
    expect(await again.drafts()).toEqual([]);
  });

  it('two texts that are discarded in one moment both stay discarded', async () => {
    await context.setOffline(true);
    await writer.typeAfter('text', ', of the first');
    await writer.page.locator('.page-pick').nth(1).click();
    await writer.typeAfter('# Two', ', of the second');
    await eventually(async () => (await writer.drafts()).length).toBe(2);
    await elsewhere.deleteNotebook();
    await writer.vanish();
    await context.setOffline(false);

    const again = new Writer(await context.newPage());
    await again.page.goto(`${octavo.origin}/edit/${elsewhere.made.slug}`);
    await again.says('of the first');
    const discards = again.button('Discard');
    await eventually(() => discards.count()).toBe(2);
    await discards.evaluateAll((buttons: HTMLElement[]) => {
      for (const button of buttons) button.click();
    });
    await again.page.getByText('Unsaved text kept on this device').waitFor({ state: 'detached' });
    expect(await again.drafts()).toEqual([]);
  });
});

describe('in one window', () => {
  const windows = inOneWindow();

  describe('nothing is left to save a page to', () => {
    it('its page is deleted elsewhere while there is unsaved text: it can become a new page', async () => {
      await context.setOffline(true);
      await writer.typeAfter('text', ', mine alone');
      await elsewhere.deletePage(elsewhere.made.pageId);
      await context.setOffline(false);
      await writer.comesToSay('was deleted elsewhere. What you wrote is kept on this device.');
      expect(await writer.text()).toBe('# One\n\ntext, mine alone');
      await writer.button('Add it as a new page').click();
      await writer.comesTo('saved');
      await eventually(async () => (await elsewhere.pages()).map(page => page.markdown).sort()).toEqual([
        '# One\n\ntext, mine alone',
        '# Two',
      ]);
      await eventually(() => writer.drafts()).toEqual([]);
    });

    it('words that are written while it becomes one go along', async () => {
      const { promise: typed, resolve: answer } = Promise.withResolvers<void>();
      await writer.page.route('**/pages', async route => {
        const response = await route.fetch();
        await typed;
        await route.fulfill({ response });
      });
      await loseFirstPage();
      const asked = writer.page.waitForRequest('**/pages');
      await writer.button('Add it as a new page').click();
      await asked;
      await writer.typeAfter('mine alone', ', and on');
      answer();
      await eventually(async () => (await elsewhere.pages()).map(page => page.markdown).sort()).toEqual([
        '# One\n\ntext, mine alone, and on',
        '# Two',
      ]);
    });

    it('words that are written after a try whose answer was lost are added, too', async () => {
      await routeFirst(writer.page, '**/pages', async route => {
        await route.fetch();
        await route.abort('connectionreset');
      });
      await loseFirstPage();
      await writer.button('Add it as a new page').click();
      await writer.says('The server cannot be reached.');
      await writer.typeAfter('mine alone', ', and on');
      await writer.button('Add it as a new page').click();
      await eventually(async () => (await elsewhere.pages()).map(page => page.markdown)).toContain(
        '# One\n\ntext, mine alone, and on',
      );
      await writer.comesTo('saved');
      expect(await writer.text()).toBe('# One\n\ntext, mine alone, and on');
    });

    async function loseFirstPage(): Promise<void> {
      await context.setOffline(true);
      await writer.typeAfter('text', ', mine alone');
      await elsewhere.deletePage(elsewhere.made.pageId);
      await context.setOffline(false);
      await writer.comesToSay('was deleted elsewhere. What you wrote is kept on this device.');
    }

    it('and a save of it that was on its way is refused after that: it stays so', async () => {
      const { promise: listed, resolve: release } = Promise.withResolvers<void>();
      await writer.page.route('**/pages/*', async route => {
        await listed;
        await route.continue();
      });
      await writer.typeAfter('text', ', mine alone');
      const sent = writer.page.waitForRequest('**/pages/*');
      await writer.page.keyboard.press('Control+s');
      await sent;
      await elsewhere.deletePage(elsewhere.made.pageId);
      await writer.page.evaluate(() => dispatchEvent(new Event('online')));
      await writer.comesToSay('was deleted elsewhere. What you wrote is kept on this device.');
      const refused = writer.page.waitForResponse('**/pages/*');
      release();
      expect((await refused).status()).toBe(404);
      await (await refused).finished();
      await writer.page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
      await expect.poll(() => writer.page.locator('[data-save-state]').getAttribute('data-save-state')).toBe('lost');
      await writer.button('Add it as a new page').click();
      await writer.comesTo('saved');
      expect((await elsewhere.pages()).map(page => page.markdown).sort()).toEqual(['# One\n\ntext, mine alone', '# Two']);
    });

    it('and the list of pages that was on its way is older than that: it is asked for again', async () => {
      const save = writer.page.waitForResponse('**/pages/*');
      const { promise: seen, resolve: see } = Promise.withResolvers<void>();
      let times = 0;
      await writer.page.route('**/api/notebook', async route => {
        times += 1;
        if (times > 1) return route.continue();
        const old = await route.fetch();
        see();
        await save;
        await route.fulfill({ response: old });
      });
      await writer.page.evaluate(() => dispatchEvent(new Event('online')));
      await seen;
      await elsewhere.deletePage(elsewhere.made.pageId);
      await writer.typeAfter('text', ', mine alone');
      await writer.page.keyboard.press('Control+s');
      await writer.comesToSay('was deleted elsewhere. What you wrote is kept on this device.');
      await writer.comesTo('lost');
    });

    it('its page is deleted elsewhere with nothing unsaved: the next one is shown, and it is said', async () => {
      await elsewhere.deletePage(elsewhere.made.pageId);
      await writer.page.evaluate(() => dispatchEvent(new Event('online')));
      await writer.says('“One” was deleted elsewhere.');
      expect(await writer.text()).toBe('# Two');
      await writer.comesTo('saved');
    });

    describe('where the keyboard is', () => {
      const focused = () => writer.page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName);

      it('when the page that one writes in is deleted elsewhere: no key goes into another text, and the next Tab goes on', async () => {
        await writer.field.focus();
        await elsewhere.deletePage(elsewhere.made.pageId);
        await writer.page.evaluate(() => dispatchEvent(new Event('online')));
        await eventually(focused).toBe('main');
        await writer.page.keyboard.type('into nothing');
        expect(await writer.text()).toBe('# Two');
        await writer.page.keyboard.press('Tab');
        expect(await writer.page.evaluate(() => document.activeElement?.closest('#main') !== null)).toBe(true);
        await writer.button('Dismiss').first().press('Enter');
        await eventually(focused).toBe('main');
      });

      it('when the last text of such a page is discarded', async () => {
        await loseFirstPage();
        await writer.comesToSay('was deleted elsewhere. What you wrote is kept on this device.');
        await writer.button('Discard it').press('Enter');
        await eventually(() => writer.text()).toBe('# Two');
        await eventually(focused).toBe('main');
      });
    });
  });

  it('text of a closed tab is the newest, though the clock was put back', async () => {
    await context.setOffline(true);
    await writer.typeAfter('text', ', one');
    await writer.page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide')));
    await eventually(() => writer.drafts()).toEqual([expect.stringMatching(/^octavo/), '# One\n\ntext, one']);
    await writer.page.evaluate(() => {
      const { now } = Date;
      Date.now = () => now() - 3_600_000;
    });
    await writer.typeAfter('one', ', two');
    await eventually(() => writer.drafts()).toContain('# One\n\ntext, one, two');
    await writer.page.evaluate(fillStorage);
    await comesBack(windows);
    expect(await elsewhere.text()).toBe('# One\n\ntext, one, two');
  });

  it('a browser that is full in the middle of writing keeps nothing of what is saved since', async () => {
    await context.setOffline(true);
    await writer.typeAfter('text', ', one');
    await eventually(() => writer.drafts()).toEqual(['# One\n\ntext, one']);
    await writer.page.evaluate(fillStorage);
    await writer.typeAfter('one', ', two');
    await writer.comesToSay('Offline – not kept on this device');
    await context.setOffline(false);
    await writer.comesTo('saved');
    await eventually(() => writer.drafts()).toEqual([]);
    // It keeps nothing for the tests after this one either.
    await writer.page.close();
  });
});
