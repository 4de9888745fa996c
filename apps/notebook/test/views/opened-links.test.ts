import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findFaults } from './axe.ts';
import { EditorDesk } from './editor-desk.ts';

let desk: EditorDesk;
let page: Page;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
beforeEach(async () => {
  page = await desk.newPage();
});
afterEach(async () => {
  await desk.context.close();
  expect(desk.complaints).toEqual([]);
});

const listed = async () => {
  await page.goto(desk.service.origin);
  await page.locator('[data-saved-empty]:visible, .saved-list:visible').first().waitFor();
  return page.locator('.saved-name a').allTextContents();
};
const question = () => page.locator('.session-note', { hasText: 'You opened this notebook by its edit link' });
const field = () => page.getByRole('textbox', { name: /^Markdown of/ });

it('an edit link in a note says what it is, and following it puts nothing into the list', async () => {
  const theirs = await desk.create({ title: 'Not mine', pages: [{ markdown: '# Theirs' }] });
  const note = await desk.create({
    title: 'A note',
    pages: [{ markdown: `[a look](/e/${theirs.editToken}) and [another](https://example.org/e/mail)` }],
  });
  await page.goto(`${desk.service.origin}/n/${note.slug}`);
  const link = page.getByRole('link', { name: 'a look' });
  await expect
    .poll(() => link.getAttribute('title'))
    .toBe('An edit link: everyone who has it can change and delete that notebook.');
  await expect.poll(() => link.evaluate(element => getComputedStyle(element, '::after').content)).toBe('"edit link"');
  await expect.poll(() => page.locator('.edit-link').count()).toBe(1);
  await link.click();
  await field().waitFor();
  // The contract: the token is kept before it leaves the address, and a reload finds the way back.
  await page.waitForURL(`**/edit/${theirs.slug}`);
  await page.reload();
  await field().waitFor();
  await question().waitFor();
  await expect.poll(() => findFaults(page)).toEqual([]);
  expect(await listed()).toEqual([]);
  // Shown without a press, because the list is empty.
  await expect.poll(() => findFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Forget the edit link of Not mine' }).click();
  await page.locator('[data-opened]').waitFor({ state: 'hidden' });
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('octavo.notebook.'))))
    .toEqual([]);
});

describe('an edit link that is forgotten on the home screen', () => {
  const openedBox = () => page.getByText('Opened by an edit link, not in the list');
  const openedNames = () => page.locator('[data-opened-list] a').allTextContents();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  const forget = async (title: string) => {
    await page.getByRole('button', { name: `Forget the edit link of ${title}` }).press('Enter');
    await expect.poll(focused).toBe(`Undo removing ${title}`);
  };

  it('comes back by Undo as it was, opened and not listed, with the focus on it', async () => {
    const made = await desk.create({ title: 'Forgotten too soon' });
    await desk.open(page, made);
    await desk.open(page, await desk.create({ title: 'Another' }));
    expect(await listed()).toEqual([]);
    await forget('Forgotten too soon');
    await expect.poll(openedNames).toEqual(['Another']);
    await page
      .getByText(
        '“Forgotten too soon” was removed. The notebook stays, but when you leave this page its edit link is forgotten here.',
      )
      .waitFor();
    await expect.poll(() => findFaults(page)).toEqual([]);
    // What comes back is shown, whether the box is open or not.
    await openedBox().click();
    await page.getByRole('button', { name: 'Undo removing' }).press('Enter');
    await expect.poll(focused).toBe('Keep in the list: Forgotten too soon');
    await expect.poll(async () => (await openedNames()).sort()).toEqual(['Another', 'Forgotten too soon']);
    await expect.poll(() => page.locator('.saved-undo').count()).toBe(0);
    expect(await listed()).toEqual([]);
    await page.goto(`${desk.service.origin}/edit/${made.slug}`);
    await field().waitFor();
  });

  it('stays out of the list by Undo, though another tab kept it anew meanwhile', async () => {
    const made = await desk.create({ title: 'In two tabs' });
    await desk.open(page, made);
    expect(await listed()).toEqual([]);
    await forget('In two tabs');
    await desk.open(await desk.window(), made);
    await expect.poll(openedNames).toEqual(['In two tabs']);
    await page.getByRole('button', { name: 'Undo removing' }).press('Enter');
    await expect.poll(focused).toBe('Keep in the list: In two tabs');
    expect(await listed()).toEqual([]);
  });

  it('keeps the focus on its button while another tab changes what is kept', async () => {
    await desk.open(page, await desk.create({ title: 'Focused' }));
    expect(await listed()).toEqual([]);
    await page.getByRole('button', { name: 'Forget the edit link of Focused' }).focus();
    await desk.open(await desk.window(), await desk.create({ title: 'From elsewhere' }));
    await expect.poll(openedNames).toEqual(['From elsewhere', 'Focused']);
    await expect.poll(focused).toBe('Forget the edit link of Focused');
  });
});

it('is in the list once the person says so', async () => {
  const made = await desk.create({ title: 'From my other computer' });
  await desk.open(page, made);
  await page.getByRole('button', { name: 'Keep it in the list' }).click();
  await question().waitFor({ state: 'detached' });
  expect(await listed()).toEqual(['From my other computer']);
  await desk.open(page, made);
  await expect.poll(() => question().count()).toBe(0);
});

it('is in the list once the person writes in it, and says so', async () => {
  const made = await desk.create({ title: 'Written in' });
  await desk.open(page, made);
  await question().waitFor();
  await field().press('Control+End');
  await page.keyboard.type('a word');
  await page.locator('.session-note', { hasText: 'it is now in this browser’s list' }).waitFor();
  await page.locator('[data-save-state="saved"]').waitFor();
  expect(await listed()).toEqual(['Written in']);
});

it('may be kept from the home screen; what this browser made is in the list without a question', async () => {
  const made = await desk.create({ title: 'Seen before' });
  await desk.open(page, made);
  expect(await listed()).toEqual([]);
  // Shown without a press, because the list is empty.
  await page.getByRole('button', { name: 'Keep in the list: Seen before' }).click();
  await expect.poll(() => page.locator('.saved-name a').allTextContents()).toEqual(['Seen before']);
  await page.goto(`${desk.service.origin}/quick`);
  await page.locator('textarea').first().fill('# Made here');
  await page
    .getByRole('button', { name: /^(Publish|Create)/ })
    .first()
    .click();
  await page.locator('[data-open-editor]').click();
  await field().waitFor();
  await expect.poll(() => question().count()).toBe(0);
});

it('one that opens nothing is refused with its reason after another fault, and can be mended in its field', async () => {
  const made = await desk.create({ title: 'Found at last' });
  await page.goto(`${desk.service.origin}/edit/${made.slug}`);
  const link = page.getByLabel('Edit link');
  const open = page.getByRole('button', { name: 'Open the editor' });
  await link.fill('no link');
  await open.click();
  await page.getByText('That is not an edit link.').waitFor();
  await link.fill('A'.repeat(43));
  await open.click();
  await page.getByText('This edit link no longer works').waitFor();
  await link.fill(made.editToken);
  await open.click();
  await field().waitFor();
});

it('one that cannot be tried now stays in its field, and the caret too', async () => {
  const made = await desk.create({ title: 'Later' });
  await page.goto(`${desk.service.origin}/edit/${made.slug}`);
  const link = page.getByLabel('Edit link');
  await page.route('**/api/notebook', route => route.abort());
  await link.fill(made.editToken);
  await link.press('Enter');
  await page.getByText('The server cannot be reached.').waitFor();
  await expect.poll(() => link.inputValue()).toBe(made.editToken);
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('edit-link');
  await page.unroute('**/api/notebook');
  await link.press('Enter');
  await field().waitFor();
});
