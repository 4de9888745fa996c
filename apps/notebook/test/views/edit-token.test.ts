import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk } from './editor-desk.ts';

// What becomes of the edit token in the editor.
let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
beforeEach(async () => {
  made = await desk.create({ title: 'Desk', pages: [{ markdown: '# One\n\nfirst text' }, { markdown: '# Two' }] });
  page = await desk.newPage();
});
afterEach(async () => {
  await desk.context.close();
  expect(desk.complaints).toEqual([]);
});

const field = () => page.getByRole('textbox', { name: /^Markdown of/ });
const state = (kind: string) => page.locator(`[data-save-state="${kind}"]`).waitFor();
const button = (name: string) => page.getByRole('button', { name, exact: true });
const firstText = async () => (await desk.stored(made)).pages[0]!.markdown;

describe('the edit token', () => {
  it('leaves the address once the browser keeps it', async () => {
    await desk.open(page, made);
    expect(new URL(page.url()).pathname).toBe(`/edit/${made.slug}`);
    expect(await page.content()).not.toContain(made.editToken);
    await page.reload();
    await field().waitFor();
  });

  it('stays in the address when the browser keeps nothing, or a reload would lose it', async () => {
    await desk.context.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
      IDBFactory.prototype.open = () => {
        throw new DOMException('blocked', 'SecurityError');
      };
    });
    await desk.open(page, made);
    expect(new URL(page.url()).pathname).toBe(`/e/${made.editToken}`);
    await field().fill('typed');
    await page.getByText('not kept on this device').first().waitFor();
  });

  it('is asked for where the browser does not know it, as a link or bare', async () => {
    await page.goto(`${desk.service.origin}/edit/${made.slug}`);
    await page.getByLabel('Edit link').fill('https://example.org/not-it');
    await button('Open the editor').click();
    await page.getByRole('alert').getByText('That is not an edit link').waitFor();
    await page.getByLabel('Edit link').fill(`  https://notes.example/e/${made.editToken}  `);
    await button('Open the editor').click();
    await field().waitFor();
  });

  it('leaves the address before the server has answered anything', async () => {
    await page.route('**/api/**', () => {});
    await page.goto(`${desk.service.origin}/e/${made.editToken}`);
    await page.waitForURL(`${desk.service.origin}/edit/${made.slug}`);
    await expect.poll(() => page.evaluate(() => history.length)).toBe(2);
    await page.unrouteAll();
    await page.reload();
    await field().waitFor();
  });

  it('stays in the address when the browser keeps only an older one', async () => {
    await desk.open(page, made);
    const answer = await fetch(`${desk.service.origin}/api/notebooks/${made.slug}/token`, {
      method: 'POST',
      headers: { 'x-edit-token': made.editToken },
    });
    made = { ...made, editToken: ((await answer.json()) as Made).editToken };
    await desk.context.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await desk.open(page, made);
    expect(new URL(page.url()).pathname).toBe(`/e/${made.editToken}`);
  });

  it('leaves the address of a print too: browsers print it on every sheet', async () => {
    await page.goto(`${desk.service.origin}/e/${made.editToken}/print`);
    await page.waitForURL(`${desk.service.origin}/n/${made.slug}/print`);
    expect(await page.content()).not.toContain(made.editToken);
    await page.getByRole('heading', { name: 'Desk' }).waitFor();
  });

  it('that opens nothing is said so, and stays in the list as gone: a server may be wrong for an hour', async () => {
    await desk.open(page, made);
    await fetch(`${desk.service.origin}/api/notebooks/${made.slug}/token`, {
      method: 'POST',
      headers: { 'x-edit-token': made.editToken },
    });
    await page.reload();
    await page.getByText('This edit link no longer works').waitFor();
    const kept = await page.evaluate(slug => localStorage.getItem(`octavo.notebook.${slug}`), made.slug);
    expect(JSON.parse(kept!)).toMatchObject({ editToken: made.editToken, seen: 'gone', title: 'Desk' });
  });

  it('is replaced by a new one on request, which works at once and after a reload', async () => {
    await desk.open(page, made);
    await button('Share').click();
    await button('Replace the edit link').click();
    await button('Replace it').click();
    await page.getByText('The edit link is new').waitFor();
    const fresh = await page.getByLabel('Edit link').inputValue();
    expect(fresh).not.toContain(made.editToken);
    made = { ...made, editToken: fresh.split('/e/')[1]! };
    await page.keyboard.press('Escape');
    await field().fill('# after the change of links');
    await state('saved');
    await expect.poll(() => firstText()).toBe('# after the change of links');
    await page.reload();
    await field().waitFor();
  });
});
