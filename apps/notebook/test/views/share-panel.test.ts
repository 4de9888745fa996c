import { readFile } from 'node:fs/promises';
import jsqr from 'jsqr';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, pagesNamed } from './editor-desk.ts';

let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
beforeEach(async () => {
  made = await desk.create({ title: 'Shared', ...pagesNamed('One') });
  page = await desk.newPage({ acceptDownloads: true, permissions: ['clipboard-read', 'clipboard-write'] });
  await desk.open(page, made);
  await button('Share').click();
});
afterEach(async () => {
  await desk.context.close();
  expect(desk.complaints).toEqual([]);
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const viewLink = () => `${desk.service.origin}/n/${made.slug}`;
const factsNow = () => page.getByRole('list', { name: 'What the view link can do' }).getByRole('listitem').allInnerTexts();

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
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
      document.execCommand = () => false;
    });
    await button('Copy view link').click();
    await page.getByText('View link selected. Press Ctrl+C copies it.').waitFor({ state: 'attached' });
    await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe(viewLink());
  });
});

it('says in plain words what the view link can do, as the settings beside it change', async () => {
  await expect
    .poll(() => factsNow())
    .toEqual([
      'Whoever has it can read. It is listed nowhere.',
      'They can leave comments, and change nothing.',
      'It works until you delete the notebook.',
    ]);
  await page.getByRole('checkbox', { name: 'Open editing' }).check();
  await page.getByLabel('Expiry').selectOption('7d');
  await page.getByLabel('Password', { exact: true }).fill('open sesame');
  await button('Set password').click();
  await page.getByText('Readers are asked for the password.').waitFor();
  const facts = await factsNow();
  expect(facts[0]).toContain('knows the password');
  expect(facts[1]).toContain('They can change texts, add pages and leave comments');
  expect(facts[2]).toMatch(/^It works until \d+ \w+ \d+ at \d+:\d+\.$/);
  await page.getByLabel('Who may read').selectOption('private');
  await expect.poll(factsNow).toEqual(['The notebook is private: the link answers nobody. You read it in the editor.']);
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
