import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { renderHome } from '../../src/views/home.tsx';
import { launchChromium } from '../support/browser.ts';
import { type ClientSite, startClientSite } from './client-site.ts';
import { hostile } from './samples.ts';

let site: ClientSite;
let browser: Browser;
let context: BrowserContext;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  site = await startClientSite(client => ({ '/': renderHome(client, { deleted: false }) }));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
  complaints.length = 0;
  page.on('pageerror', error => complaints.push(error.message));
  page.on(
    'console',
    message =>
      message.type() === 'error' && !message.text().startsWith('Failed to load resource') && complaints.push(message.text()),
  );
  await page.goto(site.origin);
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

const editToken = 'A'.repeat(43);

async function keep(slug: string, entry: Record<string, unknown> | string): Promise<void> {
  const text = typeof entry === 'string' ? entry : JSON.stringify({ slug, editToken, savedAt: 1, expiresAt: null, ...entry });
  await page.evaluate(([key, value]) => localStorage.setItem(key!, value!), [`octavo.notebook.${slug}`, text]);
}

const names = () => page.locator('.saved-name a').allTextContents();

it('lists what this browser keeps, last used first, with links to view and edit', async () => {
  await keep('older', { title: 'Older', savedAt: 1_000 });
  await keep('newer', { title: '新しい 📓', savedAt: 2_000 });
  await page.reload();
  await expect.poll(() => names()).toEqual(['新しい 📓', 'Older']);
  await expect.poll(() => page.getByRole('link', { name: 'Older', exact: true }).getAttribute('href')).toBe('/n/older');
  await expect.poll(() => page.getByRole('link', { name: 'Edit: Older' }).getAttribute('href')).toBe('/edit/older');
  expect(await page.content()).not.toContain(editToken);
});

it('shows a hostile title as text', async () => {
  await keep('hostile', { title: hostile });
  await page.reload();
  await expect.poll(() => names()).toEqual([hostile]);
});

it.each([
  ['not JSON', '{'],
  ['another shape', '[]'],
  ['null', 'null'],
  ['no edit token', JSON.stringify({ slug: 'x-x', title: 'x' })],
  ['a slug that is a path', JSON.stringify({ slug: '../evil', title: 'x', editToken })],
])('passes over an entry that is %s', async (_fault, text) => {
  await keep('good', { title: 'Good' });
  await keep('bad', text);
  await page.reload();
  await expect.poll(() => names()).toEqual(['Good']);
});

it('tells notebooks of one title apart by their addresses, on the page and for screen readers', async () => {
  await keep('one-list', { title: 'List' });
  await keep('other-list', { title: 'List' });
  await keep('alone', { title: 'Alone' });
  await page.reload();
  await expect.poll(async () => (await names()).sort()).toEqual(['Alone', 'List (one-list)', 'List (other-list)']);
  await page.getByRole('button', { name: 'Remove from this list: List (one-list)' }).click();
  await expect.poll(async () => (await names()).sort()).toEqual(['Alone', 'List']);
  await page.getByRole('button', { name: 'Undo removing List' }).click();
  await expect.poll(async () => (await names()).sort()).toEqual(['Alone', 'List (one-list)', 'List (other-list)']);
});

it('removes from the list with the edit token, and brings both back by Undo', async () => {
  await keep('gone', { title: 'Gone' });
  await keep('stays', { title: 'Stays' });
  await page.reload();
  const stored = () => page.evaluate(() => localStorage.getItem('octavo.notebook.gone'));
  await page.getByRole('button', { name: 'Remove from this list: Gone' }).click();
  await expect.poll(() => names()).toEqual(['Stays']);
  await expect.poll(() => stored()).toBeNull();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Undo removing Gone');
  await page.keyboard.press('Enter');
  await expect.poll(() => names()).toHaveLength(2);
  await expect.poll(() => stored()).toContain(editToken);
  await page.getByRole('button', { name: 'Remove from this list: Gone' }).click();
  await page.reload();
  await expect.poll(() => names()).toEqual(['Stays']);
});

it('brings back by Undo what another tab has kept since then, not the edit link that it replaced', async () => {
  await keep('gone', { title: 'Gone' });
  await page.reload();
  await page.getByRole('button', { name: 'Remove from this list: Gone' }).click();
  await keep('gone', { title: 'Gone', editToken: 'B'.repeat(43), savedAt: 2, listed: false });
  await page.getByRole('button', { name: 'Undo removing Gone' }).click();
  await expect.poll(() => names()).toEqual(['Gone']);
  await expect.poll(() => page.evaluate(() => localStorage.getItem('octavo.notebook.gone'))).toContain('B'.repeat(43));
});

it('does not give up an edit link that the browser would not take back', async () => {
  await keep('gone', { title: 'Gone' });
  await page.reload();
  await page.getByRole('button', { name: 'Remove from this list: Gone' }).click();
  await page.evaluate(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = () => {
      Storage.prototype.setItem = setItem;
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  const undo = page.getByRole('button', { name: 'Undo removing Gone' });
  await undo.click();
  await page.getByText('This browser did not keep it.').waitFor();
  await undo.click();
  await expect.poll(() => names()).toEqual(['Gone']);
  await expect.poll(() => page.evaluate(() => localStorage.getItem('octavo.notebook.gone'))).toContain(editToken);
  await expect.poll(() => undo.count()).toBe(0);
});

it('keeps the focus at its entry when another tab changes the list', async () => {
  await keep('stays', { title: 'Stays' });
  await page.reload();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  const other = await context.newPage();
  await other.goto(site.origin);
  const write = (slug: string) =>
    other.evaluate(
      ([name, token]) =>
        localStorage.setItem(
          `octavo.notebook.${name}`,
          JSON.stringify({ slug: name, title: name, editToken: token, savedAt: 1, expiresAt: null }),
        ),
      [slug, editToken],
    );
  for (const [name, slug] of [
    ['Remove from this list: Stays', 'second'],
    ['Edit: Stays', 'third'],
  ] as const) {
    await page.locator(`[aria-label="${name}"]`).focus();
    await write(slug);
    await page.getByRole('link', { name: slug, exact: true }).waitFor();
    await expect.poll(focused).toBe(name);
  }
});

it('says what will be here when there is nothing yet', async () => {
  await expect.poll(() => page.getByText('Notebooks you create are listed here').isVisible()).toBe(true);
  await expect.poll(() => page.locator('[data-saved-list]').isVisible()).toBe(false);
});

it('says so when storage is blocked, and the rest of the page works', async () => {
  await context.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get: () => {
        throw new DOMException('denied', 'SecurityError');
      },
    });
  });
  await page.reload();
  await expect.poll(() => page.getByText('This browser keeps nothing for this site').isVisible()).toBe(true);
  await page.getByRole('button', { name: 'Dark mode' }).click();
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
});

it('follows another tab that saves one', async () => {
  const other = await context.newPage();
  await other.goto(site.origin);
  await other.evaluate(
    token =>
      localStorage.setItem(
        'octavo.notebook.there',
        JSON.stringify({ slug: 'there', title: 'There', editToken: token, savedAt: 1, expiresAt: null }),
      ),
    editToken,
  );
  await page.getByRole('link', { name: 'There', exact: true }).waitFor();
});

it('remembers the theme before the first paint of the next page', async () => {
  await page.getByRole('button', { name: 'Dark mode' }).click();
  await page.reload();
  // The theme script is classic and blocking: it has run when the body begins.
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
  await expect.poll(() => page.getByRole('button', { name: 'Dark mode', pressed: true }).isVisible()).toBe(true);
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.body).colorScheme)).toBe('dark');
});
