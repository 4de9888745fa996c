import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';

let octavo: ServiceInBrowser;
beforeAll(async () => {
  octavo = await ServiceInBrowser.borrow();
});
afterAll(() => octavo?.close());

async function createUntitled() {
  const made = await octavo.create({
    title: 'Shopping',
    pages: [{ markdown: 'Milk and eggs\n\nthe rest' }, { markdown: 'Nails, screws\n' }],
  });
  const send = (method: string, path: string, body: object) =>
    fetch(`${octavo.origin}/api/notebooks/${made.slug}${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'x-edit-token': made.editToken },
    });
  expect((await send('PATCH', '', { comments: true })).status).toBe(200);
  const comment = { pageId: made.pageId, author: 'Ada', body: 'Two dozen?' };
  expect((await send('POST', '/comments', comment)).status).toBe(201);
  return made;
}

async function openPanel(page: Page, name: string) {
  await page.getByRole('button', { name, exact: true }).click();
  return page.getByRole('dialog');
}

it('names an untitled page by its first line in the list, before the script and in the dialogs', async () => {
  const { editToken } = await createUntitled();
  const html = await (await fetch(`${octavo.origin}/e/${editToken}`, { headers: { 'sec-fetch-dest': 'document' } })).text();
  for (const name of ['Milk and eggs', 'Nails, screws']) expect(html).toContain(`<span class="page-name">${name}</span>`);

  const page = await octavo.browser.newPage();
  await page.goto(`${octavo.origin}/e/${editToken}`);
  await expect.poll(() => page.locator('.page-list .page-name').allInnerTexts()).toEqual(['Milk and eggs', 'Nails, screws']);
  const comments = await openPanel(page, 'Comments');
  await expect.poll(() => comments.locator('.comment-head').innerText()).toMatch(/^Ada on Milk and eggs,/);
  await page.keyboard.press('Escape');
  const versions = await openPanel(page, 'Versions');
  await expect.poll(() => versions.locator('p.hint').first().innerText()).toMatch(/^Of Milk and eggs\./);
  await page.close();
});

it('a long title is not told in full at each comment', async () => {
  const title = 'Everything we talked about '.repeat(7).trim();
  const { slug, pageId, editToken } = await octavo.create({ pages: [{ title, markdown: 'Words.' }] });
  for (const author of ['Ada', 'Bo'])
    await fetch(`${octavo.origin}/api/notebooks/${slug}/comments`, {
      method: 'POST',
      body: JSON.stringify({ pageId, author, body: 'Two dozen?' }),
      headers: { 'content-type': 'application/json' },
    });
  const page = await octavo.browser.newPage();
  await page.goto(`${octavo.origin}/e/${editToken}`);
  const comments = await openPanel(page, 'Comments');
  const told = () => comments.locator('.comment-head span').allInnerTexts();
  await expect
    .poll(told)
    .toEqual(Array(2).fill('Everything we talked about Everything we talked about Everything we talked abou…'));
  await page.close();
});
