import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, lookForChanges, pagesNamed } from '../views/editor-desk.ts';

vi.setConfig({ testTimeout: 120_000 });

// A page that was added arrived, and its answer was lost: until it is sent again, others see it, and may give it another title.

let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start(undefined, { OFFLINE: 'on' });
});
afterAll(() => desk?.close());
beforeEach(async () => {
  made = await desk.create({ title: 'Desk', ...pagesNamed('One', 'Two') });
  page = await desk.newPage({ serviceWorkers: 'block' });
  await desk.open(page, made);
});
afterEach(() => desk.context.close());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const titles = async () =>
  (await page.locator('.page-pick').allTextContents()).map(title => title.replace(' (not saved yet)', ''));
const stored = async () => (await desk.stored(made)).pages.map(({ title }) => title);
const note = () => page.locator('.session-note', { hasText: 'is kept on this device' }).count();
const told = () => page.locator('.session-note', { hasText: 'renamed elsewhere' }).allTextContents();

async function rename(from: string, to: string): Promise<void> {
  await button(`Rename ${from}`).click();
  await page.getByLabel('Page title').fill(to);
  await page.keyboard.press('Enter');
  await expect.poll(titles).toContain(to);
}

/** The server takes the page, and this window is not told. */
async function addUnheard(template: string, shown: string): Promise<void> {
  await page.route('**/api/**', async route => {
    // A window that is left takes with it what it sent.
    if (route.request().method() === 'POST') await route.fetch().catch(() => {});
    await route.abort().catch(() => {});
  });
  await button('Add page').click();
  await button(template).click();
  await expect.poll(titles).toEqual(['One', shown, 'Two']);
  await expect.poll(async () => (await stored()).length).toBe(3);
  await expect.poll(note).toBe(1);
}

const renameElsewhere = async (title: string) => {
  const { pages } = await desk.stored(made);
  await desk.changePage(made, pages[1]!.id, { title });
};

const stays = 'in a window that stayed open';
const isOpenedAgain = 'in a window that is opened again';
const returns: Record<string, () => Promise<unknown>> = {
  [stays]: async () => {
    await page.unrouteAll();
    await lookForChanges(page);
  },
  [isOpenedAgain]: async () => {
    await page.goto('about:blank');
    await page.unrouteAll();
    await desk.open(page, made);
  },
};

it.each([
  ['that was written since', stays, 'Meeting notes', 'Meeting notes', ['Mine']],
  ['that was written since, after another', isOpenedAgain, 'Meeting notes', 'Meeting notes', ['First', 'Mine']],
  ['of a page that was sent without one', stays, 'Empty page', 'New page', ['Mine']],
])(
  'a title from another person is not replaced by the one %s, which is shown, %s',
  async (_what, way, template, shown, written) => {
    await addUnheard(template, shown);
    let title = shown;
    for (const next of written) {
      await rename(title, next);
      title = next;
    }
    await renameElsewhere('Theirs');
    await returns[way]!();
    await expect.poll(note, { timeout: 60_000 }).toBe(0);
    await expect
      .poll(told)
      .toEqual([expect.stringContaining(`“Theirs” was renamed elsewhere meanwhile. The title you wrote was “${title}”.`)]);
    await expect.poll(titles).toEqual(['One', 'Theirs', 'Two']);
    expect(await stored()).toEqual(['One', 'Theirs', 'Two']);
  },
);

it('a title that was written since is saved where nobody else gave one', async () => {
  await addUnheard('Meeting notes', 'Meeting notes');
  await rename('Meeting notes', 'First');
  await rename('First', 'Mine');
  await returns[isOpenedAgain]!();
  await expect.poll(note, { timeout: 60_000 }).toBe(0);
  await expect.poll(stored).toEqual(['One', 'Mine', 'Two']);
  expect(await told()).toEqual([]);
});
