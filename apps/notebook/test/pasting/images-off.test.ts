import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import { handOn, paste } from './hand.ts';
import { screenshot } from './pictures.ts';

let octavo: ServiceInBrowser;
beforeAll(async () => {
  octavo = await ServiceInBrowser.start();
});
afterAll(() => octavo?.close());

it('without an image store the editor says so in a line, sends nothing, and writes as ever', async () => {
  const made = await octavo.create({ pages: [{ markdown: 'one\n' }] });
  const page = await octavo.browser.newPage();
  const sent: string[] = [];
  page.on('request', request => request.url().endsWith('/images') && sent.push(request.method()));
  await page.goto(`${octavo.origin}/e/${made.editToken}`);
  await page.click('#markdown-field');
  await page.keyboard.press('Control+End');
  const line = page.getByText('Images are switched off on this server. Text works as ever');
  const picture = await screenshot();
  await paste(handOn(page, ''), [picture]);
  await line.waitFor();
  await page.locator('.uploads').getByRole('button', { name: 'Dismiss' }).click();
  await line.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Insert images' }).click();
  await line.waitFor();
  await page.click('#markdown-field');
  await page.keyboard.type('two');
  await expect.poll(() => page.inputValue('#markdown-field')).toBe('one\ntwo');
  expect(sent).toEqual([]);
  await page.getByRole('button', { name: 'Images', exact: true }).click();
  await page.getByRole('dialog').getByText('Images are switched off on this server.').waitFor();
});
