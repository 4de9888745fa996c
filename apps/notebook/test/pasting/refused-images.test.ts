import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rateLimits } from '../../src/limits.ts';
import { launchChromium } from '../support/browser.ts';
import type { Made } from '../support/service-process.ts';
import { type Hand, handOn, paste } from './hand.ts';
import { hugeAnimation, noisePicture, photograph, screenshot } from './pictures.ts';
import { fetchImage, imagesIn, longWait, openEditor, startWorld, textOf, type World } from './world.ts';

describe('an image that does not arrive', { timeout: 60_000 }, () => {
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let hand: Omit<Hand, 'close'>;
  let made: Made;
  const sent: string[] = [];

  beforeAll(async () => {
    [world, browser] = await Promise.all([startWorld({ RATE_LIMITS: 'on' }), launchChromium()]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  async function openAnew(prepare: () => Promise<void> = async () => {}): Promise<void> {
    context = await browser.newContext();
    page = await context.newPage();
    hand = handOn(page, '');
    page.on('request', request => request.url().endsWith('/images') && sent.push(request.method()));
    await prepare();
    made = await world.create('one\n');
    await openEditor(hand, world, made);
    sent.length = 0;
  }

  /** The editor that most tests share, with the text it began with and no message. */
  let shared: { context: BrowserContext; page: Page; hand: Omit<Hand, 'close'>; made: Made } | undefined;
  async function openShared(): Promise<void> {
    if (!shared) {
      await openAnew();
      shared = { context, page, hand, made };
    }
    ({ context, page, hand, made } = shared);
    const dismiss = page.locator('.uploads').getByRole('button', { name: 'Dismiss' });
    while ((await dismiss.count()) > 0) await dismiss.first().click();
    await page.locator('#markdown-field').fill('one\n');
    await page.click('#markdown-field');
    await hand.press('Control+End');
    sent.length = 0;
  }

  const message = () => page.locator('.uploads').getByRole('alert');
  const again = () => page.getByRole('button', { name: /^Try again: / });
  const arrived = () => expect.poll(async () => imagesIn(await textOf(hand)).length, longWait).toBe(1);

  /** The text is as before, and goes on. */
  async function expectTextKept(): Promise<void> {
    await expect.poll(() => textOf(hand)).toBe('one\n');
    await page.click('#markdown-field');
    await hand.press('Control+End');
    await hand.type('two');
    await expect.poll(() => textOf(hand)).toBe('one\ntwo');
    await hand.press('Control+s');
    await expect.poll(() => world.savedText(made), longWait).toBe('one\ntwo');
  }

  /** As browsers do that resist being recognized by what they draw. */
  async function falsifyCanvas(): Promise<void> {
    await context.addInitScript(() => {
      Reflect.deleteProperty(globalThis, 'OffscreenCanvas');
      const { getImageData } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.getImageData = function (...place: Parameters<typeof getImageData>) {
        const pixels = getImageData.apply(this, place);
        pixels.data.forEach((_, at) => {
          pixels.data[at] = (at * 97) & 255;
        });
        return pixels;
      };
    });
  }

  it('an animation above 5 MB is not sent: its size is said, and no button leads to the same again', async () => {
    await openShared();
    await paste(hand, [await hugeAnimation()]);
    await message().waitFor();
    await expect
      .poll(() => message().textContent())
      .toBe(
        'long.gif: The image store did not accept that file. It is 6 MB and can’t be shrunk here; the limit is 5 MB. Choose a smaller one.',
      );
    await expect.poll(() => again().count()).toBe(0);
    expect(sent).toEqual([]);
    await expectTextKept();
  });

  it('several files that are no images make one message, which says why for each, once', async () => {
    await openShared();
    const files = { 'empty.png': '', 'paper.pdf': '%PDF-1.7', 'phone.jpg': '\0\0\0\x18ftypheic', 'broken.jpg': 'none' };
    const typeOf = (name: string) => (name.endsWith('.pdf') ? 'application/pdf' : 'image/png');
    await paste(
      hand,
      Object.entries(files).map(([name, text]) => ({ name, type: typeOf(name), bytes: Buffer.from(text, 'latin1') })),
    );
    await page.locator('.uploads').getByText('4 images were not added:').waitFor();
    await expect
      .poll(() => message().getByRole('listitem').allInnerTexts())
      .toEqual([
        'empty.png: It is empty.',
        'paper.pdf: It is a PDF. Save its pages as PNG or JPEG first.',
        'phone.jpg: It is a HEIC photo, which this browser cannot read. Save it as JPEG first.',
        'broken.jpg: This browser cannot read it as an image.',
      ]);
    await expect.poll(() => message().count()).toBe(1);
    await page.getByRole('button', { name: 'Dismiss the message about 4 images' }).click();
    await expect.poll(() => page.locator('.uploads').isVisible()).toBe(false);
    await expectTextKept();
  });

  it('images cut off by a lost line are tried again together', async () => {
    await openShared();
    await context.setOffline(true);
    await paste(hand, [await screenshot('a.png'), await screenshot('b.png')]);
    await page.locator('.uploads').getByText('2 images were not added:').waitFor();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again: 2 images' }).click();
    await expect.poll(async () => imagesIn(await textOf(hand)).length, longWait).toBe(2);
    await expect.poll(() => message().count()).toBe(0);
  });

  it('where drawing is falsified the file goes as it is, upright and without what the camera wrote', async () => {
    await openAnew(falsifyCanvas);
    await paste(hand, [await photograph()]);
    await arrived();
    const { format, metadata, bytes } = await fetchImage(imagesIn(await textOf(hand))[0]!);
    // Only the orientation is left of what the camera wrote, and every browser follows it.
    expect({ format, metadata }).toEqual({ format: 'jpeg', metadata: ['exif', 'orientation'] });
    for (const told of ['Octavo', 'Test camera']) expect(bytes.includes(told)).toBe(false);
    const shown = page.locator('.preview-pane img');
    await expect.poll(() => shown.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth), longWait).toBe(1800);
    await expect.poll(() => shown.evaluate(({ naturalHeight }: HTMLImageElement) => naturalHeight)).toBe(2400);
  });

  it('where drawing is falsified one above 5 MB cannot be made smaller, and that is said', async () => {
    await openAnew(falsifyCanvas);
    await paste(hand, [await noisePicture()]);
    await message().getByText('It is 5.5 MB and can’t be shrunk here; the limit is 5 MB.').waitFor();
    expect(sent).toEqual([]);
    await expectTextKept();
  });

  it('the image store is down: what to do is said, and trying again puts the image in once it is back', async () => {
    await openShared();
    await world.gateway.kill();
    await paste(hand, [await screenshot('photo.png')]);
    await message()
      .getByText('The image store did not accept that file. It may be out of reach for a while: try again in a minute.')
      .waitFor();
    await expectTextKept();
    await world.gateway.revive();
    await again().click();
    await arrived();
    await expect.poll(() => textOf(hand)).toMatch(/^one\ntwo!\[photo\]\(http[^)]+\)$/);
  });

  it('the connection is gone: the same', async () => {
    await openShared();
    await context.setOffline(true);
    await paste(hand, [await screenshot('photo.png')]);
    await message().getByText('The server cannot be reached. Try again when there is a connection.').waitFor();
    await expect.poll(() => textOf(hand)).toBe('one\n');
    await context.setOffline(false);
    await again().click();
    await arrived();
  });

  it('too many in ten minutes: how long to wait is said, in minutes', async () => {
    await openShared();
    const { bytes } = await screenshot();
    for (let count = 0; count < rateLimits.imageUpload.max; count += 1) {
      // Refused for what they are not, and counted all the same: the limit is looked at first.
      const { editToken, slug } = made;
      const answer = await fetch(`${world.origin}/api/notebooks/${slug}/images`, {
        method: 'POST',
        headers: { 'x-edit-token': editToken },
        body: new Uint8Array(bytes.subarray(0, 40)),
      });
      if (answer.status === 429) break;
      expect(answer.status).toBe(415);
    }
    await paste(hand, [await screenshot('photo.png')]);
    await message()
      .getByText(/^photo\.png: Too many images came from this connection\. Try again in (?:10|\d) minutes\.$/)
      .waitFor();
    await expect.poll(() => again().count()).toBe(1);
    await expectTextKept();
  });
});
