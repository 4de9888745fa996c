import type { Locator } from 'playwright-core';
import { vi } from 'vitest';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Where these stand, once they stand still: a hand does not reach for what is still moving. What comes late (typefaces, the preview, a
 * question above) moves everything below it.
 */
export async function standing(...places: readonly Locator[]): Promise<readonly (Box | null)[]> {
  const page = places[0]!.page();
  await page.evaluate(() => document.fonts.ready.then(() => {}));
  let before = '';
  return vi.waitFor(
    async () => {
      await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      const boxes = await Promise.all(places.map(place => place.boundingBox()));
      const now = JSON.stringify(boxes);
      if (now !== before || boxes.includes(null)) {
        before = now;
        throw new Error(`They do not stand still: ${now}`);
      }
      return boxes;
    },
    { timeout: 20_000, interval: 50 },
  );
}
