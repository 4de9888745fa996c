import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { borrowService } from '../support/lent-service.ts';
import type { OwnService } from '../support/own-service.ts';

let service: OwnService;
let browser: Browser;
beforeAll(async () => {
  service = await borrowService();
  browser = await launchChromium();
});
afterAll(() => browser?.close());

it('a heading’s address has its words alone, opens at the heading, and is what a click leaves behind', async () => {
  const far = 'line\n\n'.repeat(200);
  const { slug } = await service.create({
    pages: [{ markdown: `# Top\n\n[down](#über-uns)\n\n${far}## Über uns\n\n${far}## Next\n` }],
  });
  const address = `${service.origin}/n/${slug}`;
  const page = await browser.newPage();
  const offset = (name: string) =>
    page
      .getByRole('heading', { name, level: 2 })
      .evaluate(heading => Math.abs(heading.getBoundingClientRect().top) < innerHeight / 2);
  await page.goto(`${address}#next`);
  await expect.poll(() => offset('Next')).toBe(true);
  await expect.poll(() => new URL(page.url()).hash).toBe('#next');
  await page.goto(address);
  await page.getByRole('link', { name: 'down', exact: true }).click();
  await expect.poll(() => offset('Über uns')).toBe(true);
  await expect.poll(() => decodeURIComponent(new URL(page.url()).hash)).toBe('#über-uns');
});
