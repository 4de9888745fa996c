import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import type { Made } from '../support/service-process.ts';
import { EditorDesk } from './editor-desk.ts';

// The browser's own setting, which also scales the widths that the style sheet asks for. WCAG 1.4.4: 200 %.
const twice = () => launchChromium({ args: ['--blink-settings=defaultFontSize=32,defaultFixedFontSize=26'] });
const pages = [{ markdown: 'Bring bread.\n\n'.repeat(40) }, { markdown: '# Two' }];

let desk: EditorDesk;
let made: Made;
let page: Page;
beforeAll(async () => {
  desk = await EditorDesk.start(twice);
  made = await desk.create({ title: 'Picnic', openEditing: true, pages });
});
afterAll(() => desk?.close());
afterEach(() => desk.context.close());

const widerBy = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

describe.each([
  [390, 844],
  [1280, 800],
])('text at twice its size, in a window of %i × %i', (width, height) => {
  it('the editor is as wide as the window, and its text does not reach under the messages', async () => {
    page = await desk.newPage({ viewport: { width, height } });
    await desk.open(page, made);
    await page.getByRole('button', { name: 'Keep it in the list' }).waitFor();
    const reachesUnder = () =>
      page.evaluate(() => {
        const [field, notes] = ['#markdown-field', '.session-notes'].map(of =>
          document.querySelector(of)!.getBoundingClientRect(),
        );
        return field!.bottom - notes!.top > 1 || field!.height < 100;
      });
    await expect.poll(reachesUnder).toBe(false);
    await expect.poll(widerBy).toBe(0);
    for (const name of ['Pages', 'Focus', 'More']) {
      const box = (await page.getByRole('button', { name, exact: true }).boundingBox())!;
      expect(box.x + box.width).toBeLessThanOrEqual(width);
    }
  });

  it('a page to read is as wide as the window', async () => {
    page = await desk.newPage({ viewport: { width, height } });
    await page.goto(`${desk.service.origin}/n/${made.slug}`);
    await expect.poll(widerBy).toBe(0);
    const box = (await page.getByRole('button', { name: 'Dark mode' }).boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(width);
  });
});
