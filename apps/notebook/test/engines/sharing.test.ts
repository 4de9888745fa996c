import jsqr from 'jsqr';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { browserEngines, type StartedBrowser } from '../support/browser-window.ts';
import { OwnService } from '../support/own-service.ts';
import { eventually, Person } from '../support/person.ts';
import type { Made } from '../support/service-process.ts';
import { pagesNamed } from '../views/editor-desk.ts';

vi.setConfig({ testTimeout: 90_000 });

let octavo: OwnService;
beforeAll(async () => {
  octavo = await OwnService.start();
});
afterAll(() => octavo?.close());

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

describe.each(browserEngines)('in $name', ({ missing, start }) => {
  let browser: StartedBrowser;
  let person: Person;
  let made: Made;
  beforeAll(async () => {
    if (missing) return;
    browser = await start();
    person = new Person(browser.window, octavo.origin);
  });
  afterAll(() => browser?.close());

  describe('the share panel', () => {
    // One editor for all, with other words in its title and on the clipboard than a test puts there.
    beforeEach(async () => {
      if (missing) return;
      if (!(await person.hasEditor())) {
        made = await octavo.create({ title: 'Shared', ...pagesNamed('One') });
        await person.openEditor(made);
      }
      if (await person.isSeen('dialog')) await person.click('Close');
      await person.focus(titleField);
      await person.window.press('Control+a');
      await person.window.type('Before');
      await person.window.press('Control+a');
      await person.window.press('Control+c');
      await person.click('Share');
      await person.sees('.qr-code');
    });

    const titleField = 'Notebook title';
    async function expectPasted(words: string): Promise<void> {
      await person.click('Close');
      await person.focus(titleField);
      await person.window.press('Control+a');
      await person.window.press('Control+v');
      await eventually(() => person.value('[aria-label="Notebook title"]')).toBe(words);
    }

    it.skipIf(missing)('copies the links and says so; they are pasted where one likes', async () => {
      await person.click('Copy view link');
      await eventually(() => person.texts('.link-field [role="status"]')).toContain('View link copied.');
      await person.click('Copy edit link');
      await eventually(() => person.texts('.link-field [role="status"]')).toContain('Edit link copied.');
      await person.click('Copy view link');
      await eventually(() => person.texts('.link-field [role="status"]')).toContain('View link copied.');
      await expectPasted(`${octavo.origin}/n/${made.slug}`);
    });

    it.skipIf(missing)('selects the link, to be copied by a key, where the browser denies its clipboard', async () => {
      await person.window.run(() => {
        navigator.clipboard.writeText = () => Promise.reject(new DOMException('denied', 'NotAllowedError'));
        document.execCommand = () => false;
      }, undefined);
      await person.click('Copy view link');
      await eventually(() => person.texts('.link-field [role="status"]')).toContain(
        'View link selected. Press Ctrl+C copies it.',
      );
      await person.window.press('Control+c');
      // What the browser itself has.
      await person.window.run(() => {
        Reflect.deleteProperty(navigator.clipboard, 'writeText');
        Reflect.deleteProperty(document, 'execCommand');
      }, undefined);
      await expectPasted(`${octavo.origin}/n/${made.slug}`);
    });

    it.skipIf(missing)('saves the QR code of the view link as SVG and PNG', async () => {
      for (const ending of ['svg', 'png']) {
        await person.click(`Save as ${ending.toUpperCase()}`);
        expect(await decode(await person.saved(`${made.slug}-qr.${ending}`)), ending).toBe(`${octavo.origin}/n/${made.slug}`);
        await person.reads(`Saved as ${made.slug}-qr.${ending}.`);
      }
    });

    it.skipIf(missing)('sets a password and takes it away, and says what the link can do now', async () => {
      const facts = () => person.texts('.share-facts li');
      await person.focus('Password');
      await person.window.type('open sesame');
      await person.window.press('Enter');
      await person.reads('Readers are asked for the password.');
      await eventually(async () => (await facts())[0]).toContain('knows the password');
      await expect.poll(async () => (await fetch(`${octavo.origin}/n/${made.slug}`)).status).toBe(401);
      await person.click('Remove password');
      await person.reads('Readers need no password.');
      await eventually(async () => (await facts())[0]).toContain('Anyone who has it can read');
      await person.click('Read-only');
      await eventually(async () => (await facts())[1]).toContain('change nothing');
      await expect.poll(async () => (await fetch(`${octavo.origin}/n/${made.slug}`)).status).toBe(200);
      await person.click('Read-only');
      await eventually(async () => (await shared()).readOnly).toBe(false);
    });

    async function shared(): Promise<{ readOnly: boolean }> {
      const answer = await fetch(`${octavo.origin}/api/notebook`, { headers: { 'x-edit-token': made.editToken } });
      return (await answer.json()) as { readOnly: boolean };
    }
  });

  // Safari lets a page write to the clipboard within the click alone: the promise of the link is handed over there.
  describe('quick paste', () => {
    it.skipIf(missing)('has the edit link on the clipboard after one press, and says so', async () => {
      await person.open('/quick');
      await person.focus('Your text');
      await person.window.type('Bring bread');
      await person.sees('button[type="submit"]:enabled');
      await person.click('Publish');
      await eventually(() => person.texts('[data-clipboard-state]')).toEqual(['Your clipboard has the edit link.']);
      const editLink = await person.value('#edit-link');
      expect(editLink).toMatch(/\/e\/[\w-]{43}$/);
      await person.open('/quick');
      await person.focus('Your text');
      await person.window.press('Control+v');
      await eventually(() => person.value('#markdown')).toBe(editLink);
    });
  });
});
