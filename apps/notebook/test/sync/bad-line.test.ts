import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import { LastingWindows, withClock } from './lasting-windows.ts';
import { Middlebox, type Mood } from './middlebox.ts';
import { Elsewhere, eventually, Writer } from './writer.ts';

// A busy machine takes its time to open windows.
vi.setConfig({ testTimeout: 120_000 });

let octavo: ServiceInBrowser;
let box: Middlebox;
let elsewhere: Elsewhere;
let context: BrowserContext;
/** Its line leads through the box. */
let writer: Writer;

beforeAll(async () => {
  octavo = await ServiceInBrowser.start();
  box = await Middlebox.start(octavo.origin);
});
afterAll(async () => {
  await octavo?.close();
  await box?.close();
});
beforeEach(() => {
  box.mood = 'passes';
});
const open = LastingWindows.forTestsHere({
  octavo: () => octavo,
  through: () => box.origin,
  pages: [{ markdown: 'start' }],
  count: 1,
  newContext: () => withClock(octavo.browser.newContext()),
});
beforeEach(() => {
  ({ elsewhere, context, first: writer } = open);
  box.met = 0;
});

/** What the editor waits for comes at once: saves after the last key, retries, the end of its longWait. */
const pass = (seconds: number) => context.clock.runFor(seconds * 1_000);
const kept = (writer: Writer) =>
  writer.page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.startsWith('octavo.notebook.')));

it.each<Mood>(['breaks answers', 'shows its own page', 'answers other JSON'])(
  'what %s is never taken for a save, and the text goes out when the line is good again',
  async mood => {
    box.mood = mood;
    await writer.typeAfter('start', ', typed on a bad line');
    await pass(2);
    await writer.state('waiting');
    await expect.poll(() => writer.drafts()).toContain('start, typed on a bad line');
    await writer.typeAfter('line', ', and more');
    const before = box.met;
    await pass(2);
    await eventually(() => box.met).toBeGreaterThan(before);
    await writer.state('waiting');
    box.mood = 'passes';
    await pass(4);
    await writer.state('saved');
    await expect.poll(() => elsewhere.text()).toBe('start, typed on a bad line, and more');
    await expect.poll(() => writer.page.getByText('changed elsewhere').count()).toBe(0);
  },
);

it('who answers nothing at all is not waited for for ever', async () => {
  box.mood = 'is silent';
  await writer.typeAfter('start', ', into silence');
  await pass(2);
  await writer.state('saving');
  await eventually(() => box.met).toBe(1);
  await context.clock.fastForward(25_000);
  await writer.state('waiting');
  box.mood = 'passes';
  await pass(2);
  await writer.state('saved');
  await expect.poll(() => elsewhere.text()).toBe('start, into silence');
});

it('a save that meets a new edit link on its way goes out with the new one', async () => {
  const other = await Writer.open(context, new Elsewhere(box.origin, elsewhere.made));
  let release = (): void => {};
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  let first = true;
  await writer.page.route('**/pages/*', async route => {
    if (first) await held;
    first = false;
    await route.continue();
  });
  await writer.typeAfter('start', ', on its way');
  await pass(2);
  await writer.state('saving');
  await other.button('Share').click();
  await other.button('Replace the edit link').click();
  await other.button('Replace it').click();
  await other.says('The edit link is new');
  const editToken = (await other.page.getByLabel('Edit link').inputValue()).split('/e/')[1]!;
  open.elsewhere = new Elsewhere(octavo.origin, { ...elsewhere.made, editToken });
  release();
  await writer.state('saved');
  await expect.poll(() => open.elsewhere.text()).toBe('start, on its way');
  await other.page.close();
});

it('a 404 that is not the server’s neither ends the editor nor costs the edit link', async () => {
  box.mood = 'says 404';
  await writer.typeAfter('start', ' and on');
  await pass(2);
  await writer.state('waiting');
  await writer.page.evaluate(() => dispatchEvent(new Event('online')));
  await expect.poll(() => writer.page.getByText('can’t be opened any more').count()).toBe(0);
  const before = await kept(writer);
  await writer.page.close({ runBeforeUnload: false });
  const again = new Writer(await context.newPage());
  await again.page.goto(`${box.origin}/edit/${elsewhere.made.slug}`);
  await again.says('The server answered 404.');
  await expect.poll(() => again.page.getByText('This edit link no longer works').count()).toBe(0);
  await expect.poll(() => kept(again)).toEqual(before);
  box.mood = 'passes';
  await again.page.reload();
  await again.field.waitFor();
  await expect.poll(() => again.text()).toBe('start and on');
});
