import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { type Hand, handOn, paste } from './hand.ts';
import { screenshot } from './pictures.ts';
import { fetchImage, imagesIn, longWait, openAsVisitor, startWorld, textOf, type World } from './world.ts';

describe('a visitor under open editing', { timeout: 60_000 }, () => {
  let world: World;
  let browser: Browser;
  let page: Page;
  let hand: Omit<Hand, 'close'>;
  beforeAll(async () => {
    [world, browser] = await Promise.all([startWorld(), launchChromium()]);
    page = await browser.newPage();
    hand = handOn(page, '');
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  it('pastes an image: it is stored, in the text and on the view, and no token was sent', async () => {
    const made = await world.createOpen('one\n');
    const tokens: (string | undefined)[] = [];
    page.on('request', request => request.url().endsWith('/images') && tokens.push(request.headers()['x-edit-token']));
    await openAsVisitor(hand, world, made);
    await paste(hand, [await screenshot('photo.png')]);
    await expect.poll(async () => imagesIn(await textOf(hand)).length, longWait).toBe(1);
    const text = await textOf(hand);
    expect(text).toMatch(/^one\n!\[photo\]\(http[^)]+\)$/);
    expect(await fetchImage(imagesIn(text)[0]!)).toMatchObject({ format: 'webp', width: 1200, height: 800 });
    await expect.poll(() => world.savedText(made), longWait).toBe(text);
    expect(tokens).toEqual([undefined]);
    // The list shows what the whole notebook holds, with buttons to delete: that is the owner's.
    await expect.poll(() => page.getByRole('button', { name: 'Images', exact: true }).count()).toBe(0);
    await page.goto(`${world.origin}/n/${made.slug}`);
    await expect
      .poll(() => page.locator('.prose img').evaluate((image: HTMLImageElement) => image.naturalWidth), longWait)
      .toBe(1200);
  });

  it('and when the owner ends it meanwhile, the image is refused and the text stays as it was', async () => {
    const made = await world.createOpen('one\n');
    await openAsVisitor(hand, world, made);
    world.door.hold();
    await paste(hand, [await screenshot('photo.png')]);
    await expect.poll(world.door.waiting, longWait).toBe(1);
    await fetch(`${world.origin}/api/notebooks/${made.slug}`, {
      method: 'PATCH',
      headers: { 'x-edit-token': made.editToken, 'content-type': 'application/json' },
      body: JSON.stringify({ openEditing: false }),
    });
    world.door.release();
    await page.locator('.uploads').getByRole('alert').waitFor();
    await expect.poll(() => textOf(hand)).toBe('one\n');
  });
});
