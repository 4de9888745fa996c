import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { EditorDesk } from './editor-desk.ts';

let desk: EditorDesk;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
afterEach(() => desk.context.close());

it('a dialog whose script did not come says what to do, and a reload keeps the text and opens it', async () => {
  const made = await desk.create({ pages: [{ markdown: 'first' }] });
  const page = await desk.newPage();
  const part = /\/assets\/import-dialog-[^/]+\.js$/;
  await desk.context.route(part, route => route.abort());
  await desk.open(page, made);
  const openImport = () => page.getByRole('button', { name: 'Import…' }).click();
  await openImport();
  const alert = page.getByRole('alert').filter({ hasText: 'This part could not be loaded.' });
  await expect.poll(() => alert.innerText()).toContain('Reload the page once you are online; your text stays.');
  await alert.getByRole('button', { name: 'Close' }).click();
  await alert.waitFor({ state: 'hidden' });
  await page.getByRole('textbox', { name: /^Markdown of/ }).fill('written after it');
  await desk.context.unroute(part);
  await page.reload();
  await openImport();
  await page.getByRole('dialog').waitFor();
  const field = page.getByRole('textbox', { name: /^Markdown of/, includeHidden: true });
  await expect.poll(() => field.inputValue()).toBe('written after it');
});
