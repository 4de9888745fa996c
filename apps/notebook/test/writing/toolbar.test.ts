import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OwnService } from '../support/own-service.ts';
import { type TypingBrowser, typingEngines } from '../support/typing-browsers.ts';
import { readMarked, writeMarked } from './marked-text.ts';

let service: OwnService;
beforeAll(async () => {
  service = await OwnService.start();
});
afterAll(() => service?.close());

const field = "document.querySelector('#markdown-field')";

/** Button, then what is pressed in what it opens, before, after. Those with a key of their own are in field-keys.test.ts as well. */
const cases: [string, string, string, string][] = [
  ['Bold', '', 'a {word} b', 'a **{word}** b'],
  ['Link', '', 'see {here} now', 'see [here]({url}) now'],
  ['Numbered list', '', '{a\nb}', '1. {a\n2. b}'],
  ['Details', '', '|', '<details>\n<summary>{Summary}</summary>\n\nMore\n\n</details>\n'],
  ['Divider', '', 'on|e\ntwo', 'one\n\n---\n\n|two'],
  ['Heading', 'Heading 2', 'wor|d', '## wor|d'],
  ['Heading', 'Plain text', '### wor|d', 'wor|d'],
  ['Alert', 'Warning', 'wor|d', '> [!WARNING]\n> |word\n'],
  ['Code block', 'Insert', '{x}', '```\n{x}\n```'],
  [
    'Table',
    'Insert',
    'one|',
    'one\n\n| {Column 1} | Column 2 | Column 3 |\n| -------- | -------- | -------- |\n|          |          |          |\n|          |          |          |\n',
  ],
];

describe.each(typingEngines)('the toolbar in $name', ({ launch, missing }) => {
  let browser: TypingBrowser;
  beforeAll(async () => {
    if (missing) return;
    browser = await launch();
    const made = await service.create({ pages: [{ markdown: '' }] });
    await browser.goto(`${service.origin}/e/${made.editToken}`);
    await browser.evaluate(`(async () => {
      while (!${field}) await new Promise(done => setTimeout(done, 50));
    })()`);
  }, 120_000);
  afterAll(() => browser?.close());

  const write = (marked: string) => {
    const { text, start, end } = readMarked(marked);
    return browser.evaluate(
      `(field => { field.focus(); field.select(); document.execCommand('insertText', false, ${JSON.stringify(text)} || ' '); if (${text === ''}) document.execCommand('delete'); field.setSelectionRange(${start}, ${end}); })(${field})`,
    );
  };
  const read = async () =>
    writeMarked(
      await browser.evaluate(
        `(field => ({ text: field.value, start: field.selectionStart, end: field.selectionEnd }))(${field})`,
      ),
    );
  const press = (name: string, inside: string) =>
    browser.evaluate(`(async () => {
      const button = [...document.querySelectorAll('.tool')].find(tool => tool.ariaLabel.startsWith('${name}'));
      button.click();
      if ('${inside}' === '') return;
      const popup = document.getElementById(button.getAttribute('popovertarget'));
      [...popup.querySelectorAll('button')].find(item => item.textContent === '${inside}').click();
    })()`);
  const named = () => browser.evaluate<string>("document.activeElement.ariaLabel ?? ''");

  it.skipIf(missing).each(cases)('%s %s: %j becomes %j, undone and redone', async (name, inside, before, after) => {
    await write(before);
    await press(name, inside);
    expect(await read()).toBe(after);
    await browser.undo();
    expect(await read()).toBe(before);
    await browser.redo();
    expect(await read()).toBe(after);
  });

  it.skipIf(missing)('is one stop of Tab; arrows, Home and End move in it', async () => {
    await browser.evaluate('document.querySelector(\'.tool[tabindex="0"]\').focus()');
    await browser.press('Home');
    expect(await named()).toMatch(/^Heading/);
    await browser.press('ArrowRight');
    expect(await named()).toMatch(/^Bold/);
    await browser.press('End');
    expect(await named()).toMatch(/^Keyboard shortcuts/);
    await browser.press('ArrowRight');
    expect(await named()).toMatch(/^Heading/);
    expect(await browser.evaluate('document.querySelectorAll(\'.tool[tabindex="0"]\').length')).toBe(1);
  });

  it.skipIf(missing)('Ctrl+/ opens the sheet of keys, Esc goes back to the text', async () => {
    await write('a|');
    await browser.press('Control+/');
    expect(await browser.evaluate("document.querySelector('dialog[open]').textContent")).toContain('Ctrl+Shift+X');
    await browser.press('Escape');
    expect(await browser.evaluate("document.querySelector('dialog[open]') === null && document.activeElement.id")).toBe(
      'markdown-field',
    );
  });
});
