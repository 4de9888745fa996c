import type { Page } from 'playwright-core';

/** Signs in at oidc-provider's own pages: a name and any password, consent where it asks. Ends when the browser is back at the gate. */
export async function signInAtOpenIdProvider(page: Page, name: string, gateOrigin: string): Promise<void> {
  const isBack = () => page.url().startsWith(`${gateOrigin}/`);
  for (let step = 0; step < 4 && !isBack(); step += 1) {
    await page.waitForSelector('form[action*="/interaction/"]');
    if ((await page.locator('input[name=login]').count()) > 0) {
      await page.fill('input[name=login]', name);
      await page.fill('input[name=password]', 'any');
    }
    const before = page.url();
    await page.click('button[type=submit]');
    await page.waitForURL(url => url.href !== before);
  }
  if (!isBack()) throw new Error(`still at ${page.url()}`);
}

/** The application's own words about the request that it saw. */
export async function seenBy(
  page: Page,
): Promise<{ method: string; url: string; headers: Record<string, string>; body: string }> {
  return JSON.parse((await page.textContent('#seen')) ?? 'null');
}
