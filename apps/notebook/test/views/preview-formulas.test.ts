import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk } from './editor-desk.ts';

// The preview, while what draws formulas is slow to come, or never does.
let desk: EditorDesk;
let page: Page;
let made: Made;
/** What becomes of a request for the engine. */
let treat: (route: Route) => unknown;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
beforeEach(async () => {
  made = await desk.create({ pages: [{ markdown: '# One\n\nEnergy is $E=mc^2$.' }] });
  page = await desk.newPage();
  await page.clock.install();
  await page.route('**/assets/tex-to-mathml-*.js', route => void treat(route));
});
afterEach(() => desk.context.close());

const pass = (route: Route) => route.continue();
const refuse = (route: Route) => route.abort();
const pane = () => page.getByRole('region', { name: 'Preview' });
const field = () => page.getByRole('textbox', { name: /^Markdown of/ });
const source = (text: string) => pane().locator('code.math-source', { hasText: text });
const drawn = () => pane().locator('math');

async function write(text: string): Promise<void> {
  await field().press('Control+End');
  await page.keyboard.insertText(text);
}

describe('formulas whose engine', () => {
  it('takes longer to come than a text may take are shown as written meanwhile, and the preview goes on', async () => {
    const held: Route[] = [];
    treat = route => held.push(route);
    await desk.open(page, made);
    await source('$E=mc^2$').waitFor();
    // Nothing is asked again before a text is written.
    await page.clock.runFor(60_000);
    await expect.poll(() => pane().locator('.notice, pre').count()).toBe(0);
    expect(held).toHaveLength(1);
    await pass(held[0]!);
    await drawn().waitFor();
    await expect.poll(() => source('$').count()).toBe(0);
    await write(' And on.');
    await pane().getByText('And on.').waitFor();
  });

  it('never comes are drawn by another worker when a later text is written', async () => {
    const held: Route[] = [];
    treat = route => held.push(route);
    await desk.open(page, made);
    await source('$E=mc^2$').waitFor();
    await page.clock.runFor(19_000);
    await write(' Soon.');
    await pane().getByText('Soon.').waitFor();
    expect(held).toHaveLength(1);
    treat = pass;
    await page.clock.runFor(1_000);
    await write(' Later.');
    await drawn().waitFor();
    await pane().getByText('Soon. Later.').waitFor();
    expect(held).toHaveLength(1);
  });

  it.each<[string, (route: Route) => unknown]>([
    ['is out of reach', refuse],
    ['is not there', route => route.fulfill({ status: 404, body: 'Not found.' })],
  ])('%s are drawn when a later text is written and it is back', async (_, refuses) => {
    treat = refuses;
    await desk.open(page, made);
    await source('$E=mc^2$').waitFor();
    await write(' And on.');
    await pane().getByText('And on.').waitFor();
    treat = pass;
    await page.clock.runFor(20_000);
    await write(' And later.');
    await drawn().waitFor();
    await pane().getByText('And later.').waitFor();
    await expect.poll(() => pane().locator('.notice, pre').count()).toBe(0);
  });

  it('is out of reach with everything else leave a preview that goes on', async () => {
    treat = refuse;
    await desk.open(page, made);
    await source('$E=mc^2$').waitFor();
    await page.route('**/assets/preview-worker-*.js', refuse);
    await page.clock.runFor(20_000);
    const asked = page.waitForEvent('requestfailed', request => request.url().includes('preview-worker'));
    await write(' And later.');
    await asked;
    await write(' And more.');
    await pane().getByText('And later. And more.').waitFor();
    await expect.poll(() => pane().locator('.notice, pre').count()).toBe(0);
  });
});
