import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk } from './editor-desk.ts';

let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
afterEach(async () => {
  expect(desk.complaints).toEqual([]);
  await desk.context.close();
});

async function open(options: BrowserContextOptions): Promise<void> {
  page = await desk.newPage(options);
  const markdown = `${'Bread and butter.\n\n'.repeat(20)}- [x] bought\n- [ ] eaten\n`;
  made = await desk.create({ title: 'Picnic', pages: [{ markdown }] });
  await desk.open(page, made);
}

const styleOf = (selector: string, property: string, part?: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((one, [name, pseudo]) => getComputedStyle(one, pseudo).getPropertyValue(name!), [property, part] as const);

describe('a window zoomed to 400 %', () => {
  const viewport = { width: 320, height: 256 };

  it('shows what a conflict is about, and covers nothing that has the focus', async () => {
    await open({ viewport });
    await desk.saveElsewhere(made, 'Bread only.');
    await page.locator('#markdown-field').fill('Butter only.');
    await page.getByRole('button', { name: 'Keep mine' }).waitFor();
    for (const name of ['Close', 'Bread only.', 'Butter only.', 'Keep mine']) {
      await page.keyboard.press('Tab');
      const [found, isOnTop] = await page.evaluate(() => {
        const focused = document.activeElement!;
        const { left, top, height } = focused.getBoundingClientRect();
        const shown = document.elementFromPoint(left + 5, top + height / 2);
        return [focused.getAttribute('aria-label') ?? focused.textContent, focused.contains(shown)] as const;
      });
      expect([found, isOnTop]).toEqual([name, true]);
    }
  });

  it('leaves lines of the text to find something in', async () => {
    await open({ viewport });
    await page.locator('#markdown-field').press('Control+f');
    await page.getByLabel('Find in this page').fill('butter');
    await page.getByText('1 of 20').waitFor();
    const seen = () => page.locator('#markdown-field').evaluate(one => innerHeight - one.getBoundingClientRect().top);
    await expect.poll(seen).toBeGreaterThan(50);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('toolbar').isVisible()).toBe(true);
  });
});

describe('who asks for more contrast', () => {
  it.each(['light', 'dark'] as const)('reads quiet words in full color, and sees what is done, in %s', async colorScheme => {
    await open({ colorScheme, contrast: 'more' });
    expect(await styleOf('.field-keys', 'color')).toBe(await styleOf('body', 'color'));
    const boxes = page.locator('.preview-pane input[type="checkbox"]');
    await expect.poll(() => boxes.count()).toBe(2);
    const [done, todo] = await boxes.evaluateAll(all => all.map(box => getComputedStyle(box).backgroundImage));
    expect(done).not.toBe(todo);
    expect(await styleOf('.preview-pane input', 'border-top-color')).toBe(await styleOf('body', 'color'));
  });

  it.each(['light', 'dark'] as const)('reads them so on kraft paper too, without its fibres, in %s', async colorScheme => {
    page = await desk.newPage({ colorScheme, contrast: 'more' });
    const { slug } = await desk.create({ title: 'Picnic', paper: 'kraft', pages: [{ markdown: '> Bread\n' }] });
    await page.goto(`${desk.service.origin}/n/${slug}`);
    expect(await styleOf('blockquote', 'color')).toBe(await styleOf('.paper-kraft', 'color'));
    expect(await styleOf('.paper-kraft', 'background-image')).toBe('none');
  });
});

it('in forced colors, the triangle of a menu is no bar', async () => {
  await open({ forcedColors: 'active' });
  const sides = ['top', 'left'].map(side => styleOf('.button.tool.opens', `border-${side}-color`, '::after'));
  const [front, side] = await Promise.all(sides);
  expect(side).toBe('rgba(0, 0, 0, 0)');
  expect(front).not.toBe(side);
});
