import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action } from '../../src/browser/field/formatting/actions.ts';
import { type TypingBrowser, typingEngines } from '../support/typing-browsers.ts';
import { type ClientSite, startClientSite } from '../views/client-site.ts';
import { eachActionCase } from './action-cases.ts';
import { enterCases, plainEnterCases } from './enter-cases.ts';
import { readMarked, writeMarked } from './marked-text.ts';

let site: ClientSite;

const desk = '<!doctype html><html lang="en"><meta charset="utf-8"><title>desk</title><body></body></html>';

beforeAll(async () => {
  site = await startClientSite(() => ({ '/desk': { html: desk, frames: false } }), { desk: 'test/writing/desk-page.ts' });
});
afterAll(() => site?.close());

const keysOf = ({ shortcut }: Action): string | undefined =>
  shortcut && `Control+${'shift' in shortcut ? 'Shift+' : ''}${shortcut.key}`;

const tabCases: [string, string][] = [
  ['a|b', 'a  |b'],
  ['|', '  |'],
  ['a{b\nc}d', '  a{b\n  c}d'],
  ['{one}', '  {one}'],
  ['{a\n\nb}', '  {a\n\n  b}'],
  ['x\n{a\n}b', 'x\n  {a\n}b'],
  ['日{本\n語}', '  日{本\n  語}'],
];

const shiftTabCases: [string, string][] = [
  ['  a|b', 'a|b'],
  ['  a{b\n  c}d', 'a{b\nc}d'],
  ['\ta|', 'a|'],
  [' a|', 'a|'],
  ['    a|', '  a|'],
  ['x\n |  b', 'x\n| b'],
];

const pressedCases: [string, string, string][] = [
  ...tabCases.map(([before, after]): [string, string, string] => ['Tab', before, after]),
  ...shiftTabCases.map(([before, after]): [string, string, string] => ['Shift+Tab', before, after]),
  ...enterCases.map(([before, after]): [string, string, string] => ['Enter', before, after]),
  ...eachActionCase.flatMap(([, before, after, action]) => {
    const keys = keysOf(action);
    return keys ? [[keys, before, after] as [string, string, string]] : [];
  }),
];

/** The first three of each key. */
const fewPressedCases = pressedCases.filter(([keys], at) => at - pressedCases.findIndex(([other]) => other === keys) < 3);

// What becomes of a text is decided by functions, for which Chromium presses every case (and actions.test.ts asks without a browser).
// What differs between engines is how a key is reported, how a selection is replaced, and what undo takes back: three cases of a key each.
describe.each(typingEngines)('in $name', ({ name, launch, missing }) => {
  const isWhole = name === 'Chromium';
  let browser: TypingBrowser;
  beforeAll(async () => {
    if (missing) return;
    browser = await launch();
    await browser.goto(`${site.origin}/desk`);
    // As text: the test runner would rewrite an `import()` that it sees.
    await browser.evaluate("import('/test/desk.js').then(() => undefined)");
  }, 120_000);
  afterAll(() => browser?.close());

  const write = (marked: string) => browser.evaluate(`setDesk(${JSON.stringify(readMarked(marked))})`);
  const read = async () =>
    writeMarked(
      await browser.evaluate(
        "(field => ({ text: field.value, start: field.selectionStart, end: field.selectionEnd }))(document.querySelector('textarea'))",
      ),
    );
  const focused = () => browser.evaluate('document.activeElement.textContent || document.activeElement.tagName');

  describe.skipIf(missing)('a key, undo, redo', () => {
    it.each(isWhole ? pressedCases : fewPressedCases)('%s: %j becomes %j', async (keys, before, after) => {
      await write(before);
      await browser.press(keys);
      expect(await read()).toBe(after);
      await browser.undo();
      expect(await read()).toBe(before);
      await browser.redo();
      expect(await read()).toBe(after);
    });
  });

  describe.skipIf(missing)('left to the browser', () => {
    it.each(isWhole ? plainEnterCases : plainEnterCases.slice(0, 3))('Enter on %j', async before => {
      await write(before);
      await browser.press('Enter');
      expect(await read()).toBe(before.replace('|', '\n|'));
    });
    it('Shift+Enter in a list', async () => {
      await write('- a|');
      await browser.press('Shift+Enter');
      expect(await read()).toBe('- a\n|');
    });
  });

  describe.skipIf(missing)('typed words', () => {
    it('stay when the mark that followed them is undone', async () => {
      await write('|');
      for (const key of ['w', 'o', 'r', 'd', 'Control+b']) await browser.press(key);
      expect(await read()).toBe('word**|**');
      await browser.undo();
      expect(await read()).toBe('word|');
    });
    it('stay when the list item that followed them is undone', async () => {
      await write('- |');
      for (const key of ['o', 'n', 'e', 'Enter', 't']) await browser.press(key);
      expect(await read()).toBe('- one\n- t|');
      await browser.undo();
      await browser.undo();
      expect(await read()).toBe('- one|');
    });
  });

  describe.skipIf(missing)('leaving the field', () => {
    it('Esc, then Tab goes to the next element', async () => {
      await write('a|');
      await browser.press('Escape');
      await browser.press('Tab');
      expect(await focused()).toBe('after');
    });
    it('Esc, then Shift+Tab goes to the one before', async () => {
      await write('a|');
      await browser.press('Escape');
      await browser.press('Shift+Tab');
      expect(await focused()).toBe('before');
    });
    it('any other key in between takes that back', async () => {
      await write('a|');
      for (const key of ['Escape', 'b', 'Tab']) await browser.press(key);
      expect(await read()).toBe('ab  |');
    });
    it('Shift+Tab stays when there is nothing to take away', async () => {
      await write('a|b');
      await browser.press('Shift+Tab');
      expect(await read()).toBe('a|b');
      expect(await focused()).toBe('TEXTAREA');
    });
  });
});
