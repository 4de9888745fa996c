import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EditorDesk } from './editor-desk.ts';

let desk: EditorDesk;
let page: Page;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
afterEach(async () => {
  expect(desk.complaints).toEqual([]);
  await desk.context.close();
});

const phone: BrowserContextOptions = { viewport: { width: 390, height: 400 }, hasTouch: true, isMobile: true };
const field = () => page.locator('#markdown-field');
const share = () => page.getByRole('button', { name: 'Share' });

/** Pixels of the seen window that are not the text. */
const chrome = (seen: number) =>
  field().evaluate((one, height) => {
    const { top, bottom } = one.getBoundingClientRect();
    return Math.round(top + Math.abs(height - bottom));
  }, seen);

async function open(options: BrowserContextOptions): Promise<void> {
  page = await desk.newPage(options);
  await desk.open(page, await desk.create({ title: 'Picnic', pages: [{ markdown: '# Picnic\n\nBring bread.\n'.repeat(20) }] }));
}

// At most 120 px of chrome stay with the keyboard up.
describe('a phone with its keyboard up', () => {
  it.each([
    [390, 400],
    [360, 330],
    [800, 300],
  ])('of %i × %i px leaves all but 120 px to the text while one writes; the rest comes back after', async (width, height) => {
    await open({ ...phone, viewport: { width, height } });
    await expect.poll(() => share().isVisible()).toBe(true);
    await field().tap();
    await expect.poll(() => chrome(height)).toBeLessThanOrEqual(120);
    for (const name of [/^Bold/, /^Undo/]) await expect.poll(() => page.getByRole('button', { name }).isVisible()).toBe(true);
    await expect.poll(() => page.locator('.save-state').isVisible()).toBe(true);
    await page.getByRole('button', { name: /^Bold/ }).tap();
    await expect.poll(() => chrome(height)).toBeLessThanOrEqual(120);
    await page.getByLabel('Notebook title').tap();
    await expect.poll(() => share().isVisible()).toBe(true);
  });

  it.each([
    [320, 568],
    [720, 450],
    [360, 225],
  ])(
    'of %i × %i px: neither the list of pages nor the toolbar lies under the messages, and all of it can be reached',
    async (width, height) => {
      await open({ ...phone, viewport: { width, height } });
      await page.getByRole('button', { name: 'Pages', exact: true }).tap();
      await page.getByRole('button', { name: 'Keep it in the list' }).waitFor();
      const covered = () =>
        page.evaluate(() => {
          const box = (of: string) => document.querySelector(of)!.getBoundingClientRect();
          const notes = box('.session-notes').top + 1;
          const { scrollHeight } = document.body;
          return [
            box('.page-list').bottom > notes,
            box('.toolbar').bottom > notes,
            box('.session-notes').bottom > scrollHeight + 1,
          ];
        });
      await expect.poll(covered).toEqual([false, false, false]);
      // A page that was added is written in at once.
      await page.getByRole('button', { name: 'Add page' }).tap();
      await page.getByRole('button', { name: 'Empty page' }).tap();
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('markdown-field');
      await expect.poll(() => field().isVisible()).toBe(true);
    },
  );

  it('keeps the way out of the focus mode', async () => {
    await open(phone);
    await page.getByRole('button', { name: 'Focus' }).tap();
    await field().tap();
    await expect.poll(() => chrome(400)).toBeLessThanOrEqual(120);
    await page.getByRole('button', { name: 'Focus' }).tap();
    await expect.poll(() => page.locator('.toolbar').isVisible()).toBe(true);
  });

  it('that lies over the page, as on iOS: the editor is as high as what is seen, and where it is seen', async () => {
    page = await desk.newPage({ ...phone, viewport: { width: 390, height: 844 } });
    await page.addInitScript(() => {
      const seen = Object.assign(new EventTarget(), { width: 390, height: 844, scale: 1, offsetTop: 0 });
      Object.defineProperty(window, 'visualViewport', { value: seen });
    });
    await desk.open(page, await desk.create({ title: 'Picnic', pages: [{ markdown: '# Picnic' }] }));
    await field().tap();
    await expect.poll(() => chrome(844)).toBeGreaterThan(120);
    await page.evaluate(() => {
      Object.assign(window.visualViewport!, { height: 420, offsetTop: 60 });
      window.visualViewport!.dispatchEvent(new Event('resize'));
    });
    const places = () =>
      page.evaluate(() => {
        const { top, bottom } = document.body.getBoundingClientRect();
        return [top, bottom, Math.round(document.querySelector('#markdown-field')!.getBoundingClientRect().bottom)];
      });
    await expect.poll(places).toEqual([60, 480, 480]);
    await expect.poll(() => chrome(480)).toBeLessThanOrEqual(180);
  });

  it.each([
    [390, 664, 330],
    [844, 390, 150],
    [320, 568, 230],
  ])('that lies over a page of %i × %i px and leaves %i: half of it is text when one searches', async (width, height, left) => {
    await open({ ...phone, viewport: { width, height } });
    await field().tap();
    await page.evaluate(seen => {
      Object.defineProperty(window.visualViewport!, 'height', { get: () => seen });
      window.visualViewport!.dispatchEvent(new Event('resize'));
    }, left);
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: /^Find/ }).tap();
    await page.keyboard.type('bread');
    await page.getByText(/^\d+ of 20$/).waitFor();
    const ofText = () =>
      field().evaluate((one, seen) => {
        const { top, bottom } = one.getBoundingClientRect();
        return (Math.min(bottom, seen) - top) / seen;
      }, left);
    await expect.poll(ofText).toBeGreaterThan(0.45);
    // All of the panel can be reached.
    await page.getByRole('button', { name: 'Replace all' }).tap();
  });
});

it('with a mouse in a window zoomed to 200 %, Done leads from the text back to the buttons', async () => {
  await open({ viewport: { width: 640, height: 400 } });
  const done = page.getByRole('button', { name: 'Done' });
  await expect.poll(() => done.isVisible()).toBe(false);
  await field().click();
  await expect.poll(() => share().isVisible()).toBe(false);
  await expect.poll(() => chrome(400)).toBeLessThanOrEqual(120);
  await done.click();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Share');
  await expect.poll(() => share().isVisible()).toBe(true);
  await expect.poll(() => page.getByRole('button', { name: 'Pages', exact: true }).isVisible()).toBe(true);
});
