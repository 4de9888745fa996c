import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scrollPageOf } from '../engines/scroll-page.ts';
import { timeOfLines } from '../support/time-of-lines.ts';
import { EditorDesk } from './editor-desk.ts';

// A style sheet can make a browser ask for the style of the whole page at each key (`:has()` on what holds the text), which nobody sees
// but in the time: 230 ms a key on a page of 1 MB. So here the elements are counted.

let desk: EditorDesk;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());

/** What a writer sees change: the words, how the text is saved, their count. */
const few = 30;

/** More than one row: where it wraps is measured in a copy of the column. */
const long = 'words of a long paragraph '.repeat(20).trim();

/** All elements, and those of the largest box of the preview's parts: a block that comes or goes is a question to its neighbors. */
const sizes = (page: Page) =>
  page.evaluate(() => {
    const boxes = [...document.querySelectorAll('.prose > .chunk')].map(box => box.querySelectorAll('*').length);
    return { all: document.querySelectorAll('*').length, box: Math.max(...boxes) };
  });

/** The most elements whose style Chromium computed at once. */
async function mostRestyled(page: Page, act: () => Promise<unknown>): Promise<number> {
  const client = await page.context().newCDPSession(page);
  const counts: number[] = [];
  client.on('Tracing.dataCollected', ({ value }) => {
    for (const { args } of value as { args?: { elementCount?: number } }[]) counts.push(args?.elementCount ?? 0);
  });
  await client.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline'], excludedCategories: ['*'] },
  });
  await act();
  await endTrace(client);
  await client.detach();
  return Math.max(...counts);
}

async function endTrace(client: CDPSession): Promise<void> {
  const ended = new Promise(resolve => client.once('Tracing.tracingComplete', resolve));
  await client.send('Tracing.end');
  await ended;
}

describe.each([
  ['wide window', { width: 1440, height: 900 }, true],
  ["phone's window with the keyboard up", { width: 390, height: 400 }, false],
] as const)('in a %s, on a page of hundreds of blocks', (_, viewport, hasPreview) => {
  it('a key asks for the style of few elements, and a new paragraph of those near it', { timeout: 60_000 }, async () => {
    const page = await desk.newPage({ viewport });
    await desk.open(page, await desk.create({ title: 'Long', pages: [{ markdown: `${long}\n\n${scrollPageOf(60)}` }] }));
    const field = page.locator('#markdown-field[data-colored]');
    await field.waitFor();
    await page.locator('.preview-pane .prose').getByText('probe-60-quote').waitFor({ state: 'attached' });
    const { all, box } = await sizes(page);
    expect(all).toBeGreaterThan(6 * box);
    await field.focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('warm ');
    const shown = page.locator('.preview-pane .prose');
    const type = async (words: string) => {
      await page.keyboard.type(words, { delay: 20 });
      await shown.getByText(words.trim()).waitFor({ state: 'attached' });
      // Measuring of lines and saving come after a rest.
      await page.locator('.save-state', { hasText: 'Saved' }).waitFor();
    };
    // The counting itself is seen: the preview is all shown anew.
    expect(await mostRestyled(page, () => page.evaluate(restyleAll))).toBeGreaterThan(1_000);
    expect(await mostRestyled(page, () => type('alphabet'))).toBeLessThanOrEqual(few);
    expect(await mostRestyled(page, () => type('\n\nsecond '))).toBeLessThanOrEqual(2 * box);
    await expect.poll(() => shown.isVisible()).toBe(hasPreview);
    expect(desk.complaints).toEqual([]);
    await page.context().close();
  });
});

function restyleAll(): string {
  document.documentElement.style.setProperty('--nothing', '1');
  return getComputedStyle(document.querySelector('textarea')!).color;
}

it('the field takes 40,000 lines in a time that grows with the lines, not with their square', async () => {
  const page = await desk.newPage();
  await desk.open(page, await desk.create({ pages: [{ markdown: '# Log' }] }));
  const fill = await timeOfLines(page.locator('#markdown-field'));
  await fill(1_000);
  const few = await fill(5_000);
  // Eight times as many lines: about eight times as long, and 64 times if each line looks at all others.
  expect(await fill(40_000)).toBeLessThan(25 * few);
  await page.context().close();
});
