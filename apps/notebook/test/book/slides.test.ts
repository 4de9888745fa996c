import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFacts } from '../../src/markdown/page-facts.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { renderSlides } from '../../src/views/slides.tsx';
import { renderView } from '../../src/views/view.tsx';
import { launchChromium } from '../support/browser.ts';
import { type ClientSite, startClientSite } from '../views/client-site.ts';
import { viewProps } from '../views/samples.ts';
import { pdfReaderMissing, readPaper, readSheets } from './pdf.ts';

const markdown = `# First slide

words

---

## Second slide

- one
- two

> a rule in a quote
>
> ---
>
> separates nothing

---

## Third slide

[to the second](#second-slide)

---

---

## Last slide
`;

const long = `[to its end](#the-end)

---

# Long slide

${'a line\n\n'.repeat(60)}

## The end
`;

let site: ClientSite;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const pageOf = (text: string) => ({ ...viewProps().page, title: 'Talk', ...renderMarkdown(text, { read: readFacts }) });
  const shown = pageOf(markdown);
  const { notebook } = viewProps();
  site = await startClientSite(client => ({
    '/talk': renderSlides(client, { notebook, page: shown, back: '/view' }),
    '/long': renderSlides(client, { notebook, page: pageOf(long), back: '/view' }),
    '/view': renderView(client, viewProps({ page: shown })),
  }));
  browser = await launchChromium();
  page = await browser.newPage({ viewport: { width: 1280, height: 720 }, hasTouch: true });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const open = async (hash = '', path = '/talk') => {
  await page.goto('about:blank');
  await page.goto(`${site.origin}${path}${hash}`);
  await page.locator('html[data-slides]').waitFor();
};
const heading = (name: string) => page.getByRole('heading', { name });
/** That slide and no other. */
const expectSlide = async (name: string, place: string) => {
  await heading(name).waitFor();
  await expect.poll(() => page.locator('.slide').filter({ visible: true }).count()).toBe(1);
  await expect.poll(() => page.getByRole('status').textContent()).toBe(place);
};

describe('slides', () => {
  it('leave the focus at the other button where there is no further one', async () => {
    await open('#3');
    const focused = () => page.evaluate(() => Object.keys((document.activeElement as HTMLElement).dataset));
    await page.locator('[data-slides-next]').focus();
    await page.keyboard.press('Enter');
    await expectSlide('Last slide', '4 of 4');
    await expect.poll(focused).toEqual(['slidesPrevious']);
    for (const _ of [1, 2, 3]) await page.keyboard.press('Enter');
    await expectSlide('First slide', '1 of 4');
    await expect.poll(focused).toEqual(['slidesNext']);
  });

  it.each(['ArrowRight', ' ', 'PageDown'])('go on with the key "%s"; an empty one between two rules is left out', async key => {
    await open();
    await expectSlide('First slide', '1 of 4');
    await page.keyboard.press(key);
    await expectSlide('Second slide', '2 of 4');
    await page.keyboard.press(key);
    await page.keyboard.press(key);
    await expectSlide('Last slide', '4 of 4');
    await page.keyboard.press(key);
    await expectSlide('Last slide', '4 of 4');
  });

  it('go back, to the end and to the beginning', async () => {
    await open();
    await page.keyboard.press('End');
    await expectSlide('Last slide', '4 of 4');
    await page.keyboard.press('ArrowLeft');
    await expectSlide('Third slide', '3 of 4');
    await page.keyboard.press('Shift+Space');
    await expectSlide('Second slide', '2 of 4');
    await page.keyboard.press('Home');
    await expectSlide('First slide', '1 of 4');
  });

  it('come back to the same one after a reload, and follow links in the text', async () => {
    await open('#3');
    await expectSlide('Third slide', '3 of 4');
    await page.reload();
    await expectSlide('Third slide', '3 of 4');
    await page.getByRole('link', { name: 'to the second' }).click();
    await expectSlide('Second slide', '2 of 4');
  });

  it('show what a link leads to, also far down in a long one', async () => {
    await open('', '/long');
    await page.getByRole('link', { name: 'to its end' }).click();
    const isInSight = () =>
      heading('The end').evaluate(element => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom > 0 && bottom <= innerHeight;
      });
    await expect.poll(isInSight).toBe(true);
    await expect.poll(() => page.getByRole('status').textContent()).toBe('2 of 2');
  });

  it.each([
    ['PageDown', 'PageUp'],
    [' ', 'Shift+Space'],
    ['ArrowDown', 'ArrowUp'],
  ])('that are longer than the window are read to their end with "%s", and to their start with "%s"', async (on, back) => {
    await open('#2', '/long');
    await page.setViewportSize({ width: 320, height: 256 });
    const top = () => page.locator('.slide[data-current]').evaluate(slide => slide.scrollTop);
    const place = () => page.getByRole('status').textContent();
    await page.keyboard.press(on);
    await expect.poll(top).toBeGreaterThan(10);
    expect(await place()).toBe('2 of 2');
    // The arrows that point to the next slide still go there.
    await page.keyboard.press('ArrowLeft');
    await expect.poll(place).toBe('1 of 2');
    await page.keyboard.press('ArrowRight');
    await expect.poll(place).toBe('2 of 2');
    await page.keyboard.press(on);
    await page.keyboard.press(on);
    const before = await top();
    expect(before).toBeGreaterThan(20);
    await page.keyboard.press(back);
    expect(await top()).toBeLessThan(before);
    await page.keyboard.press(back);
    expect(await place()).toBe('2 of 2');
    await page.keyboard.press(back);
    await expect.poll(place).toBe('1 of 2');
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  it('turn with a swipe, not with scrolling', async () => {
    await open();
    const swipe = (x: number, y: number) =>
      page.evaluate(
        ([x, y]) => {
          const target = document.body;
          const touch = (clientX: number, clientY: number) => new Touch({ identifier: 1, target, clientX, clientY });
          target.dispatchEvent(new TouchEvent('touchstart', { touches: [touch(600, 300)], bubbles: true }));
          target.dispatchEvent(new TouchEvent('touchend', { changedTouches: [touch(600 + x!, 300 + y!)], bubbles: true }));
        },
        [x, y],
      );
    await swipe(-200, 10);
    await expectSlide('Second slide', '2 of 4');
    await swipe(-200, 300);
    await expectSlide('Second slide', '2 of 4');
    await swipe(200, 10);
    await expectSlide('First slide', '1 of 4');
  });

  it('leave with Escape to the page, which links them', async () => {
    await open();
    await page.keyboard.press('Escape');
    await page.waitForURL(`${site.origin}/view`);
    await expect.poll(() => page.getByRole('link', { name: 'Show as slides' }).getAttribute('href')).toMatch(/\?slides$/);
  });

  it('fill the window, and with a key the whole screen and back', async () => {
    await open();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBe(720);
    await expect.poll(() => page.locator('header, footer').filter({ visible: true }).count()).toBe(0);
    const isFull = () => page.evaluate(() => document.fullscreenElement === document.documentElement);
    // A letter alone must not be a shortcut: people who dictate say many (WCAG 2.1.4).
    await page.keyboard.press('f');
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await isFull()).toBe(false);
    await page.getByRole('button', { name: 'Next' }).focus();
    await page.keyboard.press('f');
    await expect.poll(isFull).toBe(true);
    await page.keyboard.press('f');
    await expect.poll(isFull).toBe(false);
    await expectSlide('First slide', '1 of 4');
  });

  it('let a focused button keep its space', async () => {
    await open();
    await page.getByRole('button', { name: 'Next' }).focus();
    await page.keyboard.press(' ');
    await expectSlide('Second slide', '2 of 4');
  });

  it('stand one below the other without a script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${site.origin}/talk`);
    for (const name of ['First slide', 'Second slide', 'Third slide', 'Last slide'])
      await plain.getByRole('heading', { name }).waitFor();
    await expect.poll(() => plain.getByRole('button').count()).toBe(0);
    await context.close();
  });
});

it.skipIf(pdfReaderMissing)('slides print one to a sheet, as wide as a screen', async () => {
  await open();
  const pdf = await page.pdf({ preferCSSPageSize: true });
  const sheets = await readSheets(pdf);
  expect(sheets.map(sheet => /(First|Second|Third|Last) slide/.exec(sheet)?.[1])).toEqual(['First', 'Second', 'Third', 'Last']);
  const [width, height] = await readPaper(pdf);
  expect(width).toBeGreaterThan(height);
  expect(sheets.join('')).not.toMatch(/Previous|of 4/);
});
