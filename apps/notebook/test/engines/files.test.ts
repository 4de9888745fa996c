import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { zip } from '../import/made-zips.ts';
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

// Files are chosen and saved by the browsers themselves: real file fields, real downloads.
describe.each(browserEngines)('files in $name', ({ name, missing, start }) => {
  let browser: StartedBrowser;
  let person: Person;
  let made: Made;
  beforeAll(async () => {
    if (missing) return;
    // The name of a download: each engine's own, so that none finds another's.
    made = await octavo.create({ title: `Paper in ${name}`, ...pagesNamed('One', 'Last') });
    browser = await start();
    person = new Person(browser.window, octavo.origin);
  });
  afterAll(() => browser?.close());

  const stored = async () => {
    const answer = await fetch(`${octavo.origin}/api/notebook`, { headers: { 'x-edit-token': made.editToken } });
    return ((await answer.json()) as { pages: { title: string; markdown: string }[] }).pages;
  };
  const importField = 'dialog input[type="file"]';

  async function renew(): Promise<void> {
    await browser.renew();
    person = new Person(browser.window, octavo.origin);
  }

  it.skipIf(missing)('the list of notebooks goes out, and comes back into an empty browser', async () => {
    if (await person.hasEditor()) await renew();
    await person.openEditor(made);
    await person.open('/');
    // It came by its edit link, so the list asks first.
    await person.click(`Keep in the list: Paper in ${name}`);
    await eventually(() => person.texts('.saved-name a')).toEqual([`Paper in ${name}`]);
    // What the server says of it moves what is below.
    await person.sees('.saved-list li[data-state]');
    const openTools = async () => {
      await person.click('Add a notebook, back up or move the list');
      await eventually(() =>
        person.window.run(() => document.querySelector('.saved-tools fieldset')?.matches(':enabled'), undefined),
      ).toBe(true);
      await person.sees('.saved-tools fieldset');
    };
    await openTools();
    await person.click('Save the list');
    await person.reads(/Saved as octavo-notebooks-/);
    // The page says which: by now it may be the next day.
    const file = await person.saved(/octavo-notebooks-[\d-]+\.json/.exec((await person.texts('main')).join())![0]);
    expect(file.toString()).toContain(made.editToken);
    await person.window.run(() => localStorage.clear(), undefined);
    await person.open('/');
    await expect.poll(() => person.texts('.saved-name a')).toEqual([]);
    await openTools();
    await person.window.choose('.saved-tools input[type="file"]', [{ name: 'list.json', content: file }]);
    await eventually(() => person.texts('.saved-name a')).toEqual([`Paper in ${name}`]);
    // The edit token came back with it.
    await person.open(`/edit/${made.slug}`);
    await person.sees('#markdown-field');
    // Debian's WebKit sometimes ends by itself after a download.
    if (name === 'WebKit') await renew();
  });

  /** One editor serves the rest. */
  async function openEditor(): Promise<void> {
    if (!(await person.hasEditor())) await person.openEditor(made);
    if (await person.isSeen('dialog')) await person.window.press('Escape');
    await person.click('One');
    await eventually(() => person.value('#markdown-field')).toMatch(/^# One/);
  }

  it.skipIf(missing)('of markdown and a zip of them become pages', async () => {
    await openEditor();
    const before = (await stored()).map(page => page.title);
    await person.click('Import…');
    await person.sees('dialog');
    await person.window.choose(importField, [{ name: 'Two.md', content: '# Two\n\nfrom a file' }]);
    await person.click('Import 1 page');
    await person.reads('1 page was imported.');
    await person.window.press('Escape');
    await person.click('Import…');
    await person.sees('dialog');
    await person.window.choose(importField, [{ name: 'more.zip', content: zip({ 'a.md': '# Three', 'b.md': '# Four' }) }]);
    await person.click('Import 2 pages');
    await person.reads('2 pages were imported.');
    await eventually(async () => (await stored()).map(page => page.title)).toEqual([...before, 'Two', 'Three', 'Four']);
  });

  it.skipIf(missing)('come out again: a page as .md, all as .zip and as one .html', async () => {
    await openEditor();
    const base = `paper-in-${name.toLowerCase()}`;
    const exported = async (button: string, file: string) => {
      await person.click('Export…');
      await person.click(button);
      const bytes = await person.saved(file);
      if (await person.isSeen('dialog')) await person.window.press('Escape');
      return bytes;
    };
    expect((await exported('This page as .md', 'one.md')).toString()).toBe('# One\n\nOn One.');
    const archive = unzipSync(await exported('All pages as .zip', `${base}.zip`));
    const texts = Object.values(archive).map(bytes => Buffer.from(bytes).toString());
    expect(texts.sort()).toEqual((await stored()).map(page => page.markdown).sort());
    const html = (await exported('All pages as one .html', `${base}.html`)).toString();
    expect(html).toContain('<title>');
    for (const words of ['On One.', 'On Last.']) expect(html).toContain(words);
    expect(html).not.toContain('<script');
  });
});
