import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import { LastingWindows, withClock } from './lasting-windows.ts';
import { type Elsewhere, eventually, type Writer } from './writer.ts';

// A busy machine takes its time to open windows.
vi.setConfig({ testTimeout: 120_000 });

const start = '# One\n\nabove\n\nbelow';
const theirs = `theirs first\n\n${start}`;

let octavo: ServiceInBrowser;
let elsewhere: Elsewhere;
let writer: Writer;

beforeAll(async () => {
  octavo = await ServiceInBrowser.start();
});
afterAll(() => octavo?.close());
const open = LastingWindows.forTestsHere({
  octavo: () => octavo,
  pages: [{ markdown: start }],
  count: 1,
  newContext: () => withClock(octavo.browser.newContext()),
});
beforeEach(() => {
  ({ elsewhere, first: writer } = open);
});

/** The editor looks at once for what others wrote, and has read the answer. */
async function look(): Promise<void> {
  const answer = writer.page.waitForResponse('**/api/notebook');
  await writer.page.evaluate(() => dispatchEvent(new Event('online')));
  await (await answer).finished();
}

it('while another field is filled in: the focus stays there, the text follows when it is left, and undo takes it back', async () => {
  const title = writer.page.getByRole('textbox', { name: 'Notebook title' });
  await title.fill('Half a ti');
  await elsewhere.save(theirs);
  await look();
  await writer.page.keyboard.type('tle');
  await expect.poll(() => title.inputValue()).toBe('Half a title');
  await expect.poll(() => writer.text()).toBe(start);
  await writer.field.click();
  await eventually(() => writer.text()).toBe(theirs);
  await writer.page.keyboard.press('Control+z');
  await expect.poll(() => writer.text()).toBe(start);
  await writer.page.keyboard.press('Control+Shift+z');
  await expect.poll(() => writer.text()).toBe(theirs);
});

it('while a dialog is open: the same when it is closed', async () => {
  await writer.button('Share').click();
  await writer.page.getByRole('dialog').waitFor();
  await elsewhere.save(theirs);
  await look();
  await writer.page.keyboard.press('Escape');
  await eventually(() => writer.text()).toBe(theirs);
  await writer.field.focus();
  await writer.page.keyboard.press('Control+z');
  await expect.poll(() => writer.text()).toBe(start);
});

it('an earlier version that is restored: undo brings back what it replaced', async () => {
  await writer.typeAfter('below', ', and more');
  await writer.page.keyboard.press('Control+s');
  await writer.comesTo('saved');
  await writer.button('Versions').click();
  await writer.page.locator('.snapshot-list button').first().click();
  await writer.button('Restore this version').click();
  await eventually(() => writer.text()).toBe(start);
  await writer.field.focus();
  await writer.page.keyboard.press('Control+z');
  await expect.poll(() => writer.text()).toBe(`${start}, and more`);
});

it('an earlier version that is on its way: words that are written meanwhile stay beside it', async () => {
  await writer.typeAfter('below', ', and more');
  await writer.page.keyboard.press('Control+s');
  await writer.comesTo('saved');
  const { promise: typed, resolve: answer } = Promise.withResolvers<void>();
  await writer.page.route('**/restore', async route => {
    const response = await route.fetch();
    await typed;
    await route.fulfill({ response });
  });
  await writer.button('Versions').click();
  await writer.page.locator('.snapshot-list button').first().click();
  const asked = writer.page.waitForRequest('**/restore');
  await writer.button('Restore this version').click();
  await asked;
  await writer.page.keyboard.press('Escape');
  await writer.page.getByRole('dialog').waitFor({ state: 'detached' });
  const letThrough = await writer.holdSaves();
  await writer.typeAfter('above', ', written meanwhile');
  answer();
  const both = start.replace('above', 'above, written meanwhile');
  await eventually(() => writer.text()).toBe(both);
  await letThrough();
  await writer.comesTo('saved');
  expect(await elsewhere.text()).toBe(both);
});
