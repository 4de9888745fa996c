import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { browserEngines, type StartedBrowser } from '../support/browser-window.ts';
import { OwnService } from '../support/own-service.ts';
import { eventually, Person } from '../support/person.ts';
import type { Made } from '../support/service-process.ts';

vi.setConfig({ testTimeout: 90_000 });

let octavo: OwnService;
beforeAll(async () => {
  octavo = await OwnService.start();
});
afterAll(() => octavo?.close());

// What comes between two keys: browsers tell of it in different orders, or not at all.
describe.each(browserEngines)('typing in $name', ({ missing, start }) => {
  let browser: StartedBrowser;
  let person: Person;
  beforeAll(async () => {
    if (missing) return;
    browser = await start();
    person = new Person(browser.window, octavo.origin);
  });
  afterAll(() => browser?.close());

  const second = '# Two\n\nabcdefghijklmnopqrstuvwxyz';
  let made: Made;
  /** One editor for both, with its first page open. */
  beforeEach(async () => {
    if (missing) return;
    if (await person.hasEditor()) return person.click('.page-pick');
    made = await octavo.create({ title: 'Names', pages: [{ markdown: 'one two three' }, { markdown: second }] });
    await person.openEditor(made);
  });

  it.skipIf(missing)('offers an emoji for the page where its name was begun, and for no other', async () => {
    await person.typeAfter('three', ' :roc');
    await person.sees('.emoji-names');
    await person.click('Two');
    await eventually(() => person.value('#markdown-field')).toBe(second);
    await eventually(() => person.isSeen('.emoji-names')).toBe(false);
    expect(await person.window.run(() => document.querySelectorAll('[aria-activedescendant]').length, undefined)).toBe(0);
    // Its offer is made again there, and is for this page.
    await person.typeAfter('xyz', ' :roc');
    await person.sees('.emoji-names');
    await person.window.press('Enter');
    await eventually(() => person.value('#markdown-field')).toMatch(/^# Two\n\nabcdefghijklmnopqrstuvwxyz :\w+:$/);
  });

  it.skipIf(missing)('with an input method keeps what it composes, though the syllable before has just ended', async () => {
    await eventually(() => person.value('#markdown-field')).toMatch(/^one two three/);
    const mine = await person.value('#markdown-field');
    await person.sees('[data-save-state="saved"]');
    await person.focus('#markdown-field');
    await compose(['compositionstart', 'compositionend', 'compositionstart']);
    const answer = await fetch(`${octavo.origin}/api/notebooks/${made.slug}/pages/${made.pageId}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-edit-token': made.editToken },
      body: JSON.stringify({ markdown: 'theirs', title: 'Renamed' }),
    });
    expect(answer.status).toBe(200);
    await person.window.run(() => void dispatchEvent(new Event('online')), undefined);
    // The title comes with the text that waits.
    await eventually(() => person.texts('.page-pick')).toEqual(['Renamed', 'Two']);
    await person.window.run(() => new Promise<void>(resolve => setTimeout(resolve)), undefined);
    expect(await person.value('#markdown-field')).toBe(mine);
    await compose(['compositionend']);
    await eventually(() => person.value('#markdown-field')).toBe('theirs');
  });

  /** As an input method does, in one task. */
  const compose = (kinds: readonly string[]) =>
    person.window.run(types => {
      const field = document.querySelector('#markdown-field')!;
      for (const type of types) field.dispatchEvent(new CompositionEvent(type, { bubbles: true }));
    }, kinds);
});
