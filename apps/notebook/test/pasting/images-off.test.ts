import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import { handOn, paste } from './hand.ts';
import { screenshot } from './pictures.ts';

let octavo: ServiceInBrowser;
beforeAll(async () => {
  octavo = await ServiceInBrowser.start();
});
afterAll(() => octavo?.close());

it('without an image store the editor shows no button for images, says why in a calm line, sends nothing, and writes as ever', async () => {
  const made = await octavo.create({ pages: [{ markdown: 'one\n' }] });
  const page = await octavo.browser.newPage();
  const sent: string[] = [];
  page.on('request', request => request.url().endsWith('/images') && sent.push(request.method()));
  await page.goto(`${octavo.origin}/e/${made.editToken}`);
  await page.click('#markdown-field');
  await page.keyboard.press('Control+End');
  const line = page.getByText('This server stores no images. You can show one from another site');
  const picture = await screenshot();
  await paste(handOn(page, ''), [picture]);
  await line.waitFor();
  const colors = await page.evaluate(() => {
    const color = (of: string) => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = of;
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    };
    const { borderTopColor } = getComputedStyle(document.querySelector('.uploads .notice')!);
    return { border: borderTopColor, good: color('var(--good)'), bad: color('var(--bad)') };
  });
  await page.locator('.uploads').getByRole('button', { name: 'Dismiss' }).click();
  await line.waitFor({ state: 'detached' });
  // Said calmly: neither in the color of what went well nor of what went wrong.
  expect(colors.border).not.toBe(colors.good);
  expect(colors.border).not.toBe(colors.bad);
  // No button leads to it: neither the one of the toolbar nor the one of the list.
  await page.getByRole('button', { name: 'Divider' }).waitFor();
  await page.getByRole('button', { name: 'Settings' }).waitFor();
  for (const name of ['Insert images', 'Images'])
    await expect.poll(() => page.getByRole('button', { name, exact: true }).count()).toBe(0);
  await page.click('#markdown-field');
  await page.keyboard.type('two');
  await expect.poll(() => page.inputValue('#markdown-field')).toBe('one\ntwo');
  expect(sent).toEqual([]);
});
