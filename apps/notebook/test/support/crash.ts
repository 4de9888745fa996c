import type { Page } from 'playwright-core';

/**
 * Crashes the tab. Only the event shows that its process is gone: navigation fails some 30 ms earlier, and a service worker in that process
 * would take the next page's request with it.
 */
export async function crash(page: Page): Promise<void> {
  const died = page.waitForEvent('crash');
  await page.goto('chrome://crash').catch(() => undefined);
  await died;
}
