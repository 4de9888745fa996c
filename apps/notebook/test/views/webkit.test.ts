import { By, until } from 'selenium-webdriver';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { borrowService } from '../support/lent-service.ts';
import type { OwnService } from '../support/own-service.ts';
import { launchWebKit, type WebKit, webkitMissing } from '../support/webkit.ts';

let service: OwnService;
let webkit: WebKit;

beforeAll(async () => {
  if (webkitMissing) return;
  service = await borrowService();
  webkit = await launchWebKit();
});
afterAll(() => webkit?.close());

it.skipIf(webkitMissing)('WebKit opens the editor, writes, and readers see it', async () => {
  const { driver } = webkit;
  const made = await service.create({ pages: [{ markdown: '# From elsewhere' }] });
  await driver.get(`${service.origin}/e/${made.editToken}`);
  const field = await driver.wait(until.elementLocated(By.css('#markdown-field')), 20_000);
  // The token has left the address bar: the whole start of the editor ran.
  await driver.wait(until.urlContains(`/edit/${made.slug}`), 20_000);
  await field.sendKeys('\n\nWritten in WebKit.');
  await driver.wait(until.elementLocated(By.css('.save-state[data-state="saved"]')), 20_000);
  await driver.wait(
    async () => (await (await fetch(`${service.origin}/n/${made.slug}.md`)).text()).includes('in WebKit.'),
    20_000,
  );
  await driver.get(`${service.origin}/n/${made.slug}`);
  expect(await driver.findElement(By.css('main')).getText()).toContain('Written in WebKit.');
});
