import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import type { Made } from '../support/service-process.ts';
import { findFaults } from '../views/axe.ts';
import { handOn, paste } from './hand.ts';
import { screenshot } from './pictures.ts';
import { longWait, openEditor, startWorld, textOf, type World } from './world.ts';

interface Uploaded {
  readonly url: string;
  readonly markdown: string;
}

describe('the images of a notebook', { timeout: 60_000 }, () => {
  let world: World;
  let browser: Browser;
  beforeAll(async () => {
    [world, browser] = await Promise.all([startWorld(), launchChromium()]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  async function upload({ slug, editToken }: Made, width: number): Promise<Uploaded> {
    const body = await sharp({ create: { width, height: 30, channels: 3, background: '#369' } })
      .png()
      .toBuffer();
    const headers = { 'x-edit-token': editToken };
    const answer = await fetch(`${world.origin}/api/notebooks/${slug}/images`, { method: 'POST', headers, body });
    expect(answer.status).toBe(201);
    return (await answer.json()) as Uploaded;
  }

  async function openList(page: Page, made: Made): Promise<void> {
    await openEditor(handOn(page, ''), world, made);
    await showList(page);
  }

  async function showList(page: Page): Promise<void> {
    const more = page.getByRole('button', { name: 'More', exact: true });
    if (await more.isVisible()) await more.click();
    await page.getByRole('button', { name: 'Images', exact: true }).click();
    await page.locator('.image-item').first().waitFor();
  }

  it('shows what is held, says which pages show it, inserts, and deletes after asking', async () => {
    const made = await world.create('one\n', 'two\n');
    const [shown, spare] = [await upload(made, 64), await upload(made, 48)];
    const described = `![A \\[high\\] hill|300](${shown.url})`;
    await fetch(`${world.origin}/api/notebooks/${made.slug}/pages/${made.pageId}`, {
      method: 'PATCH',
      headers: { 'x-edit-token': made.editToken, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'The first', markdown: `one\n${described}\n` }),
    });
    const page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
    await openList(page, made);
    const list = page.getByRole('dialog', { name: 'Images' });
    await list.getByText('This notebook holds 2 images; there is room for 48 more.').waitFor();
    const items = list.locator('.image-item');
    await expect.poll(() => items.nth(0).textContent()).toMatch(/48 × 30, \d+ B.*On no page/);
    await expect.poll(() => items.nth(1).textContent()).toMatch(/64 × 30, \d+ B.*On The firstDescribed as “A \[high\] hill”/);
    const copied = items.nth(1).getByRole('button', { name: 'Copy link of the image “A [high] hill”' });
    await copied.click();
    await list.getByText('The link was copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(described);
    const drawn = () =>
      items
        .nth(1)
        .locator('img')
        .evaluate((image: HTMLImageElement) => image.naturalWidth);
    await expect.poll(drawn, longWait).toBe(64);

    // By keyboard alone: ask, keep, ask, delete.
    await items
      .nth(1)
      .getByRole('button', { name: /^Delete/ })
      .focus();
    await page.keyboard.press('Enter');
    await list.getByText('It is shown on The first, which will then have a gap.').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keep it');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Delete');
    await items
      .nth(1)
      .getByRole('button', { name: /^Delete/ })
      .click();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await list.getByText('The image was deleted.').waitFor();
    await list.getByText('This notebook holds 1 image; there is room for 49 more.').waitFor();
    expect((await fetch(shown.url)).status).not.toBe(200);

    await items
      .first()
      .getByRole('button', { name: /^Insert/ })
      .click();
    await list.waitFor({ state: 'detached' });
    await expect.poll(() => textOf(handOn(page, ''))).toBe(`one\n${described}\n${spare.markdown}`);
    await page.keyboard.press('Control+z');
    await expect.poll(() => textOf(handOn(page, ''))).toBe(`one\n${described}\n`);
    await page.close();
  });

  it('deleted twice at once, an image is said to be deleted, whichever answer comes last', async () => {
    const made = await world.create('one\n');
    await upload(made, 48);
    const context = await browser.newContext({ serviceWorkers: 'block' });
    const page = await context.newPage();
    const go = Promise.withResolvers<void>();
    let asked = 0;
    await page.route('**/images/*', async route => {
      if (route.request().method() === 'DELETE') asked += 1;
      if (asked === 2) await go.promise;
      await route.continue();
    });
    await openList(page, made);
    const list = page.getByRole('dialog', { name: 'Images' });
    await list.getByRole('button', { name: /^Delete/ }).click();
    await list.getByRole('button', { name: 'Delete it' }).evaluate((one: HTMLButtonElement) => {
      one.click();
      one.click();
    });
    await list.getByText('This notebook holds no images yet').waitFor();
    const answer = page.waitForResponse(response => response.request().method() === 'DELETE');
    go.resolve();
    await (await answer).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await expect.poll(() => list.getByRole('status').innerText()).toBe('The image was deleted.');
    await context.close();
  });

  it('inserts nothing into a page that takes no changes: it says so and stays, until the page does', async () => {
    const made = await world.create('one\n');
    const { markdown } = await upload(made, 48);
    const page = await browser.newPage();
    await openList(page, made);
    const list = page.getByRole('dialog', { name: 'Images' });
    const insert = list.getByRole('button', { name: /^Insert/ });
    await world.setReadOnly(made, true);
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await page.locator('#markdown-field[readonly]').waitFor();
    await insert.click();
    await list.getByText('Nothing was inserted: the page takes no changes right now.').waitFor();
    await expect.poll(() => textOf(handOn(page, ''))).toBe('one\n');
    await world.setReadOnly(made, false);
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await page.locator('#markdown-field:not([readonly])').waitFor();
    await insert.click();
    await list.waitFor({ state: 'detached' });
    await expect.poll(() => textOf(handOn(page, ''))).toBe(`one\n${markdown}`);
    await page.close();
  });

  it('at fifty there is room for no more, and one more is refused with its sentence and leaves no trace in the text', async () => {
    const made = await world.create('one\n');
    for (let batch = 0; batch < 10; batch += 1)
      await Promise.all(Array.from({ length: 5 }, (_, place) => upload(made, 20 + place)));
    const page = await browser.newPage();
    await openList(page, made);
    await page.getByText('This notebook holds 50 images; there is room for no more.').waitFor();
    await page.keyboard.press('Escape');
    await page.click('#markdown-field');
    await paste(handOn(page, ''), [await screenshot('late.png')]);
    await page.getByText('This notebook has as many images as it can hold.').waitFor();
    await expect.poll(() => textOf(handOn(page, ''))).toBe('one\n');
    await page.close();
  });

  describe('in one editor', () => {
    let page: Page | undefined;

    it.each([
      ['light', 390],
      ['dark', 390],
      ['light', 1440],
      ['dark', 1440],
    ] as const)(
      'in %s at %i px: nothing serious for axe, no sideways scrolling, uploads and messages included',
      async (colorScheme, width) => {
        const check = async (name: string) => {
          await expect.poll(() => findFaults(now), { message: name }).toEqual([]);
          await expect
            .poll(() => now.evaluate(() => document.documentElement.scrollWidth - innerWidth), { message: name })
            .toBeLessThanOrEqual(0);
        };
        page ??= await openOne();
        const now = page;
        await now.setViewportSize({ width, height: 844 });
        await now.emulateMedia({ colorScheme });
        await showList(now);
        await check('list');
        await now
          .getByRole('dialog')
          .getByRole('button', { name: /^Delete/ })
          .click();
        await check('question');
        await now.keyboard.press('Escape');
        await now.getByRole('dialog').waitFor({ state: 'detached' });
        world.door.hold();
        await paste(handOn(now, ''), [await screenshot('a.png'), { ...(await screenshot('b.png')), bytes: Buffer.from('none') }]);
        await now.getByRole('alert').getByText('b.png').waitFor();
        await expect.poll(world.door.waiting, longWait).toBe(1);
        await check('uploading and failed');
        await now.getByRole('button', { name: 'Cancel a.png' }).click();
        await now.locator('.uploads').getByRole('button', { name: 'Dismiss' }).click();
        world.door.release();
      },
    );

    async function openOne(): Promise<Page> {
      const made = await world.create('one\n');
      await upload(made, 64);
      const opened = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
      await openEditor(handOn(opened, ''), world, made);
      return opened;
    }
  });
});
