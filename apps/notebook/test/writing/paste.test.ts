import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OwnService } from '../support/own-service.ts';
import type { Made } from '../support/service-process.ts';
import { type TypingBrowser, typingEngines } from '../support/typing-browsers.ts';
import { readMarked, writeMarked } from './marked-text.ts';

const source = '## Rich\n\nWith **bold** and [a link](https://example.org/).\n\n- one\n  - two\n\n```js\nlet x = 1\n```\n';

let service: OwnService;
let rich: Made;
beforeAll(async () => {
  service = await OwnService.start();
  rich = await service.create({ pages: [{ markdown: source }] });
});
afterAll(() => service?.close());

const field = "document.querySelector('#markdown-field')";

describe.each(typingEngines)('paste in $name, by the real clipboard', ({ launch, missing }) => {
  let browser: TypingBrowser;
  let made: Made;
  beforeAll(async () => {
    if (missing) return;
    browser = await launch();
  }, 120_000);
  afterAll(() => browser?.close());

  async function until(condition: string): Promise<void> {
    await browser.evaluate(`(async () => {
      const end = performance.now() + 15_000;
      while (!(${condition}) && performance.now() < end) await new Promise(done => setTimeout(done, 50));
    })()`);
  }
  async function openEditor(marked: string): Promise<void> {
    made = await service.create({ pages: [{ markdown: '' }] });
    await browser.goto(`${service.origin}/e/${made.editToken}`);
    await until(`${field} !== null && location.pathname.startsWith('/edit/')`);
    await write(marked);
  }
  /** One editor serves what follows; what each test needs on the clipboard it copies itself. */
  async function useEditor(): Promise<void> {
    if (!(await browser.evaluate<boolean>(`${field} !== null`))) await openEditor('|');
  }
  const write = (marked: string) => {
    const { text, start, end } = readMarked(marked);
    return browser.evaluate(
      `(field => { field.focus(); field.select(); document.execCommand('insertText', false, ${JSON.stringify(text)}); field.setSelectionRange(${start}, ${end}); })(${field})`,
    );
  };
  const read = async () =>
    writeMarked(
      await browser.evaluate(
        `(field => ({ text: field.value, start: field.selectionStart, end: field.selectionEnd }))(${field})`,
      ),
    );
  /** Copies what a reader's page shows, as a person does. */
  async function copyRich(): Promise<void> {
    await browser.goto(`${service.origin}/n/${rich.slug}`);
    await browser.evaluate("getSelection().selectAllChildren(document.querySelector('.prose'))");
    await browser.press('Control+c');
  }
  /** The same words, as the preview shows them. */
  async function copyPreview(): Promise<void> {
    await write(`${source}|`);
    await until('document.querySelector(\'.preview-pane[data-shown="true"] .prose pre\') !== null');
    await browser.evaluate(
      'getSelection().selectAllChildren(document.querySelector(\'.preview-pane[data-shown="true"] .prose\'))',
    );
    await browser.press('Control+c');
  }
  async function copyText(text: string): Promise<void> {
    await write(`{${text}}`);
    await browser.press('Control+x');
  }
  const pressButton = (name: string) =>
    browser.evaluate(`[...document.querySelectorAll('dialog button')].find(button => button.textContent === '${name}').click()`);

  it.skipIf(missing)('rich text becomes markdown, and Ctrl+Z takes it away', async () => {
    await copyRich();
    await openEditor('be|fore');
    await browser.press('Control+v');
    await until(`${field}.value.length > 10`);
    const after = `be\n\n${source.trim()}|\n\nfore`;
    expect(await read()).toBe(after);
    await browser.undo();
    expect(await read()).toBe('be|fore');
    await browser.redo();
    expect(await read()).toBe(after);
  });

  it.skipIf(missing)('with Shift, and inside a fence, it stays plain', async () => {
    await useEditor();
    await copyPreview();
    await write('```\n|\n```');
    await browser.press('Control+v');
    await until(`${field}.value.length > 20`);
    expect(await browser.evaluate(`${field}.value`)).not.toMatch(/\*\*|##|\[a link\]/);
    await write('|');
    // This small browser has no key for it.
    if ((await browser.evaluate<string>('navigator.userAgent')).includes('Version/60')) return;
    await browser.press('Control+Shift+v');
    await until(`${field}.value.length > 20`);
    expect(await browser.evaluate(`${field}.value`)).toContain('With bold and a link.');
  });

  it.skipIf(missing)('an address over a selection becomes its link, over another address it replaces', async () => {
    await useEditor();
    await copyText('https://example.org/a_(b)?c=d');
    await write('see {here} now');
    await browser.press('Control+v');
    expect(await read()).toBe('see [here](https://example.org/a_(b)?c=d)| now');
    await browser.undo();
    expect(await read()).toBe('see {here} now');
    await write('see [here]({url}) now');
    await browser.press('Control+v');
    expect(await read()).toBe('see [here](https://example.org/a_(b)?c=d|) now');
  });

  it.skipIf(missing)('an edit link is asked about before it is in the text; one press puts the view link instead', async () => {
    await useEditor();
    const editLink = `${service.origin}/e/${made.editToken}`;
    const viewLink = `${service.origin}/n/${made.slug}`;
    await copyText(editLink);
    await write('see |');
    await browser.press('Control+v');
    await until("document.querySelector('dialog[open]') !== null");
    expect(await read()).toBe('see |');
    await pressButton('Insert the view link');
    await until(`${field}.value.length > 10`);
    expect(await read()).toBe(`see ${viewLink}|`);
    await browser.undo();
    expect(await read()).toBe('see |');
    for (const [button, after] of [
      ['Insert nothing', 'see |'],
      ['Insert the edit link', `see ${editLink}|`],
    ] as const) {
      await browser.press('Control+v');
      await until("document.querySelector('dialog[open]') !== null");
      await pressButton(button);
      await until("document.querySelector('dialog[open]') === null");
      await expect.poll(read).toBe(after);
    }
  });
});
