import type { Browser } from 'playwright-core';
import { By, until, type WebDriver } from 'selenium-webdriver';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { firefoxMissing, launchFirefox } from '../support/firefox.ts';
import { OwnService } from '../support/own-service.ts';
import { launchWebKit, type WebKit, webkitMissing } from '../support/webkit.ts';
import { Elsewhere, eventually, Writer } from './writer.ts';

const start = '# One\n\nabove\n\nmiddle\n\nbelow';

// Saves, retries and restarts wait for real seconds, on a busy machine for more of them.
vi.setConfig({ testTimeout: 120_000 });

let service: OwnService;

beforeAll(async () => {
  service = await OwnService.start();
});
afterAll(() => service?.close());

const create = async () => new Elsewhere(service.origin, await service.create({ pages: [{ markdown: start }] }));

/** The same port again, with everything that was answered. */
async function restart(): Promise<void> {
  await service.kill();
  await service.startAgain();
}

// What a save does when the server is gone our own code decides (killed.test.ts, and offline/editor.test.ts in Firefox too). An engine decides
// how an edit is undone, what tabs hear of each other, and what of a closed tab stays.
describe.skipIf(firefoxMissing)('Firefox', () => {
  let browser: Browser;
  beforeAll(async () => {
    // Another release of the driver: the same calls, and types that name each other.
    browser = (await launchFirefox()) as unknown as Browser;
  });
  afterAll(() => browser?.close());

  it('merges what a tab wrote into another’s unsaved words, and undoes it', async () => {
    const elsewhere = await create();
    const context = await browser.newContext();
    const one = await Writer.open(context, elsewhere);
    const other = await Writer.open(context, elsewhere);
    await one.says('Open in another tab');
    const release = await other.holdSaves();
    await other.typeAfter('below', ', by the other');
    await one.typeAfter('above', ', by one');
    await one.page.keyboard.press('Control+s');
    await one.state('saved');
    await release();
    await other.says('Changes from elsewhere were merged in.');
    const both = start.replace('above', 'above, by one').replace('below', 'below, by the other');
    await expect.poll(() => other.caret()).toBe(`${both}|`);
    await eventually(() => elsewhere.text()).toBe(both);
    await other.field.focus();
    await other.page.keyboard.press('Control+z');
    await expect.poll(() => other.text()).toBe(both.replace(', by one', ''));
    await context.close();
  });

  it('keeps what was typed without a server when its tab is closed, and takes it up again', async () => {
    const elsewhere = await create();
    const context = await browser.newContext();
    const writer = await Writer.open(context, elsewhere);
    await service.kill();
    await writer.typeAfter('below', ', without a server');
    await writer.says('The server can’t be reached – kept on this device');
    await writer.vanish();
    await restart();
    const again = await Writer.open(context, elsewhere);
    await again.says(/Unsaved text from .* was restored/);
    await again.state('saved');
    await expect.poll(() => elsewhere.text()).toBe(`${start}, without a server`);
    await context.close();
  });
});

describe.skipIf(webkitMissing)('WebKit', () => {
  let webkit: WebKit;
  let driver: WebDriver;
  beforeAll(async () => {
    webkit = await launchWebKit();
    driver = webkit.driver;
  });
  afterAll(() => webkit?.close());

  const shows = (words: string) => driver.wait(until.elementLocated(By.xpath(`//*[contains(text(), '${words}')]`)), 20_000);
  const text = () => driver.executeScript<string>("return document.querySelector('#markdown-field').value");
  async function open(elsewhere: Elsewhere): Promise<void> {
    await driver.get(`${service.origin}/e/${elsewhere.made.editToken}`);
    await driver.wait(until.elementLocated(By.css('#markdown-field')), 20_000);
  }
  const typeAtEnd = (typed: string) =>
    driver.executeScript(
      `const field = document.querySelector('#markdown-field');
       field.focus();
       field.setSelectionRange(field.value.length, field.value.length);
       document.execCommand('insertText', false, arguments[0]);`,
      typed,
    );

  it('merges what another machine wrote', async () => {
    const elsewhere = await create();
    await open(elsewhere);
    // A slow machine must not look for news before it has something unsaved.
    await driver.executeScript(
      "const real = fetch; window.fetch = (path, how) => how.method === 'GET' ? Promise.reject(new TypeError()) : real(path, how)",
    );
    await elsewhere.save(start.replace('above', 'above, theirs'));
    await typeAtEnd(', mine');
    await shows('Changes from elsewhere were merged in.');
    const both = `${start.replace('above', 'above, theirs')}, mine`;
    await expect.poll(() => text()).toBe(both);
    await eventually(() => elsewhere.text()).toBe(both);
  });

  it('keeps what was typed without a server, and takes it up again', async () => {
    const elsewhere = await create();
    await open(elsewhere);
    await service.kill();
    await typeAtEnd(', without a server');
    await shows('kept on this device');
    // It asks before it leaves unsaved text; a person who insists loses nothing.
    await driver.executeScript('addEventListener("beforeunload", event => event.stopImmediatePropagation(), true)');
    await restart();
    await driver.get('about:blank').catch(() => driver.switchTo().alert().accept());
    await open(elsewhere);
    await eventually(text).toBe(`${start}, without a server`);
    await eventually(() => elsewhere.text()).toBe(`${start}, without a server`);
  });
});
