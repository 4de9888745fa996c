import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import { findFaults } from '../views/axe.ts';

let octavo: ServiceInBrowser;

beforeAll(async () => {
  octavo = await ServiceInBrowser.start();
  for (let made = 0; made < 25; made++) {
    const markdown = `# Lighthouse ${made}\n\nA beacon of the *northern* coast, with 灯台 on its door.`;
    await octavo.create({ visibility: 'public', title: `Coast ${made}`, pages: [{ markdown }] });
  }
  const indexed = async () => {
    const answer = await fetch(`${octavo.origin}/api/search?q=beacon&page=2`);
    return ((await answer.json()) as { items: unknown[] }).items.length;
  };
  await vi.waitUntil(async () => (await indexed()) === 5, { timeout: 60_000, interval: 200 });
}, 120_000);
afterAll(() => octavo?.close());

/** Everything the browser complained about, refusals of the policy among it. */
async function visit(path: string, options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await octavo.browser.newContext(options)).newPage();
  const complaints: string[] = [];
  page.on('console', message => complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(String(error)));
  page.setDefaultTimeout(30_000);
  await page.goto(octavo.origin + path);
  return { page, complaints };
}

/** The words on what has the focus; of a field its label. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null;
    return (element?.labels?.[0]?.textContent ?? element?.textContent ?? '').trim();
  });

async function tabTo(page: Page, words: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    const at = await focused(page);
    if (words.test(at) && at.length < 200) return;
  }
  throw new Error(`the keyboard does not reach ${words}`);
}

describe('the search page', () => {
  it.each([true, false])('is asked, paged through and left by keyboard alone (JavaScript: %s)', async javaScriptEnabled => {
    const { page, complaints } = await visit('/', { javaScriptEnabled });
    // `focused` runs in the debugger's own world, which works without the page's scripts too.
    await tabTo(page, /^Search$/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search');
    await tabTo(page, /^Search for$/);
    await page.keyboard.type('beacon 灯台');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=beacon+%E7%81%AF%E5%8F%B0');
    await expect.poll(() => page.locator('.results li').count()).toBe(20);
    await expect.poll(() => page.locator('.results li').first().locator('mark').allTextContents()).toEqual(['beacon', '灯台']);
    await expect.poll(() => page.locator('#q').inputValue()).toBe('beacon 灯台');
    await tabTo(page, /Page 2/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**&page=2');
    await expect.poll(() => page.locator('.results li').count()).toBe(5);
    await tabTo(page, /^Lighthouse \d+$/);
    const title = await focused(page);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/n/**');
    await expect.poll(() => page.locator('main h1').first().textContent()).toContain(title);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('says aloud that nothing was found', async () => {
    const { page } = await visit('/search?q=nosuchword');
    await expect.poll(() => page.getByRole('status').textContent()).toContain('No public notebook holds');
    await page.context().close();
  });
});

describe('home, search and topic pages', () => {
  const paths = [
    '/',
    '/search',
    '/search?q=northern',
    '/search?q=nosuchword',
    '/search?q=northern&page=99',
    '/burn-after-reading',
  ];
  const looks = (['light', 'dark'] as const).flatMap(colorScheme => [390, 1440].map(width => ({ colorScheme, width })));

  it.each(looks)('have no fault that axe or the console knows, and fit their width: %j', async ({ colorScheme, width }) => {
    const { page, complaints } = await visit(paths[0]!, { colorScheme, viewport: { width, height: 900 } });
    for (const path of paths) {
      if (path !== paths[0]) await page.goto(octavo.origin + path);
      for (const summary of await page.locator('.faq summary').all()) await summary.click();
      await expect.poll(() => findFaults(page), { message: path }).toEqual([]);
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: path })
        .toBeLessThanOrEqual(width);
      // A refused page of results is answered with its status, which the console repeats.
      expect(
        complaints.filter(text => !/status of 422/.test(text)),
        path,
      ).toEqual([]);
    }
    await page.context().close();
  });

  it('keep the structured questions as data, which the policy neither runs nor reports', async () => {
    const { page, complaints } = await visit('/');
    const violations = await page.evaluate(() => performance.getEntriesByType('csp-violation').length);
    const text = await page.locator('script[type="application/ld+json"]').textContent();
    expect(JSON.parse(text ?? '')['@type']).toBe('FAQPage');
    expect({ violations, complaints }).toEqual({ violations: 0, complaints: [] });
    await page.context().close();
  });
});
