import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, focusedName, pagesNamed } from './editor-desk.ts';

// What was pressed may be gone afterwards; the focus then goes to a neighbor, never out of the dialog.
let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
beforeEach(async () => {
  made = await desk.create({ title: 'Focus', ...pagesNamed('One') });
  page = await desk.newPage();
});
afterEach(async () => {
  await desk.context.close();
  expect(desk.complaints).toEqual([]);
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const focused = () => focusedName(page);

describe('a comment that is deleted', () => {
  const comment = (author: string) =>
    fetch(`${desk.service.origin}/api/notebooks/${made.slug}/comments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ author, body: 'Words.' }),
    });
  const remove = async (author: string) => {
    const name = `Delete the comment by ${author}`;
    await button(name).focus();
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('Keep it');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: `${name}?` }).waitFor({ state: 'detached' });
  };

  it('leaves the focus at the next one, at the last one, and at the title when there is none', async () => {
    for (const author of ['Ann', 'Bo', 'Cy']) await comment(author);
    await desk.open(page, made);
    await button('Comments').click();
    await remove('Bo');
    await expect.poll(focused).toBe('Delete the comment by Ann');
    await remove('Ann');
    await expect.poll(focused).toBe('Delete the comment by Cy');
    await remove('Cy');
    await expect.poll(focused).toBe('Comments');
    await page.getByText('The comment by Cy was deleted.').waitFor();
  });

  it('is kept when the question says so, and the focus is where it was', async () => {
    await comment('Ann');
    await desk.open(page, made);
    await button('Comments').click();
    await button('Delete the comment by Ann').press('Enter');
    await expect.poll(focused).toBe('Keep it');
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('Delete the comment by Ann');
    await page.reload();
    await button('Comments').click();
    await button('Delete the comment by Ann').waitFor();
  });

  it('is told of in sight, however long the list is, and so is what went wrong', async () => {
    for (let count = 0; count < 12; count += 1) await comment('Ann');
    await desk.open(page, made);
    await button('Comments').click();
    await page.getByText('12 comments, newest first').waitFor();
    const said = page.getByRole('dialog').getByRole('status');
    const isInSight = () =>
      said.evaluate(box => {
        const { left, top, bottom } = box.getBoundingClientRect();
        return bottom <= innerHeight && box.contains(document.elementFromPoint(left + 20, (top + bottom) / 2));
      });
    const ask = () => button('Delete the comment by Ann').first().press('Enter');
    await page.route('**/comments/*', route => route.abort());
    await ask();
    await button('Delete it').click();
    await expect.poll(() => said.innerText()).toContain('cannot be reached');
    await expect.poll(isInSight).toBe(true);
    await page.unrouteAll();
    await button('Delete it').click();
    await expect.poll(() => said.innerText()).toBe('The comment by Ann was deleted.');
    await expect.poll(isInSight).toBe(true);
    await page.getByText('11 comments, newest first').waitFor();
    // It covers no button that has the focus, wherever in the list that is.
    await button('Delete the comment by Ann').nth(6).press('Enter');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('10 comments, newest first').waitFor();
    await expect.poll(focused).toBe('Delete the comment by Ann');
    const isCovered = () =>
      page.evaluate(() => {
        const { left, bottom } = document.activeElement!.getBoundingClientRect();
        return !document.activeElement!.contains(document.elementFromPoint(left + 5, bottom - 2));
      });
    await expect.poll(isCovered).toBe(false);
  });

  it('is gone from the list, though the list cannot be asked for again', async () => {
    for (const author of ['Ann', 'Bo']) await comment(author);
    await desk.open(page, made);
    await button('Comments').click();
    await button('Delete the comment by Bo').waitFor();
    await page.route('**/comments', route => route.abort());
    await remove('Bo');
    await page.getByText('The comment by Bo was deleted.').waitFor();
  });
});

it('a comment that is deleted twice at once is said to be deleted', async () => {
  await fetch(`${desk.service.origin}/api/notebooks/${made.slug}/comments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ author: 'Ann', body: 'Words.' }),
  });
  await desk.open(page, made);
  await button('Comments').click();
  const answers: Promise<unknown>[] = [];
  page.on('requestfinished', request => request.method() === 'DELETE' && answers.push(request.response()));
  await button('Delete the comment by Ann').click();
  await button('Delete it').evaluate((one: HTMLButtonElement) => {
    one.click();
    one.click();
  });
  await expect.poll(() => answers.length).toBe(2);
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await expect.poll(() => page.getByRole('dialog').getByRole('status').innerText()).toBe('The comment by Ann was deleted.');
});

describe('texts that this device keeps', () => {
  const keep = (name: string) =>
    page.evaluate(({ key, draft }) => localStorage.setItem(key, JSON.stringify(draft)), {
      key: `octavo.draft.${made.slug}/gone/${name}`,
      draft: { pageId: 'gone', title: name, markdown: `# ${name}`, baseRevision: 1, changedAt: Date.now() },
    });
  const first = () => page.getByRole('dialog').getByRole('listitem').first();
  beforeEach(async () => {
    await desk.open(page, made);
    for (const name of ['0123456789ab', '0123456789cd']) await keep(name);
    await page.reload();
    await button('Look at it').click();
    await first().waitFor();
  });

  it('leave the focus in their dialog when one of them goes', async () => {
    await first().getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.getByRole('dialog').getByRole('listitem').count()).toBe(1);
    await expect.poll(() => page.evaluate(() => document.activeElement!.closest('dialog') !== null)).toBe(true);
  });
});

it('of two earlier versions the one that was chosen last is shown, whichever answer comes last', async () => {
  for (const text of ['first', 'second', 'third'])
    await fetch(`${desk.service.origin}/api/notebooks/${made.slug}/pages/${made.pageId}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-edit-token': made.editToken },
      body: JSON.stringify({ markdown: text }),
    });
  await desk.open(page, made);
  await button('Versions').click();
  const versions = page.locator('.snapshot-list button');
  await expect.poll(() => versions.count()).toBe(3);
  let answer = () => {};
  const held = new Promise<void>(resolve => {
    answer = resolve;
  });
  let isFirst = true;
  await page.route('**/snapshots/*', async route => {
    const late = isFirst;
    isFirst = false;
    if (late) await held;
    await route.continue();
  });
  const late = page.waitForRequest('**/snapshots/*');
  await versions.nth(0).click();
  const lateAnswer = (await late).response();
  await versions.nth(1).click();
  await expect.poll(() => versions.nth(1).getAttribute('aria-pressed')).toBe('true');
  answer();
  await (await lateAnswer)!.finished();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await expect.poll(() => versions.nth(1).getAttribute('aria-pressed')).toBe('true');
});

it('stays in the import from its first step to its last', async () => {
  const isInside = () => page.evaluate(() => document.activeElement!.closest('dialog') !== null);
  await desk.open(page, made);
  await button('Import…').click();
  await page.getByLabel('Markdown files, or a zip of them').focus();
  await page.getByLabel('Markdown files, or a zip of them').setInputFiles({
    name: 'two.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from('# Two'),
  });
  await button('Import 1 page').waitFor();
  await expect.poll(isInside).toBe(true);
  await button('Import 1 page').focus();
  await page.keyboard.press('Enter');
  await page.getByText('1 page was imported.').waitFor();
  await expect.poll(isInside).toBe(true);
});
