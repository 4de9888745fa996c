import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handOn, paste } from '../pasting/hand.ts';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import type { Made } from '../support/service-process.ts';
import { findFaults } from './axe.ts';

let octavo: ServiceInBrowser;

beforeAll(async () => {
  octavo = await ServiceInBrowser.borrow();
});
afterAll(() => octavo?.close());

/** Those that no button of the editor opens, or that end it: what is asked when it matters. */
describe.each([320, 1440])(
  'at %i px, in light and dark: nothing serious for axe, no sideways scrolling, and Esc leads back',
  width => {
    let context: BrowserContext;
    let page: Page;
    let made: Made;
    // One editor for all of them.
    beforeAll(async () => {
      made = await octavo.create({
        title: `A title ${'that is rather long '.repeat(5)}`,
        pages: [{ markdown: '# One\n\ntext' }],
      });
      context = await octavo.browser.newContext({ viewport: { width, height: 800 }, reducedMotion: 'reduce' });
      page = await context.newPage();
      await page.goto(`${octavo.origin}/e/${made.editToken}`);
    });
    afterAll(() => context?.close());
    beforeEach(async () => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.click('#markdown-field');
    });

    const showBehind = (visibility: '' | 'hidden') =>
      page.evaluate(value => {
        const dialog = document.querySelector('dialog[open]')!;
        for (const element of document.body.querySelectorAll<HTMLElement>('*'))
          if (!element.contains(dialog) && !dialog.contains(element)) element.style.visibility = value;
      }, visibility);

    async function check(name: string, title: string): Promise<void> {
      await page.getByRole('dialog', { name: title }).waitFor();
      for (const colorScheme of ['dark', 'light'] as const) {
        const message = `${name} in ${colorScheme}`;
        await page.emulateMedia({ colorScheme });
        await expect.poll(() => findFaults(page), { message }).toEqual([]);
        // What lies behind a modal dialog keeps axe from telling what its colors stand on.
        await showBehind('hidden');
        await expect.poll(() => findFaults(page), { message: `${message}, alone` }).toEqual([]);
        await showBehind('');
        await expect
          .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), { message })
          .toBeLessThanOrEqual(0);
      }
      // A screen reader hears first what this is about.
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(title);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }

    const button = (name: string) => page.getByRole('button', { name, exact: true });

    it('the question about a pasted edit link', async () => {
      await paste(handOn(page, ''), [], { 'text/plain': `${octavo.origin}/e/${made.editToken}` });
      await check('edit link', 'This is an edit link');
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('markdown-field');
      await expect.poll(() => page.inputValue('#markdown-field')).not.toContain('/e/');
    });

    it('texts that this device keeps and no page has', async () => {
      const markdown = `# Left behind\n\n${'a long line '.repeat(40)}\n\n    ${'code'.repeat(100)}`;
      await page.evaluate(({ key, draft }) => localStorage.setItem(key, JSON.stringify(draft)), {
        key: `octavo.draft.${made.slug}/gone/0123456789ab`,
        draft: { pageId: 'gone', title: 'Left', markdown, baseRevision: 1, changedAt: Date.now() },
      });
      await page.reload();
      await button('Look at it').click();
      await page.getByRole('dialog').getByText('Left behind').waitFor();
      await check('kept texts', 'Text kept on this device');
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Look at it');
    });

    it('deleting the notebook', async () => {
      if (width < 1000) await button('More').click();
      await button('Settings').click();
      await button('Delete this notebook…').click();
      await check('delete notebook', 'Delete this notebook?');
      await expect.poll(async () => (await fetch(`${octavo.origin}/n/${made.slug}`)).status).toBe(200);
    });
  },
);
