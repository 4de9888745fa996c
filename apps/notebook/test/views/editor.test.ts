import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import type { Made } from '../support/service-process.ts';
import { Writer } from '../sync/writer.ts';

let octavo: ServiceInBrowser;
let context: BrowserContext;
let page: Page;
let made: Made;
const complaints: string[] = [];

beforeAll(async () => {
  octavo = await ServiceInBrowser.start();
});
afterAll(() => octavo?.close());
beforeEach(async () => {
  made = await octavo.create({
    title: 'Desk',
    pages: [{ markdown: '# One\n\nfirst text' }, { markdown: '# Two' }],
  });
  context = await octavo.browser.newContext();
  complaints.length = 0;
  page = await newPage();
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

async function newPage(): Promise<Page> {
  const opened = await context.newPage();
  opened.on('pageerror', error => complaints.push(error.message));
  opened.on('console', message => {
    // The browser reports each refused request and each lost connection by itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  return opened;
}

const field = (on: Page = page) => on.getByRole('textbox', { name: /^Markdown of/ });
const state = (kind: string) => page.locator(`[data-save-state="${kind}"]`).waitFor();
const version = (name: string) => page.getByRole('region', { name }).locator('pre').textContent();
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

async function open(on: Page = page): Promise<void> {
  await on.goto(`${octavo.origin}/e/${made.editToken}`);
  await field(on).waitFor();
}

async function stored(): Promise<{ title: string; pages: { id: string; title: string; markdown: string }[] }> {
  const answer = await fetch(`${octavo.origin}/api/notebook`, { headers: { 'x-edit-token': made.editToken } });
  return (await answer.json()) as Awaited<ReturnType<typeof stored>>;
}

/** Somebody else, with the same edit link. */
async function saveElsewhere(markdown: string): Promise<void> {
  const answer = await fetch(`${octavo.origin}/api/notebooks/${made.slug}/pages/${made.pageId}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-edit-token': made.editToken },
    body: JSON.stringify({ markdown }),
  });
  expect(answer.status).toBe(200);
}

const firstText = async () => (await stored()).pages[0]!.markdown;

describe('the title', () => {
  it('is the last one that was typed, though the one before is still on its way', async () => {
    await open();
    let send = () => {};
    const held = new Promise<void>(resolve => {
      send = resolve;
    });
    await page.route('**/api/notebooks/*', async route => {
      await held;
      await route.continue();
    });
    const title = page.getByRole('textbox', { name: 'Notebook title' });
    const asked = page.waitForRequest(request => request.method() === 'PATCH');
    await title.fill('Other');
    await title.press('Enter');
    await asked;
    await title.fill('Desk');
    await title.press('Enter');
    const saved = page.waitForResponse(answer => (answer.request().postData() ?? '').includes('Desk'));
    send();
    await saved;
    await expect.poll(async () => (await stored()).title).toBe('Desk');
    await expect.poll(() => title.inputValue()).toBe('Desk');
  });
});

describe('the edit token', () => {
  it('leaves the address once the browser keeps it', async () => {
    await open();
    expect(new URL(page.url()).pathname).toBe(`/edit/${made.slug}`);
    expect(await page.content()).not.toContain(made.editToken);
    await page.reload();
    await field().waitFor();
  });

  it('stays in the address when the browser keeps nothing, or a reload would lose it', async () => {
    await context.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
      IDBFactory.prototype.open = () => {
        throw new DOMException('blocked', 'SecurityError');
      };
    });
    await open();
    expect(new URL(page.url()).pathname).toBe(`/e/${made.editToken}`);
    await field().fill('typed');
    await page.getByText('not kept on this device').first().waitFor();
  });

  it('is asked for where the browser does not know it, as a link or bare', async () => {
    await page.goto(`${octavo.origin}/edit/${made.slug}`);
    await page.getByLabel('Edit link').fill('https://example.org/not-it');
    await button('Open the editor').click();
    await page.getByRole('alert').getByText('That is not an edit link').waitFor();
    await page.getByLabel('Edit link').fill(`  https://notes.example/e/${made.editToken}  `);
    await button('Open the editor').click();
    await field().waitFor();
  });

  it('leaves the address before the server has answered anything', async () => {
    await page.route('**/api/**', () => {});
    await page.goto(`${octavo.origin}/e/${made.editToken}`);
    await page.waitForURL(`${octavo.origin}/edit/${made.slug}`);
    await expect.poll(() => page.evaluate(() => history.length)).toBe(2);
    await page.unrouteAll();
    await page.reload();
    await field().waitFor();
  });

  it('stays in the address when the browser keeps only an older one', async () => {
    await open();
    const answer = await fetch(`${octavo.origin}/api/notebooks/${made.slug}/token`, {
      method: 'POST',
      headers: { 'x-edit-token': made.editToken },
    });
    made = { ...made, editToken: ((await answer.json()) as Made).editToken };
    await context.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await open();
    expect(new URL(page.url()).pathname).toBe(`/e/${made.editToken}`);
  });

  it('leaves the address of a print too: browsers print it on every sheet', async () => {
    await page.goto(`${octavo.origin}/e/${made.editToken}/print`);
    await page.waitForURL(`${octavo.origin}/n/${made.slug}/print`);
    expect(await page.content()).not.toContain(made.editToken);
    await page.getByRole('heading', { name: 'Desk' }).waitFor();
  });

  it('that opens nothing is said so, and stays in the list as gone: a server may be wrong for an hour', async () => {
    await open();
    await fetch(`${octavo.origin}/api/notebooks/${made.slug}/token`, {
      method: 'POST',
      headers: { 'x-edit-token': made.editToken },
    });
    await page.reload();
    await page.getByText('This edit link no longer works').waitFor();
    const kept = await page.evaluate(slug => localStorage.getItem(`octavo.notebook.${slug}`), made.slug);
    expect(JSON.parse(kept!)).toMatchObject({ editToken: made.editToken, seen: 'gone', title: 'Desk' });
  });

  it('is replaced by a new one on request, which works at once and after a reload', async () => {
    await open();
    await button('Share').click();
    await button('Replace the edit link').click();
    await button('Replace it').click();
    await page.getByText('The edit link is new').waitFor();
    const fresh = await page.getByLabel('Edit link').inputValue();
    expect(fresh).not.toContain(made.editToken);
    made = { ...made, editToken: fresh.split('/e/')[1]! };
    await page.keyboard.press('Escape');
    await field().fill('# after the change of links');
    await state('saved');
    await expect.poll(() => firstText()).toBe('# after the change of links');
    await page.reload();
    await field().waitFor();
  });
});

describe('saving', () => {
  it('happens by itself and shows its state', async () => {
    await open();
    await field().fill('# One\n\nsecond text');
    await state('unsaved');
    await state('saved');
    await expect.poll(() => firstText()).toBe('# One\n\nsecond text');
  });

  it('survives a lost connection: kept here, said so, sent when it is back', async () => {
    await open();
    await context.setOffline(true);
    await field().fill('written offline');
    await state('waiting');
    await page.getByText('kept on this device').first().waitFor();
    await expect.poll(() => firstText()).toContain('first text');
    await context.setOffline(false);
    await state('saved');
    await expect.poll(() => firstText()).toBe('written offline');
  });

  it('survives a window that is gone before anything was sent', async () => {
    await open();
    await context.setOffline(true);
    await field().fill('never sent');
    await state('unsaved');
    await new Writer(page).vanish();
    await context.setOffline(false);
    page = await newPage();
    await page.goto(`${octavo.origin}/edit/${made.slug}`);
    await state('saved');
    await expect.poll(() => field().inputValue()).toBe('never sent');
    await expect.poll(() => firstText()).toBe('never sent');
    await expect
      .poll(() => page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('octavo.draft'))))
      .toEqual([]);
  });

  it('a draft of an older text is shown beside the newer one, not saved over it', async () => {
    await open();
    await context.setOffline(true);
    await field().fill('mine, left behind');
    await state('unsaved');
    await new Writer(page).vanish();
    await context.setOffline(false);
    await saveElsewhere('theirs, meanwhile');
    page = await newPage();
    await page.goto(`${octavo.origin}/edit/${made.slug}`);
    await expect.poll(() => version('Your version')).toBe('mine, left behind');
    await expect.poll(() => version('Their version')).toBe('theirs, meanwhile');
    await expect.poll(() => firstText()).toBe('theirs, meanwhile');
  });

  it('warns before a window with unsaved text is closed', async () => {
    await open();
    await context.setOffline(true);
    await field().pressSequentially('x');
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    expect((await asked).type()).toBe('beforeunload');
    await (await asked).dismiss();
  });
});

describe('earlier versions', () => {
  it('show and restore the one that was chosen last, though the answer for an older choice comes later', async () => {
    await open();
    for (const text of ['second text', 'third text', 'fourth text']) {
      await field().fill(text);
      await page.keyboard.press('Control+s');
      await expect.poll(() => firstText()).toBe(text);
    }
    const late = Promise.withResolvers<void>();
    let held = 0;
    await page.route('**/snapshots/*', async route => {
      held += 1;
      if (held === 1) await late.promise;
      await route.continue();
    });
    await button('Versions').click();
    const versions = page.locator('.snapshot-list button');
    await expect.poll(() => versions.count()).toBe(3);
    await versions.nth(0).click();
    await expect.poll(() => held).toBe(1);
    await versions.nth(1).click();
    await expect.poll(() => version('This version')).toBe('second text');
    const answered = page.waitForResponse(/snapshots\//);
    late.resolve();
    await (await answered).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await expect.poll(() => version('This version')).toBe('second text');
    await expect.poll(() => versions.nth(1).getAttribute('aria-pressed')).toBe('true');
    await button('Restore this version').click();
    await expect.poll(() => firstText()).toBe('second text');
    await expect.poll(() => field().inputValue()).toBe('second text');
  });
});

describe('two writers on one page', () => {
  beforeEach(async () => {
    await open();
    await saveElsewhere('theirs');
    await field().fill('mine');
    await button('Keep mine').waitFor();
    await expect.poll(() => firstText()).toBe('theirs');
  });

  it('keep mine: theirs is a version', async () => {
    await button('Keep mine').click();
    await state('saved');
    await expect.poll(() => firstText()).toBe('mine');
    await button('Versions').click();
    await page.locator('.snapshot-list button').first().click();
    await page.getByRole('region', { name: 'This version' }).getByText('theirs', { exact: true }).waitFor();
  });

  it('keep theirs: mine comes back by undo', async () => {
    await button('Keep theirs').click();
    await state('saved');
    await expect.poll(() => field().inputValue()).toBe('theirs');
    await field().press('Control+z');
    await expect.poll(() => field().inputValue()).toBe('mine');
  });

  it('an earlier version is not restored over words that are in none', async () => {
    await page.keyboard.press('Escape');
    await button('Versions').click();
    await page.locator('.snapshot-list button').first().click();
    await button('Restore this version').click();
    await page.getByRole('alert').getByText('The newest text of this page is not saved.').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => field().inputValue()).toBe('mine');
    await button('Choose a version').click();
    await expect.poll(() => version('Your version')).toBe('mine');
    await expect.poll(() => firstText()).toBe('theirs');
  });

  it('closed without a choice: nothing is saved, and a bar leads back', async () => {
    await page.keyboard.press('Escape');
    await field().fill('mine, and on');
    await button('Choose a version').click();
    await expect.poll(() => version('Your version')).toBe('mine, and on');
    await expect.poll(() => firstText()).toBe('theirs');
  });
});

describe('print from the editor', () => {
  it.each(['unlisted', 'private'])(
    'shows what was just typed, of an %s notebook too, and no edit token in the address',
    async visibility => {
      await fetch(`${octavo.origin}/api/notebooks/${made.slug}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'x-edit-token': made.editToken },
        body: JSON.stringify({ visibility }),
      });
      await open();
      await field().fill('# One\n\ntyped a moment ago');
      await button('Export…').click();
      const opening = context.waitForEvent('page');
      await button('Print, or save as PDF').click();
      const print = await opening;
      await print.getByText('typed a moment ago').waitFor();
      await print.waitForURL(`${octavo.origin}/n/${made.slug}/print`);
      // The print view and no other, with no way back into the editor.
      await print.getByRole('button', { name: 'Print' }).waitFor();
      expect(await print.evaluate(() => window.opener)).toBe(null);
      await page.getByText('The print view is in a window of its own.').waitFor();
    },
  );

  it('says so when the browser blocked the window, and opens it once it does not', async () => {
    await page.addInitScript(() => {
      const open = window.open;
      window.open = () => null;
      addEventListener('allow-windows', () => {
        window.open = open;
      });
    });
    await open();
    await button('Export…').click();
    await button('Print, or save as PDF').click();
    await page.getByText('The browser blocked the window. Allow pop-ups for this site, then press again.').waitFor();
    await page.evaluate(() => dispatchEvent(new Event('allow-windows')));
    const opening = context.waitForEvent('page');
    await button('Print, or save as PDF').click();
    await (await opening).getByRole('button', { name: 'Print' }).waitFor();
    await expect.poll(() => page.getByText('The browser blocked the window.').count()).toBe(0);
  });
});

describe('the preview', () => {
  it('shows what readers will see, and runs nothing', async () => {
    await open();
    await field().fill(
      '# Seen\n\n<script>window.ran = 1</script><img src=x onerror="window.ran = 2">\n\n**bold** <a href="javascript:ran=3">x</a>',
    );
    await page.locator('.preview-pane strong').waitFor();
    await expect.poll(() => page.locator('.preview-pane script').count()).toBe(0);
    expect(await page.evaluate(() => (window as { ran?: number }).ran)).toBeUndefined();
  });

  it('fetches an image of another host only after a click', async () => {
    const asked: string[] = [];
    await context.route('https://images.example/**', route => {
      asked.push(route.request().url());
      return route.fulfill({ status: 200, contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
    });
    await open();
    await field().fill('![a map](https://images.example/map.svg)');
    await page.getByRole('button', { name: /Show the image from images\.example/ }).waitFor();
    expect(asked).toEqual([]);
    await page.getByRole('button', { name: /Show the image/ }).click();
    await expect.poll(() => asked.length).toBe(1);
  });
});

it('settings that the server refuses go back to what is true, with its words', async () => {
  await open();
  await button('Share').click();
  await page.getByRole('checkbox', { name: 'Read-only' }).check();
  await page.getByText('Saved.').waitFor();
  await page.keyboard.press('Escape');
  await button('Settings').click();
  await page.route('**/api/notebooks/*', route =>
    route.fulfill({ status: 422, json: { title: 'No.', detail: 'not today', code: 'invalid' } }),
  );
  await page.getByLabel('Paper').selectOption('kraft');
  await page.getByText('not today').waitFor();
  await expect.poll(() => page.getByLabel('Paper').inputValue()).toBe('plain');
  await page.keyboard.press('Escape');
  await expect.poll(() => field().getAttribute('readonly')).not.toBeNull();
});
