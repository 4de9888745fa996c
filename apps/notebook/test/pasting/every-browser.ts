import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { type BrowserKind, type Hand, paste, readField } from './hand.ts';
import { animatedGif, brokenPicture, photograph, photographCorners, screenshot } from './pictures.ts';
import { fetchImage, imagesIn, longWait, openEditor, startWorld, textOf, type World } from './world.ts';

const emptyImage = /!\[[^\]]*\]\(\s*\)/;

/** Undoes until the text is this one; every text on the way. */
async function walk(hand: Hand, step: 'undo' | 'redo', goal: string): Promise<string[]> {
  const seen = [await textOf(hand)];
  while (seen.at(-1) !== goal && seen.length < 60) {
    await hand[step]();
    seen.push(await textOf(hand));
  }
  expect(seen.at(-1)).toBe(goal);
  return seen;
}

/** What each browser must do with images; `webp` says whether it can write them. */
export function pastingStory(kind: BrowserKind, { webp }: { webp: boolean }): void {
  describe.skipIf(kind.missing)(`images in ${kind.name}`, { timeout: 120_000 }, () => {
    let world: World;
    let hand: Hand;
    beforeAll(async () => {
      [world, hand] = await Promise.all([startWorld(), kind.start()]);
    }, 120_000);
    afterAll(async () => {
      await hand?.close();
      await world?.close();
    });

    let made: Made | undefined;
    /** One editor serves them all: with this text, and the caret behind it. */
    async function useEditor(text: string): Promise<Made> {
      if (!made) {
        made = await world.create(text);
        await openEditor(hand, world, made);
      }
      if ((await textOf(hand)) !== text) await hand.run(writeText, text);
      expect(await textOf(hand)).toBe(text);
      await hand.press('Control+End');
      return made;
    }

    it('three at once, chosen as files, while the person types: the text, what is stored, undo and redo', async () => {
      const before = '# Trip\n\n';
      const made = await useEditor(before);
      const gif = await animatedGif();
      world.door.hold();
      await hand.choose([await photograph(), gif, await screenshot()]);
      await expect.poll(world.door.waiting, longWait).toBe(2);
      const uploading = await textOf(hand);
      expect(uploading.match(/\[Uploading [^\]]+… #[a-z0-9]{6}\]/g)).toHaveLength(3);
      expect(uploading).not.toContain('](');
      await hand.type(' so');
      await hand.press('Control+Home');
      await hand.type('My ');
      world.door.release();
      await expect.poll(async () => imagesIn(await textOf(hand)).length, longWait).toBe(3);

      const { text, start, end, focused } = await readField(hand);
      const [photo, movement, window] = imagesIn(text) as [string, string, string];
      expect(text).toBe(`My ${before}![IMG_2041 \\[beach\\]](${photo})\n![wave](${movement})\n![screenshot](${window}) so`);
      expect({ start, end, focused }).toEqual({ start: 3, end: 3, focused: true });

      const stored = await fetchImage(photo);
      expect(stored).toMatchObject({ format: webp ? 'webp' : 'jpeg', width: 1200, height: 1600, metadata: [] });
      expect(stored.cacheControl).toBe('public, max-age=31536000, immutable');
      stored.corners.forEach((corner, place) => {
        photographCorners[place]!.forEach((value, channel) => {
          expect(Math.abs(corner[channel]! - value), `corner ${place}`).toBeLessThan(24);
        });
      });
      expect((await fetchImage(movement)).bytes.equals(gif.bytes)).toBe(true);
      expect(await fetchImage(window)).toMatchObject({ format: webp ? 'webp' : 'png', width: 1200, height: 800, metadata: [] });

      const undone = await walk(hand, 'undo', before);
      const redone = await walk(hand, 'redo', text);
      for (const seen of [...undone, ...redone]) expect(seen).not.toMatch(emptyImage);
      await expect.poll(() => world.savedText(made), longWait).toBe(text);
    });

    it('pasted and waited for: one step of undo, and no placeholder ever again', async () => {
      await useEditor('# Trip\n\n');
      await hand.type('see ');
      expect(await paste(hand, [await screenshot()])).toBe(true);
      await expect.poll(async () => imagesIn(await textOf(hand)).length, longWait).toBe(1);
      const { text, start } = await readField(hand);
      expect(text).toMatch(/^# Trip\n\nsee !\[screenshot\]\(http[^)]+\)$/);
      expect(start).toBe(text.length);
      await hand.undo();
      expect(await textOf(hand)).toBe('# Trip\n\nsee ');
      await hand.redo();
      expect(await textOf(hand)).toBe(text);
    });

    const webpOnly = webp ? it : () => undefined;
    webpOnly('is WebP at quality 82 %: byte for byte what the browser makes of these pixels', async () => {
      await useEditor('');
      const picture = await screenshot();
      await paste(hand, [picture]);
      await expect.poll(async () => imagesIn(await textOf(hand)).length, longWait).toBe(1);
      const stored = await fetchImage(imagesIn(await textOf(hand))[0]!);
      const encoded = (quality: number) => hand.run(encodeWebp, { base64: picture.bytes.toString('base64'), quality });
      expect(stored.bytes.toString('base64')).toBe(await encoded(0.82));
      expect(await encoded(0.81)).not.toBe(await encoded(0.82));
    });

    it('a file that is none: the text is as before, and a sentence says why', async () => {
      await useEditor('# Trip\n\n');
      await paste(hand, [brokenPicture]);
      const message = () => hand.run(() => document.querySelector('.uploads [role="alert"]')?.textContent ?? '', undefined);
      await expect
        .poll(message, longWait)
        .toBe('broken.png: The image store did not accept that file. This browser cannot read it as an image.');
      expect(await textOf(hand)).toBe('# Trip\n\n');
      await hand.type('on');
      expect(await textOf(hand)).toBe('# Trip\n\non');
    });
  });
}

/** In the page. */
function writeText(text: string): void {
  const field = document.querySelector<HTMLTextAreaElement>('#markdown-field')!;
  field.focus();
  field.select();
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
}

/** In the page. */
async function encodeWebp({ base64, quality }: { base64: string; quality: number }): Promise<string> {
  const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))]));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
  const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}
