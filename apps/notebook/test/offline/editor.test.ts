import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { firefoxMissing, launchFirefox } from '../support/firefox.ts';
import type { Made } from '../support/service-process.ts';
import { Writer } from '../sync/writer.ts';
import { readCopies } from './copies.ts';
import { ServiceOnLine } from './service-on-line.ts';

const pollOptions = { timeout: 60_000, interval: 100 };

const copiesIn = (page: Page) => page.evaluate(readCopies);
const copyOf = async (page: Page, slug: string) => (await copiesIn(page))[slug] ?? '';
const hasEditor = (page: Page) => page.evaluate(async () => (await caches.match('/edit/offline')) !== undefined);

describe.each([
  ['Chromium', launchChromium, undefined],
  ['Firefox', launchFirefox as unknown as typeof launchChromium, firefoxMissing],
] as const)('%s, the server ended', (name, launch, missing) => {
  let octavo: ServiceOnLine;
  let context: BrowserContext;
  let page: Page;
  /** This test's notebooks. */
  let slugs: string[] = [];

  beforeAll(async () => {
    if (missing) return;
    octavo = await ServiceOnLine.start(launch);
    context = await octavo.browser.newContext();
  });
  afterAll(() => octavo?.close());
  beforeEach(async () => {
    if (missing) return;
    slugs = [];
    await octavo.beThere();
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
  });
  afterEach(() => page?.close());

  const copies = async () => Object.keys(await copiesIn(page)).filter(slug => slugs.includes(slug));
  const beOnline = () => page.evaluate(() => void dispatchEvent(new Event('online')));
  const field = () => page.locator('#markdown-field');
  const edit = ({ slug }: Made) => `${octavo.origin}/edit/${slug}`;
  const change = ({ slug, editToken }: Made, body: object, method = 'PATCH') =>
    fetch(`${octavo.origin}/api/notebooks/${slug}`, {
      method,
      headers: { 'x-edit-token': editToken, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  /** Opened by its owner, who made it here. */
  async function own(body: object = {}): Promise<Made> {
    const made = await octavo.create({ title: 'Mine', pages: [{ markdown: 'Kept words.' }], ...body });
    slugs.push(made.slug);
    await page.goto(`${octavo.origin}/e/${made.editToken}`);
    await field().waitFor();
    // Written in, so that it is in the list of this browser.
    await field().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' And more.');
    await page.keyboard.press('Control+s');
    await expect.poll(() => page.locator('[data-save-state]').getAttribute('data-save-state'), pollOptions).toBe('saved');
    return made;
  }

  async function ownAndKept(body: object = {}): Promise<Made> {
    const made = await own(body);
    await expect.poll(() => copyOf(page, made.slug), pollOptions).toContain('And more.');
    await expect.poll(() => hasEditor(page), pollOptions).toBe(true);
    return made;
  }

  /** The server has ended, so only a copy could show the words. */
  async function expectNothingKept(kind: string, made: Made): Promise<void> {
    await page.goto(edit(made));
    await page.getByText('The server cannot be reached.').first().waitFor();
    await expect.poll(() => page.content(), { ...pollOptions, message: kind }).not.toContain('Kept words');
  }

  it.skipIf(missing)('what was read is shown', async () => {
    const made = await octavo.create({ title: 'Read', pages: [{ markdown: 'Words to read.' }] });
    await page.goto(octavo.origin);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await page.goto(`${octavo.origin}/n/${made.slug}`);
    const kept = () => page.evaluate(async path => (await caches.match(path)) !== undefined, `/n/${made.slug}`);
    await expect.poll(kept, pollOptions).toBe(true);
    octavo.cut();
    await page.reload();
    await page.getByText('The server can’t be reached. This is the page as you last read it').waitFor();
    await page.getByText('Words to read.').waitFor();
  });

  it.skipIf(missing)('the editor opens, writes, survives a reload, and saves when the server is back', async () => {
    const made = await ownAndKept();
    await octavo.kill();
    await page.goto(edit(made));
    await field().waitFor();
    await expect.poll(() => field().inputValue(), pollOptions).toBe('Kept words. And more.');
    await expect
      .poll(() => page.locator('.session-note').allInnerTexts(), pollOptions)
      .toContainEqual(expect.stringContaining('The server can’t be reached.'));
    await field().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n\nWritten **offline**.');
    // The preview is this browser's own work.
    await page.locator('.preview-pane strong', { hasText: 'offline' }).waitFor();
    await page.reload();
    await field().waitFor();
    await expect.poll(() => field().inputValue(), pollOptions).toContain('Written **offline**.');
    await octavo.startAgain();
    await beOnline();
    const stored = async () => (await fetch(`${octavo.origin}/n/${made.slug}.md`)).text();
    await expect.poll(stored, pollOptions).toContain('Written **offline**.');
    await expect
      .poll(() => page.locator('.session-note', { hasText: 'The server can’t be reached' }).count(), pollOptions)
      .toBe(0);
  });

  const changes = {
    deleted: (made: Made) => change(made, {}, 'DELETE'),
    'made private': (made: Made) => change(made, { visibility: 'private' }),
    locked: (made: Made) => change(made, { password: 'key' }),
  };
  async function expectForgotten(kinds: readonly (keyof typeof changes)[]): Promise<void> {
    const all: [kind: keyof typeof changes, made: Made][] = [];
    for (const kind of kinds) all.push([kind, await ownAndKept()]);
    await page.goto(octavo.origin);
    await expect.poll(async () => (await copies()).sort(), pollOptions).toEqual(all.map(([, { slug }]) => slug).sort());
    await Promise.all(all.map(([kind, made]) => changes[kind](made)));
    await beOnline();
    await expect.poll(copies, pollOptions).toEqual([]);
    octavo.cut();
    for (const [kind, made] of all) await expectNothingKept(kind, made);
  }

  // When a copy is kept, and when it goes, our own code decides: an engine need only show that it goes.
  if (name !== 'Chromium')
    return it.skipIf(missing)('forgets its copy when the notebook was deleted elsewhere, once the network is back', () =>
      expectForgotten(['deleted']),
    );

  it('what others wrote meanwhile and what was written offline are merged', async () => {
    const made = await ownAndKept({ pages: [{ markdown: 'First line.\n\nLast line.' }] });
    const { origin } = octavo;
    octavo.cut();
    await page.goto(edit(made));
    await field().waitFor();
    await expect.poll(() => field().inputValue(), pollOptions).toMatch(/^First line/);
    await field().click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Offline, ');
    await expect.poll(() => field().inputValue(), pollOptions).toMatch(/^Offline, First line/);
    // A save between the other person's look and their save would be what they replace.
    const letSavesThrough = await new Writer(page).holdSaves();
    octavo.mend();
    const notebook = (await (await fetch(`${origin}/api/notebook`, { headers: { 'x-edit-token': made.editToken } })).json()) as {
      pages: { id: string; markdown: string }[];
    };
    const [theirs] = notebook.pages;
    await fetch(`${origin}/api/notebooks/${made.slug}/pages/${theirs!.id}`, {
      method: 'PATCH',
      headers: { 'x-edit-token': made.editToken, 'content-type': 'application/json' },
      body: JSON.stringify({ markdown: `${theirs!.markdown}\n\nFrom elsewhere.` }),
    });
    await letSavesThrough();
    await beOnline();
    const stored = async () => (await fetch(`${origin}/n/${made.slug}.md`)).text();
    await expect.poll(stored, pollOptions).toMatch(/Offline, First line[\s\S]*From elsewhere\./);
  });

  it('keeps no copy of a notebook that is private, locked, or opens once', async () => {
    const kinds = { private: { visibility: 'private' }, locked: { password: 'key' }, 'opens once': { burnAfterRead: true } };
    const all: [kind: string, made: Made][] = [];
    for (const [kind, body] of Object.entries(kinds)) all.push([kind, await own(body)]);
    // One that may be kept, after them: then they would have been kept too.
    const other = await ownAndKept();
    await expect.poll(copies, pollOptions).toEqual([other.slug]);
    octavo.cut();
    for (const [kind, made] of all) await expectNothingKept(kind, made);
  });

  describe('forgets its copy when the notebook was', () => {
    it('deleted, made private or locked elsewhere, once the network is back', () =>
      expectForgotten(['deleted', 'made private', 'locked']));

    it('expired, without a network too', async () => {
      const made = await ownAndKept({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
      octavo.cut();
      await page.addInitScript(() => {
        const now = Date.now;
        Date.now = () => now() + 7_200_000;
      });
      await page.goto(edit(made));
      await page.getByText('The server cannot be reached.').first().waitFor();
      await expect.poll(copies, pollOptions).not.toContain(made.slug);
    });

    it('locked from here', async () => {
      const made = await ownAndKept();
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      await page.locator('#setting-password').fill('key');
      await page.getByRole('button', { name: 'Set password' }).click();
      await expect.poll(copies, pollOptions).not.toContain(made.slug);
    });
  });
});
