import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, lookForChanges } from './editor-desk.ts';

// The title, the preview, the settings and the print of a notebook in its editor.
let desk: EditorDesk;
let page: Page;
let made: Made;
const pages = [{ markdown: '# One\n\nfirst text' }, { markdown: '# Two' }];
beforeAll(async () => {
  desk = await EditorDesk.start();
  made = await desk.create({ title: 'Desk', pages });
  page = await desk.newPage({ serviceWorkers: 'block' });
  await desk.open(page, made);
});
afterAll(() => desk?.close());
// One editor for all tests, each with pages of its own and the settings of a new notebook.
beforeEach(async () => {
  await desk.change(made, { visibility: 'unlisted', readOnly: false });
  made = await desk.renewPages(page, made, { pages });
});
afterEach(async () => {
  await page.unrouteAll();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(desk.complaints).toEqual([]);
});

const field = () => page.getByRole('textbox', { name: /^Markdown of/ });
const button = (name: string) => page.getByRole('button', { name, exact: true });

describe('the title', () => {
  const title = () => page.getByRole('textbox', { name: 'Notebook title' });
  beforeEach(async () => {
    await title().fill('Desk');
    await title().press('Enter');
    await expect.poll(async () => (await desk.stored(made)).title).toBe('Desk');
  });

  it('is the last one that was typed, though the one before is still on its way', async () => {
    let send = () => {};
    const held = new Promise<void>(resolve => {
      send = resolve;
    });
    await page.route('**/api/notebooks/*', async route => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest(request => request.method() === 'PATCH');
    await title().fill('Other');
    await title().press('Enter');
    await asked;
    await title().fill('Desk');
    await title().press('Enter');
    const saved = page.waitForResponse(answer => (answer.request().postData() ?? '').includes('Desk'));
    send();
    await saved;
    await expect.poll(async () => (await desk.stored(made)).title).toBe('Desk');
    await expect.poll(() => title().inputValue()).toBe('Desk');
  });

  it('gives way to the first heading once it is emptied, and comes back when it is that heading', async () => {
    const heading = 'One';
    for (const before of ['Desk', heading]) {
      await expect.poll(() => title().inputValue()).toBe(before);
      const sent = page.waitForRequest(request => request.method() === 'PATCH');
      await title().fill('');
      await title().press('Enter');
      expect((await sent).postDataJSON()).toEqual({ title: '' });
      await expect.poll(() => title().inputValue()).toBe(heading);
      await expect.poll(async () => (await desk.stored(made)).title).toBe(heading);
    }
  });
});

describe('print from the editor', () => {
  it.each([
    ['unlisted', '/n/', '/print'],
    ['private', '/edit/', ''],
  ])('shows what was just typed, of an %s notebook too, and no edit token in the address', async (visibility, before, after) => {
    await desk.change(made, { visibility });
    await desk.open(page, made);
    await field().fill('# One\n\ntyped a moment ago');
    await button('Export…').click();
    const opening = desk.context.waitForEvent('page');
    await button('Print, or save as PDF').click();
    const print = await opening;
    await print.getByText('typed a moment ago').waitFor();
    await print.waitForURL(desk.service.origin + before + made.slug + after);
    // The print view and no other, with no way back into the editor.
    await print.getByRole('button', { name: 'Print' }).waitFor();
    expect(await print.evaluate(() => window.opener)).toBe(null);
    await page.getByText('The print view is in a window of its own.').waitFor();
    await print.close();
  });

  it('says so when the browser blocked the window, and opens it once it does not', async () => {
    await page.evaluate(() => {
      const open = window.open;
      window.open = () => null;
      addEventListener('allow-windows', () => {
        window.open = open;
      });
    });
    await button('Export…').click();
    await button('Print, or save as PDF').click();
    await page.getByText('The browser blocked the window. Allow pop-ups for this site, then press again.').waitFor();
    await page.evaluate(() => dispatchEvent(new Event('allow-windows')));
    const opening = desk.context.waitForEvent('page');
    await button('Print, or save as PDF').click();
    const print = await opening;
    await print.getByRole('button', { name: 'Print' }).waitFor();
    await print.close();
    await expect.poll(() => page.getByText('The browser blocked the window.').count()).toBe(0);
  });
});

describe('the preview', () => {
  it('shows what readers will see, and runs nothing', async () => {
    await field().fill(
      '# Seen\n\n<script>window.ran = 1</script><img src=x onerror="window.ran = 2">\n\n**bold** <a href="javascript:ran=3">x</a>',
    );
    await page.locator('.preview-pane strong').waitFor();
    await expect.poll(() => page.locator('.preview-pane script').count()).toBe(0);
    expect(await page.evaluate(() => (window as { ran?: number }).ran)).toBeUndefined();
  });

  it('fetches an image of another host only after a click', async () => {
    const asked: string[] = [];
    await page.route('https://images.example/**', route => {
      asked.push(route.request().url());
      return route.fulfill({ status: 200, contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
    });
    await field().fill('![a map](https://images.example/map.svg)');
    await page.getByRole('button', { name: /Show the image from images\.example/ }).waitFor();
    expect(asked).toEqual([]);
    await page.getByRole('button', { name: /Show the image/ }).click();
    await expect.poll(() => asked.length).toBe(1);
  });

  it('leaves the focus in the preview when such an image takes the place of its button', async () => {
    await page.route('https://pictures.example/**', route => route.abort());
    await field().fill('![a map](https://pictures.example/map.svg)');
    await page.getByRole('button', { name: /Show the image/ }).press('Enter');
    await page.getByAltText('a map').waitFor({ state: 'attached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Preview');
  });
});

it('settings that the server refuses go back to what is true, with its words', async () => {
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

it('a read-only notebook says so where the tools were, and they come back', async () => {
  const tool = page.getByRole('toolbar').getByRole('button', { name: /^Bold/ });
  await desk.change(made, { readOnly: true });
  await desk.open(page, made);
  await page.getByText('This notebook is read-only. You can switch that off under Share.').waitFor();
  await expect.poll(() => tool.count()).toBe(0);
  await page.getByRole('button', { name: /^Find and replace/ }).press('Tab');
  await page.keyboard.press('Shift+Tab');
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Find and replace/);
  await desk.change(made, { readOnly: false });
  await lookForChanges(page);
  await tool.waitFor();
});
