import type { Page } from 'playwright-core';

/**
 * The tab dies without a word. Only the event says that its process is gone: going to the address fails some 30 ms before, and a
 * service worker that the process runs would take the next page's request with it.
 */
export async function crash(page: Page): Promise<void> {
  const died = page.waitForEvent('crash');
  await page.goto('chrome://crash').catch(() => undefined);
  await died;
}
