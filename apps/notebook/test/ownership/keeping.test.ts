import jsqr from 'jsqr';
import type { Page, Request } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { findFaults } from '../views/axe.ts';
import { EditorDesk, pagesNamed } from '../views/editor-desk.ts';
import { standing } from '../views/standing.ts';

let desk: EditorDesk;
let page: Page;
let made: Made;
let requests: readonly Request[];
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
const button = (name: string) => page.getByRole('button', { name, exact: true });
const editLink = () => `${desk.service.origin}/e/${made.editToken}`;

async function openPanel(): Promise<Request[]> {
  await desk.open(page, made);
  return openPanelAgain();
}

async function openPanelAgain(): Promise<Request[]> {
  const requests: Request[] = [];
  page.on('request', request => requests.push(request));
  await button('Share').click();
  return requests;
}

async function renew(): Promise<void> {
  made = await desk.create({ title: 'Kept well', ...pagesNamed('One') });
  page = await desk.newPage();
}

function inOwnBrowser(): void {
  beforeEach(renew);
  afterEach(async () => {
    await desk.context.close();
    expect(desk.complaints).toEqual([]);
  });
}

/** One editor for the tests of a group, which begin with the panel just opened. */
function inOneEditor(): void {
  beforeAll(async () => {
    await renew();
    await desk.open(page, made);
  });
  afterAll(() => desk.context?.close());
  beforeEach(async () => {
    requests = await openPanelAgain();
  });
  afterEach(async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(desk.complaints).toEqual([]);
  });
}

/** An edit token travels in the header of our own API and nowhere else. */
function expectTokenKept(requests: readonly Request[]): void {
  for (const request of requests) {
    expect(request.url()).not.toContain(made.editToken);
    expect(request.postData() ?? '').not.toContain(made.editToken);
    if (request.url().startsWith('http')) expect(new URL(request.url()).origin).toBe(desk.service.origin);
  }
}

describe('the panel', () => {
  inOneEditor();

  it('“Edit on my phone” shows a code of the edit link, only when asked, and nothing of it travels', async () => {
    const code = page.getByRole('img', { name: 'QR code that opens the editor' });
    await button('Edit on my phone').waitFor();
    await expect.poll(() => code.count()).toBe(0);
    await button('Edit on my phone').press('Enter');
    await code.waitFor();
    const read = async () => {
      const { data, info } = await sharp(await code.screenshot())
        .resize(800, 800, { fit: 'contain' })
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      return jsqr.default(new Uint8ClampedArray(data), info.width, info.height)?.data;
    };
    await expect.poll(read).toBe(editLink());
    expectTokenKept(requests);
    await expect.poll(() => findFaults(page)).toEqual([]);
    await button('Edit on my phone').press('Enter');
    await code.waitFor({ state: 'detached' });
  });

  it('mails the link through the person’s own program, addressed by nobody but them', async () => {
    const href = await page.getByRole('link', { name: 'Email me this link' }).getAttribute('href');
    const mail = new URL(href ?? '');
    expect([mail.protocol, mail.pathname]).toEqual(['mailto:', '']);
    expect(mail.searchParams.get('subject')).toBe('Edit link of “Kept well”');
    expect(mail.searchParams.get('body')?.split('\n')[0]).toBe(editLink());
    expectTokenKept(requests);
  });

  it('keeps the user name that was typed once the form was sent', async () => {
    await page.getByText('Save it in a password manager').click();
    await page.getByLabel('User name').fill('My own name');
    await page.getByLabel('User name').press('Enter');
    await page.getByText('let it save').waitFor();
    await expect.poll(() => page.getByLabel('User name').inputValue()).toBe('My own name');
  });

  it('leaves the focus in the form that was sent, at the button that sends it again', async () => {
    await page.getByText('Save it in a password manager').click();
    await page.locator('.keep-password').getByRole('button', { name: 'Save', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'let it save' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Save again');
  });
});

describe('an edit link', () => {
  inOwnBrowser();

  it('hands the link to the share sheet where there is one', async () => {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'share', {
        value: async (data: unknown) => Object.assign(globalThis, { shared: data }),
      });
    });
    await openPanel();
    await button('Send it to my devices').click();
    await expect
      .poll(() => page.evaluate(() => (globalThis as { shared?: unknown }).shared))
      .toEqual({ title: 'Edit “Kept well”', url: editLink() });
  });

  it('saves the link in the password manager by a form that sends nothing, and opens by it again', async () => {
    await page.addInitScript(() => {
      // What the browser's own question would be about; the question itself is not part of the page.
      Object.defineProperty(navigator.credentials, 'store', {
        value: async ({ id, password }: { id: string; password: string }) =>
          Object.assign(globalThis, { offered: [id, password] }),
      });
    });
    const requests = await openPanel();
    await page.getByText('Save it in a password manager').click();
    const password = page.locator('form[method="dialog"] input[autocomplete="new-password"]');
    await expect.poll(() => password.getAttribute('type')).toBe('password');
    await password.fill('typed over by mistake');
    await page.getByLabel('User name').press('Enter');
    await page.getByText('Your browser asks whether to save it.').waitFor();
    const offered = () => page.evaluate(() => (globalThis as { offered?: string[] }).offered);
    await expect.poll(offered).toEqual(['Kept well', editLink()]);
    // The dialog is still there: nothing was sent, nothing was left.
    await button('Share').waitFor({ state: 'attached' });
    await password.waitFor();
    expectTokenKept(requests);

    const saved = (await offered())![1]!;
    await page.evaluate(() => localStorage.clear());
    await page.goto(`${desk.service.origin}/edit/${made.slug}`);
    const field = page.locator('form:has(input[autocomplete="username"]) input[autocomplete="current-password"]');
    await field.fill(saved);
    await field.press('Enter');
    await page.getByRole('textbox', { name: /^Markdown of/ }).waitFor();
    await page.waitForURL(`**/edit/${made.slug}`);
  });

  it('a second notebook of the same title has a user name of its own', async () => {
    await desk.open(page, await desk.create({ title: 'Kept well' }));
    await openPanel();
    await page.getByText('Save it in a password manager').click();
    await expect.poll(() => page.getByLabel('User name').inputValue()).toBe(`Kept well (${made.slug})`);
  });

  it('the home page takes the link from the password manager too', async () => {
    await page.goto(desk.service.origin);
    await page.getByText('Add a notebook, back up or move the list').click();
    const field = page.getByLabel('Add by edit link');
    await expect.poll(() => field.isEnabled()).toBe(true);
    expect([await field.getAttribute('type'), await field.getAttribute('autocomplete')]).toEqual([
      'password',
      'current-password',
    ]);
    await field.fill(editLink());
    await field.press('Enter');
    await page.locator('.saved-name a', { hasText: 'Kept well' }).waitFor();
  });

  it('asks the browser to keep its data once there is an edit link, not before', async () => {
    await page.addInitScript(() => {
      const asked: string[] = [];
      Object.assign(globalThis, { asked });
      Object.defineProperty(navigator.storage, 'persisted', { value: async () => false });
      Object.defineProperty(navigator.storage, 'persist', {
        value: async () => {
          asked.push(Object.keys(localStorage).some(key => key.startsWith('octavo.notebook.')) ? 'with a link' : 'too early');
          return false;
        },
      });
    });
    const asked = () => page.evaluate(() => (globalThis as unknown as { asked: string[] }).asked);
    await page.goto(`${desk.service.origin}/quick`);
    await page.getByLabel('Your text').fill('# Kept');
    expect(await asked()).toEqual([]);
    await button('Publish').click();
    await page.locator('[data-created]:visible').waitFor();
    await expect.poll(asked).toEqual(['with a link']);
    await openPanel();
    await page.getByText('This browser may clear the link').waitFor();
    await button('Ask it not to').click();
    await page.getByText('This browser made no promise.').waitFor();
  });

  describe('what the browser says about how long it keeps the link', () => {
    const below = () => button('Replace the edit link');
    const placeBelow = async () => (await standing(below()))[0];
    const seen = (words: string) => page.locator('.keep-lasting').getByText(words).locator('visible=true');

    /** Answered when the test says so. */
    const holdAnswer = () =>
      page.addInitScript(() => {
        Object.defineProperty(navigator.storage, 'persisted', {
          value: () => new Promise(resolve => addEventListener('answer', event => resolve((event as CustomEvent).detail))),
        });
      });

    it.each([
      [false, 'This browser may clear the link'],
      [true, 'This browser keeps the link until you clear this site’s data.'],
    ])('moves nothing in the panel when it comes late: %s', async (lasts, words) => {
      await holdAnswer();
      await openPanel();
      await page.getByRole('img', { name: 'QR code of the view link' }).waitFor();
      const before = await placeBelow();
      await expect.poll(() => seen('This browser').count()).toBe(0);
      await expect.poll(() => button('Ask it not to').count()).toBe(0);
      await page.evaluate(answer => dispatchEvent(new CustomEvent('answer', { detail: answer })), lasts);
      await seen(words).waitFor();
      expect(await placeBelow()).toEqual(before);
      await expect.poll(() => button('Ask it not to').count()).toBe(lasts ? 0 : 1);
    });

    it('is there at once when it is known, a promise that was just given too', async () => {
      await page.addInitScript(() => {
        const storage = { persisted: async () => false, persist: async () => true };
        for (const [name, value] of Object.entries(storage))
          Object.defineProperty(navigator.storage, name, { value, writable: true });
        addEventListener('fall-silent', () => Object.assign(navigator.storage, { persisted: () => new Promise(() => {}) }));
      });
      await openPanel();
      await button('Ask it not to').click();
      await seen('This browser keeps the link').waitFor();
      await page.evaluate(() => dispatchEvent(new Event('fall-silent')));
      await page.keyboard.press('Escape');
      await button('Share').click();
      await seen('This browser keeps the link').waitFor();
      await expect.poll(() => button('Ask it not to').count()).toBe(0);
    });
  });
});
