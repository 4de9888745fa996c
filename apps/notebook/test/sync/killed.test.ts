import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProfile, startChromiumProcess } from '../support/killable-chromium.ts';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import { ClosedTabs } from './closed-tab.ts';
import { withClock } from './lasting-windows.ts';
import { Elsewhere, eventually, Writer } from './writer.ts';

// Restarts take their time, on a busy machine more of it.
vi.setConfig({ testTimeout: 120_000 });

let octavo: ServiceInBrowser;
let context: BrowserContext;
let elsewhere: Elsewhere;

beforeAll(async () => {
  octavo = await ServiceInBrowser.start();
});
afterAll(() => octavo?.close());
beforeEach(async () => {
  elsewhere = new Elsewhere(octavo.origin, await octavo.create({ pages: [{ markdown: '# One\n\nfirst text' }] }));
  context = await withClock(octavo.browser.newContext());
});
afterEach(() => context.close());

it('what is typed while the server is killed is saved when it is back, with one snapshot and no duplicate', async () => {
  const writer = await Writer.open(context, elsewhere);
  await writer.typeAfter('first text', ', saved');
  await writer.comesTo('saved');
  await octavo.service.kill('SIGKILL');
  await writer.typeAfter('saved', ', typed without a server');
  await writer.comesToSay('The server can’t be reached – kept on this device');
  await writer.typeAfter('server', ', and on');
  await octavo.startAgain();
  await writer.comesTo('saved');
  const text = '# One\n\nfirst text, saved, typed without a server, and on';
  await expect.poll(() => writer.text()).toBe(text);
  await expect.poll(async () => (await elsewhere.pages()).map(page => page.markdown)).toEqual([text]);
  await expect.poll(() => elsewhere.snapshots()).toBe(1);
  await eventually(() => writer.drafts()).toEqual([]);
});

it('the server is killed between keeping a save and answering it: no conflict with oneself', async () => {
  const writer = await Writer.open(context, elsewhere);
  // The save arrives and its answer is lost.
  await writer.page.route('**/pages/*', async route => {
    await route.fetch().catch(() => {});
    await route.abort('connectionreset').catch(() => {});
  });
  await writer.typeAfter('first text', ', arrived');
  await writer.comesTo('waiting');
  await writer.typeAfter('arrived', ', and on');
  await writer.vanish();
  await expect.poll(() => elsewhere.text()).toContain('first text, arrived');
  const again = await Writer.open(context, elsewhere);
  await again.comesTo('saved');
  await expect.poll(() => elsewhere.text()).toBe('# One\n\nfirst text, arrived, and on');
  await expect.poll(() => again.button('Keep mine').count()).toBe(0);
});

describe('the browser is killed', () => {
  it('in the middle of typing: the text is there when it is started again', async () => {
    const profile = await createProfile();
    let killed = await startChromiumProcess(profile.folder);
    const before = await Writer.open(killed.browser.contexts()[0]!, elsewhere);
    await before.holdSaves();
    await before.field.focus();
    await before.field.press('Control+End');
    let typed = '';
    for (let key = 0; key < 40; key += 1) {
      await before.page.keyboard.type(String(key % 10));
      typed += key % 10;
    }
    // What a kill may cost: the moment for which keys are gathered, and the write.
    await eventually(async () => (await before.drafts()).some(draft => draft.endsWith(typed))).toBe(true);
    await before.page.keyboard.type('x');
    await killed.kill();
    await expect.poll(() => elsewhere.text()).toBe('# One\n\nfirst text');

    killed = await startChromiumProcess(profile.folder);
    const after = await Writer.open(killed.browser.contexts()[0]!, elsewhere);
    await after.says(/Unsaved text from .* was restored/);
    await expect.poll(() => after.text()).toMatch(new RegExp(`first text${typed}x?$`));
    await after.state('saved');
    await expect.poll(() => elsewhere.text()).toContain(typed);
    await killed.kill();
    await profile.remove();
  });
});

describe('a tab that was closed offline', () => {
  const tabs = new ClosedTabs('first text');
  const leaveOffline = (typed: string) => tabs.leave(context, elsewhere, typed);

  it('is taken up again and said so; what the server had is one press away, and back by undo', async () => {
    await leaveOffline(', never sent');
    const writer = await Writer.open(context, elsewhere);
    await writer.says(/Unsaved text from .* was restored/);
    await expect.poll(() => writer.text()).toBe('# One\n\nfirst text, never sent');
    await writer.comesTo('saved');
    await expect.poll(() => elsewhere.text()).toBe('# One\n\nfirst text, never sent');
    await expect.poll(() => elsewhere.snapshots()).toBe(1);
    await writer.button('Show what the server had').click();
    await expect.poll(() => writer.text()).toBe('# One\n\nfirst text');
    await writer.field.focus();
    await writer.page.keyboard.press('Control+z');
    await expect.poll(() => writer.text()).toBe('# One\n\nfirst text, never sent');
  });

  it('is taken up also while the browser has not let go of it', async () => {
    await holdTab(context, elsewhere.origin, await leaveOffline(', never sent'));
    const writer = await Writer.open(context, elsewhere);
    await writer.says(/Unsaved text from .* was restored/);
    await expect.poll(() => writer.text()).toBe('# One\n\nfirst text, never sent');
  });

  it('is taken up while one writes, where the browser keeps hold of it for longer', async () => {
    const ending = await holdTab(context, elsewhere.origin, await leaveOffline(', never sent'), 'when told');
    const writer = await Writer.openLater(context, elsewhere);
    await writer.typeAfter('# One', ' and only');
    await expect.poll(() => writer.text()).toBe('# One and only\n\nfirst text');
    await ending.letGo();
    await writer.says(/Unsaved text from .* was restored/);
    await expect.poll(() => writer.text()).toBe('# One and only\n\nfirst text, never sent');
    await writer.comesTo('saved');
    await expect.poll(() => elsewhere.text()).toBe('# One and only\n\nfirst text, never sent');
    await eventually(() => writer.drafts()).toEqual([]);
  });

  it('and changed what is written now is offered beside it, where the browser keeps hold of it for longer', async () => {
    const ending = await holdTab(context, elsewhere.origin, await leaveOffline(', never sent'), 'when told');
    const writer = await Writer.openLater(context, elsewhere);
    await writer.typeAfter('first text', ', other words');
    await expect.poll(() => writer.text()).toBe('# One\n\nfirst text, other words');
    await ending.letGo();
    await writer.button('Look at it').click();
    await writer.says('first text, never sent');
    await expect.poll(() => writer.text()).toBe('# One\n\nfirst text, other words');
  });

  it('is merged with what others wrote meanwhile', async () => {
    await leaveOffline(', mine');
    await elsewhere.save('# One\n\nfirst text\n\ntheirs');
    const writer = await Writer.open(context, elsewhere);
    await writer.comesToSay('Changes from elsewhere were merged in.');
    await writer.comesTo('saved');
    await expect.poll(() => elsewhere.text()).toBe('# One\n\nfirst text, mine\n\ntheirs');
  });

  it('is merged also where local storage had no room for what it was made from', async () => {
    await leaveOffline(', mine');
    const window = await context.newPage();
    await window.goto(`${elsewhere.origin}/robots.txt`);
    await window.evaluate(() => {
      const key = Object.keys(localStorage).find(name => name.startsWith('octavo.draft.'))!;
      const { baseMarkdown: _base, sent: _sent, ...text } = JSON.parse(localStorage.getItem(key)!) as Record<string, unknown>;
      localStorage.setItem(key, JSON.stringify(text));
    });
    await elsewhere.save('# One\n\nfirst text\n\ntheirs');
    const writer = await Writer.open(context, elsewhere);
    await writer.comesToSay('Changes from elsewhere were merged in.');
    await writer.comesTo('saved');
    await expect.poll(() => elsewhere.text()).toBe('# One\n\nfirst text, mine\n\ntheirs');
  });

  it('is a choice when both changed the same words', async () => {
    await leaveOffline(', mine');
    await elsewhere.save('# One\n\nfirst text, theirs');
    const writer = await Writer.open(context, elsewhere);
    await writer.button('Keep mine').waitFor();
    await expect.poll(() => elsewhere.text()).toBe('# One\n\nfirst text, theirs');
  });

  it('is offered as a new page when its page is gone', async () => {
    await elsewhere.addPage('# Two');
    await leaveOffline(', of a page that goes');
    await elsewhere.deletePage(elsewhere.made.pageId);
    const writer = await Writer.open(context, elsewhere);
    await writer.button('Look at it').click();
    await writer.says('first text, of a page that goes');
    await writer.button('Add as a new page').click();
    await eventually(async () => (await elsewhere.pages()).map(page => page.markdown)).toEqual([
      '# Two',
      '# One\n\nfirst text, of a page that goes',
    ]);
    await eventually(() => writer.drafts()).toEqual([]);
  });

  it('of an older version, which kept drafts in local storage, is taken up too', async () => {
    const window = await context.newPage();
    await window.goto(`${elsewhere.origin}/robots.txt`);
    await window.evaluate(
      ({ slug, pageId }) =>
        localStorage.setItem(
          `octavo.draft.${slug}/${pageId}/0123456789ab`,
          JSON.stringify({ pageId, markdown: '# One\n\nleft by an older version', baseRevision: 1, changedAt: Date.now() }),
        ),
      elsewhere.made,
    );
    await window.close();
    const writer = await Writer.open(context, elsewhere);
    await writer.says(/Unsaved text from .* was restored/);
    await writer.comesTo('saved');
    await expect.poll(() => elsewhere.text()).toBe('# One\n\nleft by an older version');
    await eventually(() => writer.drafts()).toEqual([]);
  });
});

/**
 * A window that keeps the lock of a closed tab, as a browser does for a moment after it is closed: until another asks for it, or until it
 * is told. It looks by itself, since the editor waits for seconds only.
 */
async function holdTab(context: BrowserContext, origin: string, tab: string, letsGo: 'when asked' | 'when told' = 'when asked') {
  const window = await context.newPage();
  await window.goto(`${origin}/robots.txt`);
  await window.evaluate(
    ([name, when]) =>
      new Promise<void>(held => {
        const isAskedFor = async () => {
          const { pending = [] } = await navigator.locks.query();
          return pending.some(lock => lock.name === name);
        };
        void navigator.locks.request(name!, () => {
          held();
          return new Promise<void>(letGo => {
            if (when === 'when told') return void addEventListener('let-go', () => letGo());
            const look = setInterval(async () => {
              if (!(await isAskedFor())) return;
              clearInterval(look);
              letGo();
            }, 20);
          });
        });
      }),
    [`octavo.tab.${tab}`, letsGo],
  );
  return { letGo: () => window.evaluate(() => void dispatchEvent(new Event('let-go'))) };
}
