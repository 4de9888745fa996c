import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { Writer } from '../sync/writer.ts';
import { EditorDesk } from './editor-desk.ts';

// What is written is saved or kept, and no version is written over.
let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
afterEach(() => expect(desk.complaints).toEqual([]));

const pages = [{ markdown: '# One\n\nfirst text' }, { markdown: '# Two' }];

async function open(): Promise<void> {
  made = await desk.create({ title: 'Desk', pages });
  page = await desk.newPage({ serviceWorkers: 'block' });
  await desk.open(page, made);
}

/** For what ends the window or the notebook. */
function inOwnEditor(): void {
  beforeEach(open);
  afterEach(() => desk.context.close());
}

/** One editor for the tests of a group, each with pages of its own. */
function inOneEditor(): void {
  beforeAll(open);
  afterAll(() => desk.context?.close());
  beforeEach(async () => {
    made = await desk.renewPages(page, made, { pages });
  });
  afterEach(async () => {
    await page.unrouteAll();
    await page.evaluate(() => {
      Reflect.deleteProperty(document, 'visibilityState');
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
}

const field = () => page.getByRole('textbox', { name: /^Markdown of/ });
const state = (kind: string) => page.locator(`[data-save-state="${kind}"]`).waitFor();
const version = (name: string) => page.getByRole('region', { name }).locator('pre').textContent();
const button = (name: string) => page.getByRole('button', { name, exact: true });
const firstText = async () => (await desk.stored(made)).pages[0]!.markdown;

describe('saving', () => {
  inOneEditor();

  it('happens by itself and shows its state', async () => {
    await field().fill('# One\n\nsecond text');
    await state('unsaved');
    await state('saved');
    await expect.poll(() => firstText()).toBe('# One\n\nsecond text');
  });

  it('survives a lost connection: kept here, said so, sent when it is back', async () => {
    await desk.context.setOffline(true);
    await field().fill('written offline');
    await state('waiting');
    await page.getByText('kept on this device').first().waitFor();
    await expect.poll(() => firstText()).toContain('first text');
    await desk.context.setOffline(false);
    await state('saved');
    await expect.poll(() => firstText()).toBe('written offline');
  });

  it('is not held up by half an emoji, which some keyboards leave behind', async () => {
    await field().evaluate((text: HTMLTextAreaElement) => {
      text.focus();
      text.select();
      document.execCommand('insertText', false, `half ${String.fromCharCode(0xd83d)} of it`);
    });
    await field().press('Control+End');
    await page.keyboard.type(', and more');
    await expect.poll(() => firstText()).toBe('half \ufffd of it, and more');
    await state('saved');
  });

  it('a title that is being written when the window is hidden is saved: a phone may end it without another word', async () => {
    const title = page.getByRole('textbox', { name: 'Notebook title' });
    await title.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Written last');
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await expect.poll(async () => (await desk.stored(made)).title).toBe('Written last');
    await expect.poll(() => title.evaluate(field => field === document.activeElement)).toBe(true);
  });
});

/** As another writer would with the same edit link, in a notebook that nobody may see. */
async function replaceLinkElsewhere(): Promise<void> {
  const address = `${desk.service.origin}/api/notebooks/${made.slug}`;
  const headers = { 'content-type': 'application/json', 'x-edit-token': made.editToken };
  await fetch(address, { method: 'PATCH', headers, body: JSON.stringify({ visibility: 'private' }) });
  expect((await fetch(`${address}/token`, { method: 'POST', headers, body: '{}' })).status).toBe(200);
}

describe('saving, with a window that goes', () => {
  inOwnEditor();

  it('survives a window that is gone before anything was sent', async () => {
    await desk.context.setOffline(true);
    await field().fill('never sent');
    await state('unsaved');
    await new Writer(page).vanish();
    await desk.context.setOffline(false);
    page = await desk.window();
    await page.goto(`${desk.service.origin}/edit/${made.slug}`);
    await state('saved');
    await expect.poll(() => field().inputValue()).toBe('never sent');
    await expect.poll(() => firstText()).toBe('never sent');
    await expect
      .poll(() => page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('octavo.draft'))))
      .toEqual([]);
  });

  it('a draft of an older text is shown beside the newer one, not saved over it', async () => {
    await desk.context.setOffline(true);
    await field().fill('mine, left behind');
    await state('unsaved');
    await new Writer(page).vanish();
    await desk.context.setOffline(false);
    await desk.saveElsewhere(made, 'theirs, meanwhile');
    page = await desk.window();
    await page.goto(`${desk.service.origin}/edit/${made.slug}`);
    await expect.poll(() => version('Your version')).toBe('mine, left behind');
    await expect.poll(() => version('Their version')).toBe('theirs, meanwhile');
    await expect.poll(() => firstText()).toBe('theirs, meanwhile');
  });

  it('warns before a window with unsaved text is closed', async () => {
    await desk.context.setOffline(true);
    await field().pressSequentially('x');
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    expect((await asked).type()).toBe('beforeunload');
    await (await asked).dismiss();
  });
});

describe('deleting the notebook', () => {
  inOwnEditor();

  it('a notebook is deleted once, however often the button is pressed', async () => {
    const go = Promise.withResolvers<void>();
    let asked = 0;
    await page.route(`**/api/notebooks/${made.slug}`, async route => {
      if (route.request().method() === 'DELETE') asked += 1;
      await go.promise;
      await route.continue();
    });
    await button('Settings').click();
    await button('Delete this notebook…').click();
    await button('Delete the notebook').click();
    await expect.poll(() => asked).toBe(1);
    // A button that looks disabled can still be pressed, by keyboard or by a quick hand.
    await button('Delete the notebook').dispatchEvent('click');
    await page.evaluate(() => new Promise(requestAnimationFrame));
    go.resolve();
    await page.waitForURL('**/?deleted=1');
    expect(asked).toBe(1);
  });

  // Both get the same 404: an edit link of a deleted notebook, and a replaced one of a private notebook.
  it.each([
    ['the first request arrived, its answer did not', 'deleted'],
    ['it never arrived and the edit link was replaced elsewhere', 'replaced'],
  ])('a second press of Delete says what is known and keeps the text: %s', async (_, happened) => {
    await page.route('**/api/notebooks/*/pages/*', route => route.abort());
    await field().fill('only in this browser');
    await state('waiting');
    let asked = 0;
    await page.route(`**/api/notebooks/${made.slug}`, async route => {
      if (route.request().method() !== 'DELETE') return route.continue();
      asked += 1;
      if (asked > 1) return route.continue();
      if (happened === 'deleted') await route.fetch();
      else await replaceLinkElsewhere();
      await route.abort();
    });
    await button('Settings').click();
    await button('Delete this notebook…').click();
    await button('Delete the notebook').click();
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await button('Delete the notebook').click();
    await page.getByText('We don’t know whether the notebook is deleted').waitFor();
    await button('Keep it').click();
    await page.getByText('What you wrote since the last save is only here.').waitFor();
    await page.goto(`${desk.service.origin}/edit/${made.slug}`);
    await page.getByText('only in this browser').waitFor();
  });
});

describe('earlier versions', () => {
  inOneEditor();

  it('show and restore the one that was chosen last, though the answer for an older choice comes later', async () => {
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
  inOneEditor();
  // A page whose text nobody has chosen is not taken away.
  afterEach(async () => {
    if (await button('Keep mine').isVisible()) await button('Keep mine').click();
    await state('saved');
  });
  beforeEach(async () => {
    await desk.saveElsewhere(made, 'theirs');
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

  it('is told of on the other pages, with its name and a way to it', async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Two', exact: true }).click();
    const told = page.locator('.session-note', { hasText: 'One was changed elsewhere. Yours is not saved until you choose.' });
    await told.getByRole('button', { name: 'Open the page' }).click();
    await expect.poll(() => version('Your version')).toBe('mine');
    await told.waitFor({ state: 'detached' });
  });

  it('closed without a choice: nothing is saved, and a bar leads back', async () => {
    await page.keyboard.press('Escape');
    await field().fill('mine, and on');
    await button('Choose a version').click();
    await expect.poll(() => version('Your version')).toBe('mine, and on');
    await expect.poll(() => firstText()).toBe('theirs');
  });
});

it('a visitor who has to choose is not sent to versions that only the owner sees', async () => {
  const shared = await desk.create({ openEditing: true, pages: [{ markdown: 'start' }] });
  page = await desk.newPage({ serviceWorkers: 'block' });
  await page.goto(`${desk.service.origin}/n/${shared.slug}/edit`);
  await field().waitFor();
  await desk.saveElsewhere(shared, 'theirs');
  await field().fill('mine');
  const said = page.getByRole('dialog').getByText('Nothing is overwritten until you choose.');
  await expect.poll(() => said.innerText()).toContain('the owner finds theirs under “Versions”, and undo brings yours back');
  // It has no title, and is named as in the list.
  await expect.poll(() => said.innerText()).toContain('The same part of mine was changed');
  await desk.context.close();
});
