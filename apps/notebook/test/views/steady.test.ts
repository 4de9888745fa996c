import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';

let octavo: ServiceInBrowser;
let view: string;
beforeAll(async () => {
  octavo = await ServiceInBrowser.borrow();
  const markdown = `# Long\n\n${'A paragraph of words. '.repeat(30)}\n\n\`\`\`js\nconst ${'long '.repeat(60)}= 1\n\`\`\`\n\n## Second\n\n## Third\n`;
  view = `/n/${(await octavo.create({ pages: [{ markdown }, { markdown: '# Next' }] })).slug}`;
});
afterAll(() => octavo?.close());

it.each([390, 1440])('at %i px nothing on a page moves when its scripts arrive', async width => {
  const context = await octavo.browser.newContext({ viewport: { width, height: 900 } });
  const page = await context.newPage();
  // Without typefaces, whose arrival depends on the machine; and with scripts that come after the page was painted.
  await page.route('**/*.woff2', route => route.abort());
  for (const path of ['/', '/new', '/quick', view]) {
    let release = (): void => undefined;
    const painted = new Promise<void>(resolve => (release = resolve));
    await page.route('**/*.js', async route => {
      if (!route.request().url().includes('/theme-')) await painted;
      await route.continue();
    });
    await page.goto(octavo.origin + path, { waitUntil: 'commit' });
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    release();
    await page.waitForLoadState('load');
    const moved = await movedOn(page);
    expect([path, moved]).toEqual([path, 0]);
    await page.unroute('**/*.js');
  }
  await context.close();
});

it.each([390, 820, 1440])('at %i px nothing in the editor moves when the notebook opens', async width => {
  const { editToken } = await octavo.create({ pages: [{ markdown: '# One' }, { markdown: '# Two' }, { markdown: '# Three' }] });
  const context = await octavo.browser.newContext({ viewport: { width, height: 844 } });
  const page = await context.newPage();
  await page.route('**/*.woff2', route => route.abort());
  await page.goto(`${octavo.origin}/e/${editToken}`);
  await page.locator('.preview-pane h1').waitFor({ state: 'attached' });
  const moved = await movedOn(page);
  expect(moved).toBe(0);
  await context.close();
});

/** How much has moved on a page since it was opened, as the browser counts it. */
const movedOn = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    let moved = 0;
    // What happened before is told before the mark is.
    await new Promise<void>(resolve => {
      const observer = new PerformanceObserver(list => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value?: number })[]) {
          moved += entry.value ?? 0;
          if (entry.entryType === 'mark') resolve();
        }
      });
      observer.observe({ type: 'layout-shift', buffered: true });
      observer.observe({ type: 'mark' });
      requestAnimationFrame(() => performance.mark('looked'));
    });
    return moved;
  });
