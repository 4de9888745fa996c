import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EditorDesk, pagesNamed } from './editor-desk.ts';

let desk: EditorDesk;
let page: Page;
beforeAll(async () => {
  desk = await EditorDesk.start();
  page = await desk.newPage();
  await desk.open(page, await desk.create({ title: 'Shared', ...pagesNamed('One') }));
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('img', { name: 'QR code of the view link' }).waitFor();
  await desk.context.setOffline(true);
});
afterAll(() => desk?.close());

it('a setting chosen while this device is offline is told as not saved', async () => {
  await page.getByLabel('Password', { exact: true }).fill('open sesame');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('“Password” was not saved. This device is offline.').waitFor();
});

it('an edit link replaced while this device is offline is told as not replaced', async () => {
  await page.getByRole('button', { name: 'Replace the edit link' }).click();
  await page.getByRole('button', { name: 'Replace it' }).click();
  await page.getByRole('dialog').getByText('The edit link was not replaced. This device is offline.').waitFor();
});

it('a setting that was on its way when the device went offline may have been saved', async () => {
  await desk.context.setOffline(false);
  let isAsked = false;
  await page.route('**/api/notebooks/*', async route => {
    isAsked = true;
    await desk.context.setOffline(true);
    await route.abort();
  });
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect.poll(() => isAsked).toBe(true);
  await page.getByRole('dialog').getByText('We don’t know whether “Password” was saved. The server cannot be reached.').waitFor();
});
