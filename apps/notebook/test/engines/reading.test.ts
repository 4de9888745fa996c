import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { browserEngines, type StartedBrowser } from '../support/browser-window.ts';
import { OwnService } from '../support/own-service.ts';
import { eventually, Person } from '../support/person.ts';
import type { Made } from '../support/service-process.ts';

vi.setConfig({ testTimeout: 90_000 });

let octavo: OwnService;
let made: Made;
beforeAll(async () => {
  octavo = await OwnService.start();
  made = await octavo.create({
    title: 'Field notes',
    pages: [
      { markdown: '# Paper\n\n## Mills\n\nThe lighthouse by the mill.\n\n```js\nconst folds = 3;\n```\n' },
      { markdown: '# Ink' },
    ],
  });
});
afterAll(() => octavo?.close());

describe.each(browserEngines)('reading by keyboard alone in $name', ({ missing, start }) => {
  let browser: StartedBrowser;
  let person: Person;
  beforeAll(async () => {
    if (missing) return;
    browser = await start();
    person = new Person(browser.window, octavo.origin);
  });
  afterAll(() => browser?.close());

  it.skipIf(missing)('a heading has an address of its own', async () => {
    await person.open(`/n/${made.slug}`);
    await person.tabTo(/^Link to “Mills”$/);
    await person.window.press('Enter');
    await expect.poll(() => person.window.run(() => location.hash, undefined)).toBe('#mills');
  });

  it.skipIf(missing)('code is copied and it is said', async () => {
    await person.open(`/n/${made.slug}`);
    await person.sees('.copy-code');
    await person.tabTo(/^Copy the code$/);
    await person.window.press('Enter');
    await eventually(() => person.texts('[role="status"]')).toContain('The code is copied.');
    await person.open(`/n/${made.slug}/find`);
    await person.focus('#q');
    await person.window.press('Control+v');
    await eventually(() => person.value('#q')).toMatch(/^const folds = 3;/);
  });

  it.skipIf(missing)('the theme is switched, and stays on the next page', async () => {
    const scheme = () => person.style('body', 'color-scheme');
    await person.open(`/n/${made.slug}`);
    const before = await scheme();
    await person.tabTo(/^Dark mode$/);
    await person.window.press('Space');
    await eventually(scheme).not.toBe(before);
    const chosen = await scheme();
    await person.open('/search');
    await expect.poll(() => scheme()).toBe(chosen);
    await person.tabTo(/^Dark mode$/);
    await person.window.press('Enter');
    await eventually(scheme).not.toBe(chosen);
  });

  // The last one, because Debian's WebKit ends by itself, some seconds after it has sent off a form.
  it.skipIf(missing)('words are found in the notebook, and the way leads to their place', async () => {
    await person.open(`/n/${made.slug}`);
    await person.tabTo(/^Find$/);
    await person.window.press('Enter');
    await person.sees('#q');
    await person.tabTo(/^Words on its pages$/);
    await person.window.type('lighthouse');
    await person.window.press('Enter');
    await eventually(() => person.texts('main mark')).toContain('lighthouse');
    await person.tabTo(/^(Paper|Mills)$/);
    // Pages don't see this part of their address; the browser goes to the word.
    const address = () => person.window.run(() => (document.activeElement as HTMLAnchorElement).href, undefined);
    expect(await address()).toBe(`${octavo.origin}/n/${made.slug}#:~:text=lighthouse`);
    await person.window.press('Enter');
    await person.sees('.prose pre');
  });
});
