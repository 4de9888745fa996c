import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import type { Made } from '../support/service-process.ts';
import { find, probes, scrollPage, scrollTo, settled } from './scroll-page.ts';

let octavo: ServiceInBrowser;
let page: Page;
let made: Made;

beforeAll(async () => {
  octavo = await ServiceInBrowser.start();
  made = await octavo.create({ title: 'Scroll', pages: [{ markdown: scrollPage }, { markdown: '# Two' }] });
});
afterAll(() => octavo?.close());
beforeEach(async () => {
  await page?.close();
  page = await octavo.browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${octavo.origin}/e/${made.editToken}`);
  await page.locator('.looking .prose').getByText('probe-9-quote').waitFor({ state: 'attached' });
  await settled(page);
});

/** A line of the preview; the field's are a little lower. */
const oneLine = 30;

// Spec 1 §1.5: scrolling one pane scrolls the other.
describe('scrolling', () => {
  it('the text brings the preview to the same line', async () => {
    for (const probe of probes) {
      const { field, looking } = await scrollTo(page, 'field', probe);
      expect(Math.abs(field), probe).toBeLessThan(2);
      expect(Math.abs(looking), probe).toBeLessThanOrEqual(oneLine);
    }
  });

  it('the preview brings the text to the same line', async () => {
    for (const probe of probes) {
      const { field, looking } = await scrollTo(page, 'looking', probe);
      expect(Math.abs(looking), probe).toBeLessThan(2);
      expect(Math.abs(field), probe).toBeLessThanOrEqual(oneLine);
    }
  });

  it('a pane that follows does not push the other one', async () => {
    await scrollTo(page, 'field', probes[4]!);
    const before = await find(page, probes[4]!);
    await page.waitForTimeout(300);
    expect((await find(page, probes[4]!)).field).toBe(before.field);
  });

  it('an image that comes late, or grows, moves nothing away from its line', async () => {
    const probe = 'probe-6-heading';
    await scrollTo(page, 'field', probe);
    await page.evaluate(() => {
      for (const image of document.querySelectorAll<HTMLElement>('.looking img')) image.style.height = '500px';
    });
    await settled(page);
    expect(Math.abs((await find(page, probe)).looking)).toBeLessThanOrEqual(oneLine);
  });

  it('another width of the panes keeps the line', async () => {
    const probe = 'probe-5-heading';
    await scrollTo(page, 'field', probe);
    await page.getByRole('separator', { name: 'Width of the text' }).press('Shift+ArrowRight');
    await settled(page);
    const { field, looking } = await find(page, probe);
    expect(Math.abs(looking - field)).toBeLessThanOrEqual(oneLine);
  });

  it('going to reading and back stays at the place', async () => {
    const probe = 'probe-6-heading';
    await scrollTo(page, 'field', probe);
    await page.keyboard.press('Control+Shift+Digit3');
    await settled(page);
    expect(await page.locator('#markdown-field').isVisible()).toBe(false);
    expect(Math.abs((await find(page, probe)).looking)).toBeLessThanOrEqual(oneLine);
    const next = 'probe-8-heading';
    const top = (await find(page, next)).looking;
    await page.locator('.looking[data-shown="true"]').hover();
    await page.mouse.wheel(0, 1);
    await page
      .locator('.looking[data-shown="true"]')
      .evaluate((pane, by) => pane.scrollBy({ top: by, behavior: 'instant' }), top);
    await settled(page);
    await page.keyboard.press('Control+Shift+Digit2');
    await settled(page);
    expect(Math.abs((await find(page, next)).field)).toBeLessThanOrEqual(oneLine);
  });
});
