import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findFaults } from '../views/axe.ts';
import { EditorDesk, pagesNamed } from '../views/editor-desk.ts';

let desk: EditorDesk;
let page: Page;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
beforeEach(async () => {
  page = await desk.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
});
afterEach(async () => {
  await desk.context.close();
  expect(desk.complaints).toEqual([]);
});

const editOnView = () => page.getByRole('navigation', { name: 'This notebook' }).getByRole('link', { name: 'Edit' });

describe('“Edit” on the view', () => {
  it('is there for the browser that owns the notebook, before the first paint, and for nobody else', async () => {
    const made = await desk.create({ title: 'Mine', openEditing: true, ...pagesNamed('One', 'Two') });
    const view = `${desk.service.origin}/n/${made.slug}`;
    await page.goto(view);
    // A visitor under open editing has another button, with the same word.
    await expect
      .poll(() => editOnView().evaluateAll(links => links.map(link => link.getAttribute('href'))))
      .toEqual([`/n/${made.slug}/edit`]);
    await desk.open(page, made);
    await page.addInitScript(() => {
      new PerformanceObserver(list => {
        for (const entry of list.getEntries()) Object.assign(globalThis, { shifted: entry.toJSON() });
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto(view);
    await expect
      .poll(() => editOnView().evaluateAll(links => links.map(link => link.getAttribute('href'))))
      .toEqual([`/edit/${made.slug}`]);
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    expect(await page.evaluate(() => (globalThis as { shifted?: unknown }).shifted)).toBeUndefined();
    expect(await page.content()).not.toContain(made.editToken);
    await editOnView().press('Enter');
    await page.getByRole('textbox', { name: /^Markdown of/ }).waitFor();
  });

  it('leaves with the edit link', async () => {
    const made = await desk.create({ title: 'Mine no more' });
    await desk.open(page, made);
    await page.evaluate(slug => {
      const key = `octavo.notebook.${slug}`;
      localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)!), seen: 'gone' }));
    }, made.slug);
    await page.goto(`${desk.service.origin}/n/${made.slug}`);
    await page.getByRole('link', { name: 'Print' }).waitFor();
    await expect.poll(() => editOnView().count()).toBe(0);
  });
});

describe('where readers find nothing, the browser that owns the notebook', () => {
  const wayOn = () => page.getByRole('main').getByRole('link', { name: /editor$/i });

  it.each([
    ['private', '', { visibility: 'private' }],
    ['locked', '', { password: 'open sesame' }],
    ['about to be opened once', '', { burnAfterRead: true }],
    ['private, in its print', '/print', { visibility: 'private' }],
  ])('has a way to the editor, and nobody else has: %s', async (_how, path, settings) => {
    const made = await desk.create({ title: 'Mine', ...settings, ...pagesNamed('One') });
    const view = `${desk.service.origin}/n/${made.slug}${path}`;
    await page.goto(view);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => wayOn().count()).toBe(0);
    await expect
      .poll(() => page.getByText('edit link of this notebook').or(page.getByText('its edit link. If')).isVisible())
      .toBe(false);
    await desk.open(page, made);
    await page.goto(view);
    await wayOn().waitFor();
    await expect.poll(() => page.getByText('We couldn’t find that notebook').isVisible()).toBe(false);
    await expect.poll(() => findFaults(page)).toEqual([]);
    expect(await page.content()).not.toContain(made.editToken);
    await wayOn().press('Enter');
    await page.getByRole('textbox', { name: /^Markdown of/ }).waitFor();
  });
});

it('an expired notebook tells its owner until when it is kept, and no more once it is postponed', async () => {
  // In the future, also when a busy service hears of it late.
  const expiresAt = Date.now() + 4_000;
  const made = await desk.create({
    title: 'Over',
    expiresAt: new Date(expiresAt).toISOString(),
    pages: [{ markdown: 'x' }],
  });
  const owner = await desk.window();
  await expect.poll(async () => (await fetch(`${desk.service.origin}/n/${made.slug}`)).status).toBe(404);
  await desk.open(owner, made);
  const note = owner.locator('.session-note', { hasText: /^Expired on/ });
  const kept = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }).format(expiresAt + 3 * 86_400_000);
  await expect
    .poll(() => note.innerText())
    .toContain(`Nobody else can read it; it is deleted after ${kept}, unless you postpone that under Share.`);
  const description = note
    .getByRole('button', { name: 'Dismiss', exact: true })
    .evaluate(button => document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent);
  expect(await description).toMatch(/^Expired on/);
  await owner.getByRole('button', { name: 'Share' }).click();
  await owner.getByLabel('Expiry').selectOption('7d');
  await owner.getByRole('button', { name: 'Set expiry' }).click();
  await note.waitFor({ state: 'detached' });
});

it('an editor that stays open says that its notebook has expired, by the server’s clock and not by this device’s', async () => {
  await page.clock.install({ time: Date.now() });
  const made = await desk.create({ title: 'Open meanwhile', expiresIn: '1h', pages: [{ markdown: 'x' }] });
  await desk.open(page, made);
  const note = page.locator('.session-note', { hasText: /^Expired on/ });
  const view = page.getByRole('link', { name: 'View', exact: true });
  await view.waitFor();
  const asked = page.waitForResponse('**/api/notebook');
  // This device's clock is fast.
  await page.clock.fastForward(3_602_000);
  await asked;
  await expect.poll(() => note.count()).toBe(0);
  await desk.change(made, { expiresAt: new Date(Date.now() + 2_000).toISOString() });
  await expect.poll(async () => (await fetch(`${desk.service.origin}/n/${made.slug}`)).status).toBe(404);
  await page.clock.fastForward(60_000);
  await note.waitFor();
  await view.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByText(/^It expired on \d.* Nobody else can read it, and 3 days later it is deleted/).waitFor();
});

describe('a notebook that opens once', () => {
  it('counts down for its reader, copies its text, has no comments, and tells its owner when it was opened', async () => {
    const made = await desk.create({ title: 'Once', burnAfterRead: true, pages: [{ markdown: '# Once\n\nThe secret.' }] });
    await page.goto(`${desk.service.origin}/n/${made.slug}`);
    await page.getByRole('button', { name: 'Open it now' }).press('Enter');
    const left = page.locator('[data-once-left]', { hasText: /^\d+:\d\d left\.$/ });
    const first = await left.innerText();
    await expect.poll(() => left.innerText()).not.toBe(first);
    await expect.poll(() => page.locator('.comments').count()).toBe(0);
    await expect.poll(() => findFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Copy the text' }).press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('# Once\n\nThe secret.');

    const owner = await desk.window();
    await desk.open(owner, made);
    await owner.locator('.session-note', { hasText: /^Opened at \d.*Nobody else can read it/ }).waitFor();
    await owner.getByRole('button', { name: 'Keep it in the list' }).click();
    await owner.goto(desk.service.origin);
    await owner
      .locator('.saved-facts', { hasText: /^Opened \d+ \w+ \d+ at \d+:\d\d by its one reader; deleted the day after\.$/ })
      .waitFor();
  });

  it('says so when the ten minutes are over, by the server’s clock and not by this device’s', async () => {
    await page.clock.install({ time: Date.now() + 86_400_000 });
    const made = await desk.create({ title: 'Once', burnAfterRead: true, ...pagesNamed('Once') });
    await page.goto(`${desk.service.origin}/n/${made.slug}`);
    await page.getByRole('button', { name: 'Open it now' }).click();
    await page.getByText(/ \d+:\d\d left\.$/).waitFor();
    await page.clock.fastForward(600_000);
    await page.locator('[data-once-left]', { hasText: 'The time is over: this page can’t be loaded again.' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Copy the text' }).isDisabled()).toBe(true);
  });

  it('says that its end is near, however late the browser counts, and leaves the focus where it is', async () => {
    await page.clock.install({ time: Date.now() });
    const made = await desk.create({ title: 'Once', burnAfterRead: true, ...pagesNamed('Once') });
    await page.goto(`${desk.service.origin}/n/${made.slug}`);
    await page.getByRole('button', { name: 'Open it now' }).click();
    await page.getByText(/ \d+:\d\d left\.$/).waitFor();
    const copy = page.getByRole('button', { name: 'Copy the text' });
    const said = page.locator('[data-once-said]');
    await copy.focus();
    // As in a window that was not seen: what is due comes once, and late.
    await page.clock.fastForward(570_000);
    await expect.poll(() => said.textContent()).toBe('Less than one minute left.');
    await page.clock.fastForward(60_000);
    await expect.poll(() => said.textContent()).toBe('The time is over: this page can’t be loaded again.');
    await expect.poll(() => copy.getAttribute('aria-disabled')).toBe('true');
    expect(await copy.evaluate(button => button === document.activeElement)).toBe(true);
    // The text is still there to be read.
    await copy.press('Enter');
    await expect.poll(() => said.textContent()).toContain('Select it and copy it by hand.');
  });

  it('is described without a contradiction in the share panel', async () => {
    const made = await desk.create({ title: 'Once', burnAfterRead: true, ...pagesNamed('Once') });
    await desk.open(page, made);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const facts = page.getByRole('list', { name: 'What the view link can do' }).getByRole('listitem');
    await expect
      .poll(() => facts.allInnerTexts())
      .toEqual([
        'The first person who opens it can read it for ten minutes. Nobody else can.',
        'Once opened, it is deleted the day after.',
      ]);
    await page.getByText('Send this link to one person. It opens once.').waitFor();
    await page.getByLabel('Who may read').selectOption('private');
    await page.getByText('Readers can’t open it now. It never changes.').waitFor();
  });
});
