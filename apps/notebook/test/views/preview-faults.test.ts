import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, pagesNamed } from './editor-desk.ts';

// What the preview says when it cannot show what readers see.
let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
beforeEach(async () => {
  made = await desk.create(pagesNamed('One'));
  page = await desk.newPage();
});
afterEach(() => desk.context.close());

const workerScript = '**/assets/preview-worker-*.js';
const pane = () => page.getByRole('region', { name: 'Preview' });
const field = () => page.getByRole('textbox', { name: /^Markdown of/ });
const notice = () => pane().locator('.notice').innerText();

/** A worker of the test's own, which has `answer` for each text. */
const pretend = (answer: string) =>
  page.route(workerScript, route =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `addEventListener('message', ({ data: { id, markdown } }) => { if (markdown !== undefined) ${answer}; }); postMessage('ready');`,
    }),
  );

describe('a preview whose worker cannot be loaded', () => {
  const refusals: readonly [string, (route: Route) => Promise<void>][] = [
    ['is not there after a deploy', route => route.fulfill({ status: 404, body: 'Not found.' })],
    ['is out of reach or blocked', route => route.abort()],
  ];
  it.each(refusals)('says so when it %s, asks once, and is tried again by a button', async (_, refuse) => {
    let asked = 0;
    await page.route(workerScript, route => {
      asked += 1;
      return refuse(route);
    });
    await desk.open(page, made);
    await expect.poll(notice).toContain('The preview could not load. Try again, or reload the page. Your text is safe.');
    await field().fill('# Two\n\nwritten on');
    await expect.poll(() => pane().locator('pre').innerText()).toBe('# Two\n\nwritten on');
    expect(asked).toBe(1);
    await page.unroute(workerScript);
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await pane().getByRole('heading', { name: 'Two' }).waitFor();
    await expect.poll(() => pane().locator('.notice').count()).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Preview');
    await expect.poll(async () => (await desk.stored(made)).pages[0]!.markdown).toBe('# Two\n\nwritten on');
  });
});

describe('a text that the preview', () => {
  it('does not finish may be plain for readers; it is shown as it was written', async () => {
    await page.clock.install();
    await pretend('{}');
    await page.addInitScript(() => {
      globalThis.Worker = class extends Worker {
        constructor(url: string | URL, options?: WorkerOptions) {
          super(url, options);
          this.addEventListener('message', () => document.documentElement.setAttribute('data-loaded', ''));
        }
      };
    });
    await desk.open(page, made);
    await page.locator('[data-loaded]').waitFor();
    await page.clock.runFor(21_000);
    await expect.poll(notice).toContain('This page takes too long to render here. Readers may see it as plain text');
    await expect.poll(() => pane().locator('pre').innerText()).toBe('# One\n\nOn One.');
  });

  it('dies of may be plain for readers', async () => {
    await pretend("setTimeout(() => { throw new Error('died of it'); })");
    await desk.open(page, made);
    await expect.poll(notice).toBe('The preview stopped at this text. Readers may see it as plain text.');
  });

  it('takes longer for than the server works on one may be plain for readers', async () => {
    await pretend(
      "postMessage({ id, fresh: true, made: 1, diagrams: false, formulasMissing: false, slow: true, lines: new Uint32Array([0]), splices: [{ at: 0, remove: 0, insert: ['<p>shown</p>'] }] })",
    );
    await desk.open(page, made);
    await pane().getByText('shown').waitFor();
    await expect.poll(notice).toContain('This page took long to render here. Readers may see it as plain text');
  });

  it('finds too deep is plain for readers', async () => {
    await desk.open(page, made);
    await field().fill('> '.repeat(200));
    await expect.poll(notice).toBe('This page is too deep, wide or large to be rendered; readers see it as plain text.');
  });
});
