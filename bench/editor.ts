import type { Browser, Page } from 'playwright-core';
import { sqlite } from '../apps/notebook/test/support/engines.ts';
import { createThrough, type ServiceProcess, startService } from '../apps/notebook/test/support/service-process.ts';
import { launchChromium } from '../tools/chromium.ts';
import { percentile, type Typed, typeKeys, watchKeys } from './editor/typing.ts';
import { pageOf } from './render/pages.ts';

// From a key press in the middle of a page to the frame that shows it in the preview, in the built editor and a real Chromium.
// For comparison, in the same browser: the same renderer rendering and inserting the whole page at each key press, and a bare
// text field with the same text, which is as fast as a browser's own field gets. `node bench/editor.ts 40 100000`: forty key
// presses on one size.
const keys = Number(process.argv[2] ?? 40);
const sizes = process.argv[3] ? [Number(process.argv[3])] : [1_000, 20_000, 100_000, 1_000_000];

const database = await sqlite.createDatabase();
const service = await startService({ DATABASE_URL: database.url });
const browser = await launchChromium();
try {
  process.stdout.write('ms from key to painted: p50 / p95, longest task of the main thread while typing\n');
  for (const size of sizes) {
    const text = pageOf(size).slice(0, size);
    const ours = await measureEditor(browser, service, text);
    const bare = await measureBare(browser, text);
    print(size, 'preview, by blocks', ours.editor);
    print(size, 'preview, whole at each key', ours.whole, ours.editor);
    print(size, 'a bare text field, no preview', bare, ours.editor);
    const plain = await measureText(browser, service, text, 'off');
    print(size, 'the text alone, without colors', plain);
    print(size, 'the text alone, with colors', await measureText(browser, service, text, 'on'), plain);
  }
} finally {
  await browser.close();
  await service.kill();
  database.remove();
}

function print(size: number, name: string, { painted, longestTask }: Typed, ours?: Typed): void {
  const [half, most] = [percentile(painted, 0.5), percentile(painted, 0.95)];
  const ratio = ours ? `   ${(half / percentile(ours.painted, 0.5)).toFixed(2)} times the first` : '';
  const task = longestTask > 0 ? `${longestTask.toFixed(0)} ms` : 'under 50 ms';
  const times = `${half.toFixed(1).padStart(7)} / ${most.toFixed(1).padStart(7)}`;
  process.stdout.write(`${String(size / 1_000).padStart(5)} kB  ${name.padEnd(30)} ${times}   ${task}${ratio}\n`);
}

async function measureEditor(
  browser: Browser,
  { origin }: ServiceProcess,
  text: string,
): Promise<{ editor: Typed; whole: Typed }> {
  const { editToken } = await createThrough(origin, { title: 'Bench', pages: [{ markdown: text }] });
  // Our own measuring creates a worker and HTML by hand; the editor works under the unchanged policy (test/views).
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
  const page = await context.newPage();
  await page.goto(`${origin}/e/${editToken}`);
  await page.locator('.preview-pane .prose[data-made]').waitFor({ state: 'attached', timeout: 120_000 });
  await putCaret(page, '#markdown-field');
  await page.keyboard.type('warm ', { delay: 100 });
  await page.waitForTimeout(1_500);
  await watchKeys(page, '.preview-pane .prose');
  const editor = await typeKeys(page, keys);
  const whole = await measureWhole(page, text.length > 500_000 ? 4 : Math.min(keys, 20));
  await context.close();
  return { editor, whole };
}

/** Measures the editor in writing mode, until the frame that shows the key in the text. */
async function measureText(browser: Browser, { origin }: ServiceProcess, text: string, colors: 'on' | 'off'): Promise<Typed> {
  const { editToken } = await createThrough(origin, { title: 'Bench', pages: [{ markdown: text }] });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript(chosen => localStorage.setItem('octavo.editor.colors', chosen), colors);
  const page = await context.newPage();
  await page.goto(`${origin}/e/${editToken}`);
  await page.locator('.preview-pane .prose[data-made]').waitFor({ state: 'attached', timeout: 120_000 });
  if (colors === 'on' && text.length < 300_000) await page.locator('[data-colored]').waitFor();
  await page.keyboard.press('Control+Shift+Digit1');
  await putCaret(page, '#markdown-field');
  await page.keyboard.type('warm ', { delay: 100 });
  await page.waitForTimeout(1_500);
  await watchKeys(page);
  const typed = await typeKeys(page, keys);
  await context.close();
  return typed;
}

/** Like an editor that renders the page at each key press: the same worker, asked for a page that it has never seen. */
function measureWhole(page: Page, rounds: number): Promise<Typed> {
  return page.evaluate(async count => {
    const url = performance.getEntriesByType('resource').find(({ name }) => name.includes('preview-worker'))!.name;
    const worker = new Worker(url, { type: 'module' });
    const markdown = document.querySelector<HTMLTextAreaElement>('#markdown-field')!.value;
    const place = document.querySelector('.preview-pane .prose')!;
    const painted: number[] = [];
    let longestTask = 0;
    new PerformanceObserver(list => {
      for (const { duration } of list.getEntries()) longestTask = Math.max(longestTask, duration);
    }).observe({ type: 'longtask' });
    const ask = (id: number) =>
      new Promise<{ splices: { insert: string[] }[] }>(resolve => {
        const asked = new AbortController();
        worker.addEventListener(
          'message',
          ({ data }) => {
            // Skips messages that the worker sends by itself: that it has loaded, that it has the formula engine.
            if (data.id !== id) return;
            asked.abort();
            resolve(data);
          },
          { signal: asked.signal },
        );
        worker.postMessage({ id, page: `whole ${id}`, markdown });
      });
    for (let round = -1; round < count; round += 1) {
      const pressed = performance.now();
      const { splices } = await ask(round);
      place.innerHTML = splices.flatMap(({ insert }) => insert).join('');
      await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
      // The first one only warms up the worker.
      if (round >= 0) painted.push(performance.now() - pressed);
    }
    return { painted, longestTask };
  }, rounds);
}

async function measureBare(browser: Browser, text: string): Promise<Typed> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.setContent('<!doctype html><textarea style="width: 600px; height: 800px; font: 15px/24px monospace"></textarea>');
  await page.evaluate(value => {
    document.querySelector('textarea')!.value = value;
  }, text);
  await putCaret(page, 'textarea');
  await watchKeys(page);
  const typed = await typeKeys(page, keys);
  await page.close();
  return typed;
}

async function putCaret(page: Page, selector: string): Promise<void> {
  await page.evaluate(which => {
    const field = document.querySelector<HTMLTextAreaElement>(which)!;
    const middle = field.value.indexOf('first run', field.value.length / 2 - 1_500);
    const at = middle === -1 ? field.value.indexOf('first') : middle;
    field.focus();
    field.setSelectionRange(at, at);
  }, selector);
}
