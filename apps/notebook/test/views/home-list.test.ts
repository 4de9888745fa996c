import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { createThrough } from '../support/service-process.ts';
import { findFaults } from './axe.ts';
import { EditorDesk } from './editor-desk.ts';

let desk: EditorDesk;
let page: Page;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
afterEach(() => expect(desk.complaints).toEqual([]));

/** One window for the tests of a group, whose storage is empty for each. A service worker would ask unseen from the second visit on. */
function inOneWindow(): void {
  beforeAll(async () => {
    page = await desk.newPage({ acceptDownloads: true, serviceWorkers: 'block' });
    await page.goto(desk.service.origin);
  });
  afterAll(() => desk.context?.close());
  beforeEach(async () => {
    await page.unrouteAll();
    await page.evaluate(() => localStorage.clear());
    await page.goto(desk.service.origin);
    await page.locator('[data-saved-empty]').waitFor();
  });
}

/** For what changes its clock or what it can do. */
function inOwnBrowser(): void {
  beforeEach(async () => {
    page = await desk.newPage({ acceptDownloads: true });
    await page.goto(desk.service.origin);
  });
  afterEach(() => desk.context.close());
}

const names = () => page.locator('.saved-name a').allTextContents();
const facts = (slug: string) => page.locator(`[data-slug="${slug}"] .saved-facts`).textContent();
const keep = (entries: readonly object[]) =>
  page.evaluate(saved => {
    for (const entry of saved) localStorage.setItem(`octavo.notebook.${(entry as Made).slug}`, JSON.stringify(entry));
  }, entries);
const entry = ({ slug, editToken }: Made, more: object = {}) => ({
  slug,
  editToken,
  title: slug,
  savedAt: 1_000,
  expiresAt: null,
  ...more,
});
const kept = (slug: string) => page.evaluate(key => JSON.parse(localStorage.getItem(key) ?? 'null'), `octavo.notebook.${slug}`);
const openTools = async () => {
  await page.getByText('Add a notebook, back up or move the list').click();
  await page.locator('.saved-tools fieldset:enabled').waitFor();
};
const said = () => page.locator('[data-tool="said"]').innerText();
const add = async (link: string) => {
  await page.getByLabel('Add by edit link').fill(link);
  await page.getByRole('button', { name: 'Add to the list' }).click();
};

describe('the state of each notebook', () => {
  inOneWindow();

  it('is what the server says: active, expiring, renamed elsewhere, gone', async () => {
    const active = await desk.create({ title: 'Renamed elsewhere' });
    const expiring = await desk.create({ title: 'Expiring', expiresIn: '7d' });
    const gone = { slug: 'gone-gone', editToken: 'G'.repeat(43), pageId: '' };
    await keep([entry(active), entry(expiring, { title: 'Expiring' }), entry(gone, { title: 'Once here' })]);
    await page.reload();
    await page.locator('.saved-list').scrollIntoViewIfNeeded();
    await expect.poll(names).toContain('Renamed elsewhere');
    await expect.poll(() => facts(expiring.slug)).toMatch(/expires \w+/);
    await expect.poll(() => facts('gone-gone')).toMatch(/^Gone: deleted/);
    await expect.poll(() => kept(active.slug)).toMatchObject({ title: 'Renamed elsewhere', savedAt: 1_000, seen: 'active' });
    await expect.poll(() => findFaults(page)).toEqual([]);
  });

  it('decides where a title leads: to the editor, where the view link shows its owner nothing or would open the one look', async () => {
    const leadsTo = (slug: string) => page.locator(`[data-slug="${slug}"] .saved-name a`).getAttribute('href');
    const open = await desk.create({ title: 'Open' });
    const hidden = await desk.create({ title: 'Hidden', visibility: 'private' });
    const once = await desk.create({ title: 'Once', burnAfterRead: true });
    await keep([entry(open), entry(hidden), entry(once), entry({ ...open, slug: 'seen-expired' }, { seen: 'expired' })]);
    await page.route('**/api/notebook', route => route.abort());
    await page.reload();
    await expect.poll(() => leadsTo('seen-expired')).toBe('/edit/seen-expired');
    await page.unrouteAll();
    await page.reload();
    await page.locator('.saved-list').scrollIntoViewIfNeeded();
    await expect.poll(() => leadsTo(hidden.slug)).toBe(`/edit/${hidden.slug}`);
    await expect.poll(() => leadsTo(once.slug)).toBe(`/edit/${once.slug}`);
    await expect.poll(() => leadsTo(open.slug)).toBe(`/n/${open.slug}`);
  });

  it('says that an edit link was replaced, where the server tells it', async () => {
    const made = await desk.create({ title: 'Replaced' });
    await keep([entry(made)]);
    const headers = { 'x-edit-token': made.editToken };
    await fetch(`${desk.service.origin}/api/notebooks/${made.slug}/token`, { method: 'POST', headers });
    await page.reload();
    await page.locator('.saved-list').scrollIntoViewIfNeeded();
    await expect.poll(() => facts(made.slug)).toBe('Its edit link was replaced by a newer one. Add the new link below.');
  });

  it('is what was seen last when the server cannot be asked', async () => {
    const active = await desk.create({ title: 'Known' });
    await keep([entry(active, { title: 'Known' })]);
    await page.route('**/api/notebook', route => route.abort());
    await page.reload();
    await expect.poll(() => facts(active.slug)).toMatch(/Last opened .* \(The server could not be asked\.\)/);
  });

  it('is asked for four at a time, and only for those in sight', async () => {
    const made = await desk.create({ title: 'One of many' });
    let asked = 0;
    let answer = (): void => {};
    const held = new Promise<void>(resolve => {
      answer = resolve;
    });
    await page.route('**/api/notebook', async route => {
      asked += 1;
      await held;
      await route.continue();
    });
    await keep(Array.from({ length: 200 }, (_, number) => entry({ ...made, slug: `many-${number}` }, { savedAt: number })));
    await page.reload();
    // The list itself waits for nobody.
    await expect.poll(() => page.locator('.saved-list li').count()).toBe(200);
    await page.locator('.saved-list li').nth(5).scrollIntoViewIfNeeded();
    await expect.poll(() => asked).toBe(4);
    answer();
    await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(5);
    await page.waitForLoadState('networkidle');
    expect(asked).toBeLessThan(60);
  });
});

describe('the list as a file', () => {
  inOneWindow();

  it('goes out, says what it is worth, and comes back into an empty browser', async () => {
    const made = await desk.create({ title: 'Moved house' });
    await keep([entry(made, { title: 'Moved house' })]);
    await page.reload();
    await openTools();
    await expect.poll(() => page.getByText('Treat it like a password').isVisible()).toBe(true);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the list' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^octavo-notebooks-\d{4}-\d\d-\d\d\.json$/);
    const text = await readFile(await file.path(), 'utf8');
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await openTools();
    await takeIn(text);
    await expect.poll(said).toBe('1 added.');
    await expect.poll(() => names()).toEqual(['Moved house']);
    await expect.poll(() => kept(made.slug)).toMatchObject({ editToken: made.editToken });
  });

  it('never overwrites what is newer, and keeps what is not understood out', async () => {
    const made = await desk.create({ title: 'Newer here' });
    await keep([entry(made, { title: 'Newer here', savedAt: 5_000 })]);
    await page.reload();
    await openTools();
    const old = { ...entry(made), editToken: 'O'.repeat(43), savedAt: 4_000 };
    await takeIn(JSON.stringify(fileOf([old, { slug: '../evil', editToken: 'x' }, entry({ ...made, slug: 'other-one' })])));
    await expect.poll(said).toBe('1 added, 1 already here, 1 not understood.');
    await expect.poll(() => kept(made.slug)).toMatchObject({ editToken: made.editToken });
  });

  it.each([
    ['not JSON', 'no', 'That file is not a notebook list from this site.'],
    ['another thing', '{"format":"x"}', 'That file is not a notebook list from this site.'],
    ['null', 'null', 'That file is not a notebook list from this site.'],
    [
      'of a newer version',
      JSON.stringify({ format: 'octavo-notebooks', version: 2, origin: 'x', notebooks: [] }),
      'newer version',
    ],
    ['too large', ' '.repeat(20 * 1_048_576 + 1), 'too large'],
  ])('is refused with its reason: %s', async (_fault, text, words) => {
    await openTools();
    await takeIn(text);
    await expect.poll(said).toContain(words);
  });

  it('of another service is taken only when asked again, because its edit links would be shown to this one', async () => {
    await openTools();
    await takeIn(
      JSON.stringify({
        ...fileOf([entry({ slug: 'far-away', editToken: 'F'.repeat(43), pageId: '' })]),
        origin: 'https://other.example',
      }),
    );
    await expect.poll(said).toContain('saved at other.example');
    await expect.poll(() => names()).toEqual([]);
    await page.getByRole('button', { name: 'Add them all the same' }).click();
    await expect.poll(names).toEqual(['far-away']);
    // The button is gone.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('list-file');
  });

  const fileOf = (notebooks: readonly object[]) => ({
    format: 'octavo-notebooks',
    version: 1,
    origin: desk.service.origin,
    notebooks,
  });
  const takeIn = async (text: string) => {
    // From the disk: a large one does not go through the driver.
    const folder = await mkdtemp(join(tmpdir(), 'octavo-list-'));
    await writeFile(join(folder, 'list.json'), text);
    await page.getByLabel('Import a list').setInputFiles(join(folder, 'list.json'));
    lists.push(folder);
  };
  const lists: string[] = [];
  afterEach(async () => {
    for (const folder of lists.splice(0)) await rm(folder, { recursive: true });
  });
});

describe('a pasted edit link', () => {
  inOneWindow();

  it('puts its notebook into the list', async () => {
    const made = await createThrough(desk.service.origin, { title: 'Found again' });
    await openTools();
    await add(` ${desk.service.origin}/e/${made.editToken} `);
    await expect.poll(names).toEqual(['Found again']);
    await expect.poll(() => said()).toBe('Found again is in the list.');
    expect(page.url()).not.toContain(made.editToken);
  });

  it('leaves in its field what is written there meanwhile, and is asked for once', async () => {
    const made = await createThrough(desk.service.origin, { title: 'Asked for' });
    await openTools();
    let [answer, asked] = [() => {}, 0];
    const held = new Promise<void>(resolve => {
      answer = resolve;
    });
    await page.route('**/api/notebook', async route => {
      asked += 1;
      await held;
      await route.continue();
    });
    const arrived = page.waitForRequest('**/api/notebook');
    await add(made.editToken);
    await arrived;
    const field = page.getByLabel('Add by edit link');
    await field.press('Enter');
    await field.fill('the next link');
    // The list asks for the state of its entries afterwards.
    expect(asked).toBe(1);
    answer();
    await expect.poll(() => said()).toBe('Asked for is in the list.');
    await expect.poll(() => field.inputValue()).toBe('the next link');
  });

  it.each([
    ['no edit link', 'hello', 'That is not an edit link.'],
    ['of another host', `https://other.example/e/${'A'.repeat(43)}`, 'That link belongs to other.example'],
    ['that opens nothing', 'A'.repeat(43), 'This edit link no longer works'],
  ])('is refused with its reason: %s', async (_fault, link, words) => {
    await openTools();
    await add(link);
    await expect.poll(said).toContain(words);
    await expect.poll(() => names()).toEqual([]);
  });
});

describe('in a browser of its own', () => {
  inOwnBrowser();

  it('the state of a notebook is not what the clock of this device says', async () => {
    await page.clock.setFixedTime(new Date('2099-01-01T00:00:00Z'));
    const expiring = await desk.create({ title: 'Not over', expiresIn: '7d' });
    await keep([entry(expiring, { title: 'Not over', expiresAt: '2026-03-01T00:00:00Z' })]);
    await page.reload();
    await expect.poll(() => facts(expiring.slug)).toMatch(/expires \w+/);
  });

  it('the list as a file has the day in its name that this device shows, not that of UTC', async () => {
    await desk.context.close();
    page = await desk.newPage({ acceptDownloads: true, timezoneId: 'Pacific/Kiritimati' });
    await page.clock.setFixedTime('2026-11-27T20:00:00Z');
    await page.goto(desk.service.origin);
    await keep([entry(await desk.create({ title: 'Late' }))]);
    await openTools();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the list' }).click();
    expect((await download).suggestedFilename()).toBe('octavo-notebooks-2026-11-28.json');
    await expect.poll(said).toContain('octavo-notebooks-2026-11-28.json');
  });

  it('a pasted edit link opens the editor at once where the browser keeps nothing', async () => {
    const made = await desk.create({ title: 'Not kept' });
    await desk.context.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await page.reload();
    await expect.poll(() => page.getByText('This browser keeps nothing for this site').isVisible()).toBe(true);
    await openTools();
    await add(made.editToken);
    await page.getByRole('textbox', { name: /^Markdown of/ }).waitFor();
  });

  it('a full storage is said, and the list stays', async () => {
    const made = await desk.create({ title: 'Still here' });
    await keep([entry(made, { title: 'Still here' })]);
    await desk.context.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await page.reload();
    await expect.poll(() => page.getByText('storage for this site is full or closed').isVisible()).toBe(true);
    await expect.poll(() => names()).toEqual(['Still here']);
  });
});
