import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { readCopies } from '../offline/copies.ts';
import { browserEngines, type StartedBrowser } from '../support/browser-window.ts';
import { OwnService } from '../support/own-service.ts';
import { eventually, Person } from '../support/person.ts';

vi.setConfig({ testTimeout: 120_000 });

// Chromium and Firefox tell the same story, and more of it, in test/offline/editor.test.ts, with a driver that knows more.
const [engine] = browserEngines.filter(({ name }) => name === 'WebKit');
const { missing, start } = engine!;

/** Its driver cannot take the network away, so the server ends. */
describe('WebKit, the server ended', () => {
  let octavo: OwnService;
  let browser: StartedBrowser;
  let person: Person;
  beforeAll(async () => {
    if (missing) return;
    octavo = await OwnService.start({ OFFLINE: 'on' });
    browser = await start();
    person = new Person(browser.window, octavo.origin);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await octavo?.close();
  });

  const keeps = (path: string) =>
    eventually(() => person.window.run(async path => (await caches.match(path)) !== undefined, path)).toBe(true);

  it.skipIf(missing)(
    'shows what was read; the editor opens, keeps what is written, and saves it when the server is back',
    async () => {
      const made = await octavo.create({ title: 'Kept', pages: [{ markdown: 'Words to read.' }] });
      await person.openEditor(made);
      await person.typeAfter('to read.', ' And more.');
      await eventually(async () => (await person.window.run(readCopies, undefined))[made.slug] ?? '').toContain('And more.');
      await keeps('/edit/offline');
      await person.open(`/n/${made.slug}`);
      await keeps(`/n/${made.slug}`);
      await octavo.kill();

      await person.open(`/n/${made.slug}`);
      await person.reads('The server can’t be reached. This is the page as you last read it');
      await person.reads('Words to read. And more.');

      await person.open(`/edit/${made.slug}`);
      await person.sees('#markdown-field');
      await person.typeAfter('And more.', ' Written offline.');
      await person.reads('The server can’t be reached. This is the notebook as of');
      await person.open(`/edit/${made.slug}`);
      await person.sees('#markdown-field');
      await eventually(() => person.value('#markdown-field')).toBe('Words to read. And more. Written offline.');

      await octavo.startAgain();
      await person.window.run(() => void dispatchEvent(new Event('online')), undefined);
      const stored = async () => (await fetch(`${octavo.origin}/n/${made.slug}.md`)).text();
      await eventually(stored).toContain('Written offline.');
    },
  );
});
