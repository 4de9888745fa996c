import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { EditorDesk } from './editor-desk.ts';

let desk: EditorDesk;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
afterEach(() => desk.context.close());

/** Answers nothing for it until `comes`. The windows have no service worker, which would ask unseen. */
async function withhold(part: RegExp): Promise<{ readonly asked: string[]; comes(): Promise<void> }> {
  const asked: string[] = [];
  await desk.context.route(part, route => {
    asked.push(route.request().url());
    return route.abort();
  });
  return { asked, comes: () => desk.context.unroute(part) };
}

it('a dialog whose script did not come says what to do, and opens once it comes', async () => {
  const made = await desk.create({ pages: [{ markdown: 'first' }] });
  const page = await desk.newPage({ serviceWorkers: 'block' });
  const { asked, comes } = await withhold(/\/assets\/import-dialog-[^/]+\.js/);
  await desk.open(page, made);
  const openImport = () => page.getByRole('button', { name: 'Import…' }).click();
  await openImport();
  const alert = page.getByRole('alert').filter({ hasText: 'This part could not be loaded.' });
  await expect.poll(() => alert.innerText()).toContain('Try again once you are online, or reload the page; your text stays.');
  expect(asked.map(url => new URL(url).search)).toEqual(['', expect.stringMatching(/^\?\d+$/)]);
  await alert.getByRole('button', { name: 'Close' }).click();
  await alert.waitFor({ state: 'hidden' });
  await page.getByRole('textbox', { name: /^Markdown of/ }).fill('written after it');
  await openImport();
  await alert.waitFor();
  await comes();
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('dialog').waitFor();
  const field = page.getByRole('textbox', { name: /^Markdown of/, includeHidden: true });
  await expect.poll(() => field.inputValue()).toBe('written after it');
});

it('the tools of the list say so when their script did not come, and work at the next opening once it comes', async () => {
  const page = await desk.newPage({ serviceWorkers: 'block' });
  const { comes } = await withhold(/\/assets\/list-tools-[^/]+\.js/);
  await page.goto(desk.service.origin);
  const summary = page.getByText('Add a notebook, back up or move the list');
  const said = page.locator('[data-tool="said"]');
  await summary.click();
  await expect.poll(() => said.innerText()).toBe('This part did not load. Once you’re online, close it and open it again.');
  await comes();
  await summary.click();
  await summary.click();
  await page.locator('.saved-tools fieldset:enabled').waitFor();
  await expect.poll(() => said.innerText()).toBe('');
});

it('changes from elsewhere are merged although the script for it did not come at first', async () => {
  const made = await desk.create({ pages: [{ markdown: 'one\n\ntwo\n' }] });
  const page = await desk.newPage({ serviceWorkers: 'block' });
  const { asked, comes } = await withhold(/\/assets\/merging-[^/]+\.js/);
  await desk.open(page, made);
  await expect.poll(() => asked.length).toBe(2);
  await comes();
  const id = made.pageId;
  const save = (markdown: string) =>
    fetch(`${desk.service.origin}/api/notebooks/${made.slug}/pages/${id}`, {
      method: 'PATCH',
      headers: { 'x-edit-token': made.editToken, 'content-type': 'application/json' },
      body: JSON.stringify({ markdown }),
    });
  expect((await save('one, theirs\n\ntwo\n')).status).toBe(200);
  const field = page.getByRole('textbox', { name: /^Markdown of/ });
  await field.fill('one\n\ntwo, mine\n');
  await expect.poll(() => field.inputValue()).toBe('one, theirs\n\ntwo, mine\n');
});

// As after an upgrade: the release that this window is from is gone, and its files with it.
it('find, import and export say what to do when the script of their worker did not come', async () => {
  const made = await desk.create({ pages: [{ markdown: 'one two one' }] });
  const page = await desk.newPage({ serviceWorkers: 'block' });
  await desk.open(page, made);
  await desk.context.route(/\/assets\/(?:find|import|export)-worker-[^/]+\.js/, route => route.fulfill({ status: 404 }));
  const words = 'This part could not be loaded. Try again once you are online, or reload the page; your text stays.';

  await page.getByRole('textbox', { name: /^Markdown of/ }).click();
  await page.keyboard.press('Control+f');
  await page.getByRole('textbox', { name: 'Find in this page' }).fill('one');
  await expect.poll(() => page.locator('.find-said').innerText()).toBe(words);
  await page.keyboard.press('Escape');

  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Import…' }).click();
  await dialog
    .locator('input[type=file]')
    .setInputFiles([{ name: 'a.md', mimeType: 'text/markdown', buffer: Buffer.from('# A') }]);
  await dialog.getByText(words).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Export…' }).click();
  await dialog.getByRole('button', { name: /zip/i }).click();
  await dialog.getByText(words).waitFor();
});
