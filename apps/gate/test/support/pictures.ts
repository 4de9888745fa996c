import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium } from '../../../../tools/chromium.ts';

const folder = process.env.PICTURES ?? join(tmpdir(), 'octavo-gate-pictures');
const sizes = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
] as const;

/**
 * Opens each scene in light and dark, on a phone and on a desk, in a browser of its own, and takes a picture.
 * @param open shows the scene and says its name @returns which were wider than their window
 */
export async function photograph<S>(scenes: readonly S[], open: (scene: S, page: Page) => Promise<string>): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const browser = await launchChromium();
  const tooWide: string[] = [];
  for (const scene of scenes)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const viewport of sizes) {
        const context = await browser.newContext({ colorScheme, viewport });
        const page = await context.newPage();
        const name = await open(scene, page);
        if (await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth))
          tooWide.push(`${name} at ${viewport.width}`);
        await page.screenshot({ path: join(folder, `${name}-${viewport.width}-${colorScheme}.png`) });
        await context.close();
      }
  await browser.close();
  return tooWide;
}
