import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeImageFolder } from '../support/image-folder.ts';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import type { Made } from '../support/service-process.ts';
import { findFaults } from './axe.ts';

// With a store for images: the editor has all its dialogs.
const images = makeImageFolder();
let octavo: ServiceInBrowser;
let made: Made;

beforeAll(async () => {
  octavo = await ServiceInBrowser.start(undefined, images.env);
  const markdown = `# Code\n\n\`\`\`js\nconst ${'long '.repeat(60)}= 1\n\`\`\`\n\n- [ ] task\n`;
  const pages = Array.from({ length: 30 }, (_, place) => ({ markdown: place === 0 ? markdown : `# Page ${place}` }));
  made = await octavo.create({ title: 'A title that is rather long for a phone', pages });
});
afterAll(async () => {
  await octavo?.close();
  images.remove();
});

const behindMore = ['Versions', 'Images', 'Comments', 'Settings'];
const dialogs = ['Share', ...behindMore, 'Add page', 'Import…', 'Export…'];

async function check(page: Page, name: string): Promise<void> {
  await expect.poll(() => findFaults(page), { message: name }).toEqual([]);
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), { message: name })
    .toBeLessThanOrEqual(0);
}

describe.each(['light', 'dark'] as const)('the editor in %s', colorScheme => {
  it.each([320, 1440])(
    'at %i px: nothing serious for axe, no sideways scrolling, dialogs included',
    { timeout: 120_000 },
    async width => {
      const context = await octavo.browser.newContext({ colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' });
      const page = await context.newPage();
      await page.goto(`${octavo.origin}/e/${made.editToken}`);
      await page.locator('.preview-pane .prose pre').waitFor({ state: 'attached' });
      await check(page, 'editor');
      if (width < 1000) {
        await page.getByRole('button', { name: 'Read', exact: true }).click();
        await check(page, 'look');
        await page.getByRole('button', { name: 'Pages', exact: true }).click();
        await check(page, 'pages');
      }
      for (const name of dialogs) {
        // On small screens these wait behind a button.
        const hidden = width < 1000 && behindMore.includes(name);
        if (hidden) await page.getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('button', { name, exact: true }).click();
        await page.getByRole('dialog').waitFor();
        await check(page, name);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        // The dialog gives the focus back to the button that opened it.
        const focused = () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent;
        await expect.poll(() => page.evaluate(focused)).toContain(hidden ? 'More' : name);
      }
      await context.close();
    },
  );
});
