import { readFile } from 'node:fs/promises';
import jsqr from 'jsqr';
import type { Page, Route } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { routeFirst } from '../support/route-first.ts';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, lookForChanges, pagesNamed } from './editor-desk.ts';

let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
afterEach(() => expect(desk.complaints).toEqual([]));

const notebook = { title: 'Shared', ...pagesNamed('One') };

async function open(): Promise<void> {
  made = await desk.create(notebook);
  page = await desk.newPage({
    serviceWorkers: 'block',
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await desk.open(page, made);
}

/** For what cannot be taken back. */
function inOwnEditor(): void {
  beforeEach(async () => {
    await open();
    await button('Share').click();
  });
  afterEach(() => desk.context.close());
}

/** One editor for the tests of a group; each finds the settings, the text and the clipboard of a new notebook. */
function inOneEditor(): void {
  beforeAll(open);
  afterAll(() => desk.context?.close());
  beforeEach(async () => {
    await desk.change(made, { visibility: 'unlisted', password: null, expiresAt: null, embedding: false, openEditing: false });
    await lookForChanges(page);
    await page.getByRole('textbox', { name: /^Markdown of/ }).fill(notebook.pages[0]!.markdown);
    await page.evaluate(() => navigator.clipboard.writeText('of another test'));
    await button('Share').click();
    await expect.poll(factsNow).toEqual(factsOfNew);
  });
  afterEach(async () => {
    await page.unrouteAll();
    await page.emulateMedia({ colorScheme: null });
    await page.evaluate(() => {
      for (const name of ['clipboard', 'share']) Reflect.deleteProperty(navigator, name);
      Reflect.deleteProperty(document, 'execCommand');
    });
    if (await page.getByRole('dialog').isVisible()) await closePanel();
  });
}

const closePanel = async () => {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Share this notebook' }).waitFor({ state: 'detached' });
};
const button = (name: string) => page.getByRole('button', { name, exact: true });
const viewLink = () => `${desk.service.origin}/n/${made.slug}`;
const factsNow = () => page.getByRole('list', { name: 'What the view link can do' }).getByRole('listitem').allInnerTexts();

const factsOfNew = [
  'Anyone who has it can read. It isn’t listed anywhere.',
  'They can leave comments, and change nothing.',
  'It works until you delete the notebook.',
];

const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);

/** Answers only when it is told to. */
async function hold(
  address: string,
  status?: number | 'lost',
  { onlyFirst = false } = {},
): Promise<{ answer: () => void; asked: () => Promise<unknown> }> {
  let answer = () => {};
  const held = new Promise<void>(resolve => {
    answer = resolve;
  });
  let wasAsked = () => {};
  const asked = new Promise<void>(resolve => {
    wasAsked = resolve;
  });
  const handle = async (route: Route): Promise<void> => {
    wasAsked();
    await held;
    if (status === undefined) await route.continue();
    else if (status === 'lost') await route.abort();
    else await route.fulfill({ status, json: status === 429 ? { code: 'rate_limited', title: 'Too many changes.' } : {} });
  };
  if (onlyFirst) await routeFirst(page, address, handle);
  else await page.route(address, handle);
  return { answer, asked: () => asked };
}

/** By another program than the one that drew it. */
async function decode(picture: Buffer): Promise<string | undefined> {
  const { data, info } = await sharp(picture)
    .resize(600, 600, { fit: 'contain' })
    .flatten({ background: '#fff' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return jsqr.default(new Uint8ClampedArray(data), info.width, info.height)?.data;
}

async function saved(name: string): Promise<{ name: string; bytes: Buffer }> {
  const download = page.waitForEvent('download');
  await button(name).click();
  const file = await download;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

describe('the panel', () => {
  inOneEditor();

  it('the view link goes to the system’s share sheet where there is one', async () => {
    await page.keyboard.press('Escape');
    await page.evaluate(() => {
      const share = async (data: ShareData) => {
        document.body.dataset.shared = JSON.stringify(data);
      };
      Object.defineProperty(navigator, 'share', { value: share, configurable: true });
    });
    await button('Share').click();
    await button('Send view link').click();
    const sent = () => page.evaluate(() => JSON.parse(document.body.dataset.shared ?? '{}'));
    await expect.poll(sent).toEqual({ title: 'Shared', url: viewLink() });
  });

  it('embedding is a choice, and gives the code to copy', async () => {
    await page.getByRole('checkbox', { name: 'Embedding' }).check();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Embed code' }).inputValue())
      .toContain(`<iframe src="${viewLink()}/embed" title="Shared"`);
    await expect.poll(async () => (await fetch(`${viewLink()}/embed`)).status).toBe(200);
  });

  describe('the QR code', () => {
    it('is the view link on the screen, in the dark too, and never the edit token', async () => {
      const code = page.getByRole('img', { name: 'QR code of the view link' });
      await expect.poll(async () => await decode(await code.screenshot())).toBe(viewLink());
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(async () => await decode(await code.screenshot())).toBe(viewLink());
    });

    it.each(['svg', 'png'])('is the view link in the file: %s', async ending => {
      const { name, bytes } = await saved(`Save as ${ending.toUpperCase()}`);
      expect(name).toBe(`${made.slug}-qr.${ending}`);
      expect(await decode(bytes)).toBe(viewLink());
      await page.getByText(`Saved as ${name}.`).waitFor();
    });
  });

  describe('the links', () => {
    it('are copied where a page has no clipboard of its own: on plain http from another machine', async () => {
      await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true }));
      await button('Copy view link').click();
      await page.getByText('View link copied.').waitFor({ state: 'attached' });
      await expect.poll(focused).toBe('share-view');
      await page.keyboard.press('Escape');
      const field = page.getByRole('textbox', { name: /^Markdown of/ });
      await field.fill('');
      await field.press('Control+v');
      await expect.poll(() => field.inputValue()).toBe(viewLink());
    });

    it('are copied, and it is said to those who do not see the button', async () => {
      for (const [name, link] of [
        ['View link', viewLink()],
        ['Edit link', `${desk.service.origin}/e/${made.editToken}`],
      ] as const) {
        await button(`Copy ${name.toLowerCase()}`).click();
        await page.getByText(`${name} copied.`).waitFor({ state: 'attached' });
        await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(link);
      }
    });

    it('are selected to be copied by hand where the browser refuses', async () => {
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
        document.execCommand = () => false;
      });
      await button('Copy view link').click();
      await page.getByText('View link selected. Press Ctrl+C copies it.').waitFor({ state: 'attached' });
      await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe(viewLink());
    });
  });

  it('says in plain words what the view link can do, as the settings beside it change', async () => {
    await expect.poll(() => factsNow()).toEqual(factsOfNew);
    await page.getByRole('checkbox', { name: 'Open editing' }).check();
    await page.getByLabel('Expiry').selectOption('7d');
    await button('Set expiry').click();
    await page.getByLabel('Password', { exact: true }).fill('open sesame');
    await button('Set password').click();
    await page.getByText('Readers are asked for the password.').waitFor();
    const facts = await factsNow();
    expect(facts[0]).toContain('knows the password');
    expect(facts[1]).toContain('They can change texts, add pages and leave comments');
    expect(facts[2]).toMatch(/^It works until \d+ \w+ \d+ at \d+:\d+\.$/);
    await page.getByLabel('Who may read').selectOption('private');
    await expect.poll(factsNow).toEqual(['The notebook is private: readers can’t open the link. Read it in the editor.']);
    await expect.poll(async () => (await desk.stored(made)).visibility).toBe('private');
  });

  // A pasted one is asked about before it is there (test/writing/paste.test.ts); this is for dictation, extensions and the like.
  it('an edit link that comes into a page otherwise is pointed out, and taken out on request', async () => {
    await page.keyboard.press('Escape');
    const field = page.getByRole('textbox', { name: /^Markdown of/ });
    await field.fill('');
    await field.pressSequentially('See ');
    await page.evaluate(link => document.execCommand('insertText', false, link), `${desk.service.origin}/e/${made.editToken}`);
    await page.getByRole('alert').getByText('There is an edit link in this text').waitFor();
    await button('Take it out').click();
    await expect.poll(() => field.inputValue()).toBe(`See ${viewLink()}`);
    await expect.poll(() => page.locator('.edit-link-warning').count()).toBe(0);
    await page.keyboard.press('Control+z');
    await expect.poll(() => field.inputValue()).toContain(made.editToken);
  });

  describe('a password', () => {
    const field = () => page.getByLabel('Password', { exact: true });
    const typed = () => field().inputValue();

    it('that was refused stays in its field, and is gone from it once it is saved', async () => {
      await page.route('**/api/notebooks/*', route =>
        route.fulfill({ status: 429, json: { code: 'rate_limited', title: 'Too many changes.' } }),
      );
      await field().fill('open sesame');
      await button('Set password').click();
      await page.getByRole('dialog').getByText('Too many changes.').waitFor();
      await expect.poll(typed).toBe('open sesame');
      await page.unroute('**/api/notebooks/*');
      await button('Set password').click();
      await page.getByText('Saved.').waitFor();
      await expect.poll(typed).toBe('');
    });

    it('that is typed while another one is saved stays', async () => {
      const { answer, asked } = await hold('**/api/notebooks/*');
      await field().fill('first');
      await field().press('Enter');
      await asked();
      await field().fill('second');
      answer();
      await page.getByText('Saved.').waitFor();
      await expect.poll(typed).toBe('second');
    });

    it('that is removed leaves the caret in its field', async () => {
      await field().fill('open sesame');
      await button('Set password').click();
      await button('Remove password').click();
      await page.getByText('Readers need no password.').waitFor();
      await expect.poll(focused).toBe('setting-password');
    });
  });

  describe('a setting that is not saved', () => {
    it.each([1280, 390])('is told of where it is seen, in a window of %i pixels', async width => {
      const { height } = page.viewportSize()!;
      await page.setViewportSize({ width, height });
      const { answer } = await hold('**/api/notebooks/*', 429, { onlyFirst: true });
      answer();
      await page.getByLabel('Password', { exact: true }).fill('open sesame');
      await page.keyboard.press('Enter');
      const words = page.getByRole('dialog').getByText('“Password” was not saved. Too many changes.');
      await words.waitFor();
      await expect.poll(() => words.evaluate(box => box.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
    });

    it('is told of, though another one was saved after it', async () => {
      const { answer, asked } = await hold('**/api/notebooks/*', 429, { onlyFirst: true });
      await page.getByLabel('Password', { exact: true }).fill('open sesame');
      await page.keyboard.press('Enter');
      await asked();
      await page.getByLabel('Open editing').check();
      answer();
      await expect.poll(async () => (await factsNow())[1]).toContain('They can change texts');
      await page.getByRole('dialog').getByText('“Password” was not saved. Too many changes.').waitFor();
    });

    it('keeps its reason until it is chosen anew itself, though others are saved', async () => {
      const { answer } = await hold('**/api/notebooks/*', 429, { onlyFirst: true });
      answer();
      await page.getByLabel('Password', { exact: true }).fill('open sesame');
      await page.keyboard.press('Enter');
      const told = () => page.locator('.dialog-state p').allInnerTexts();
      const refused = '“Password” was not saved. Too many changes.';
      await expect.poll(told).toEqual([refused]);
      await page.getByLabel('Open editing').check();
      await expect.poll(told).toEqual([refused, '“Open editing” was saved.']);
      await button('Set password').click();
      await expect.poll(told).toEqual(['Saved.']);
    });

    it.each([
      [429, '“Password” was not saved. Too many changes.'],
      [504, 'We don’t know whether “Password” was saved. The server answered 504.'],
      ['lost', 'We don’t know whether “Password” was saved. The server cannot be reached.'],
    ] as const)('is told of, though the panel was closed before that came: %s', async (answerOf, words) => {
      const { answer, asked } = await hold('**/api/notebooks/*', answerOf);
      await page.getByLabel('Password', { exact: true }).fill('open sesame');
      await page.keyboard.press('Enter');
      await asked();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Share this notebook' }).waitFor({ state: 'detached' });
      answer();
      // In the colors of a warning: green would say that all is well.
      await page.locator('.session-note.warning').getByText(words).waitFor();
    });
  });
});

describe('the edit link, while it is replaced', () => {
  inOwnEditor();
  // What comes later moves the button, and a click that began on it would end elsewhere.
  beforeEach(async () => {
    await page.getByRole('img', { name: 'QR code of the view link' }).waitFor();
    await page.getByText('This browser may clear the link').waitFor();
  });
  const replace = async () => {
    await button('Replace the edit link').click();
    await button('Replace it').click();
  };

  it('is asked about with the caret on the answer that changes nothing, and leaves it at its button', async () => {
    await button('Replace the edit link').click();
    await expect.poll(focused).toBe('Keep the old one');
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('Replace the edit link');
    await replace();
    await page.getByText('The edit link is new').waitFor();
    await expect.poll(focused).toBe('Replace the edit link');
  });

  it('is told where it is to be copied, though the panel was closed before it came and the browser kept nothing', async () => {
    const { answer, asked } = await hold('**/api/notebooks/*/token');
    await replace();
    await asked();
    await closePanel();
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    answer();
    await page.getByText('The edit link is new, but this browser did not keep it.').waitFor();
    await button('Show it').click();
    await page.getByRole('dialog', { name: 'Share this notebook' }).waitFor();
    const fresh = await page.getByLabel('Edit link', { exact: true }).inputValue();
    expect(fresh).not.toContain(made.editToken);
    await expect.poll(async () => (await desk.stored({ ...made, editToken: fresh.split('/e/')[1]! })).title).toBe('Shared');
  });

  it.each([
    [429, 'The edit link was not replaced. Too many changes.'],
    [504, 'We don’t know whether the edit link was replaced. The server answered 504.'],
    ['lost', 'We don’t know whether the edit link was replaced. The server cannot be reached.'],
  ] as const)('is told of where it failed, though the panel was closed before that came: %s', async (answerOf, words) => {
    const { answer, asked } = await hold('**/api/notebooks/*/token', answerOf);
    await replace();
    await asked();
    await closePanel();
    answer();
    await page.getByText(words).waitFor();
  });

  it('is told of when it comes while the panel closes: out of sight, and still in the document', async () => {
    const { answer, asked } = await hold('**/api/notebooks/*/token');
    await replace();
    await asked();
    await page.evaluate(() =>
      addEventListener('close', event => event.stopImmediatePropagation(), { capture: true, once: true }),
    );
    await page.keyboard.press('Escape');
    answer();
    await page.locator('.session-note:not(.warning, .calm)').getByText('The edit link is new').waitFor();
    await page.evaluate(() => document.querySelector('dialog')!.dispatchEvent(new Event('close')));
    await button('Show it').click();
    await page.getByRole('dialog', { name: 'Share this notebook' }).waitFor();
  });
});
