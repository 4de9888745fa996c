import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { htmlToMarkdown } from '../../src/browser/field/paste/html-to-markdown.ts';
import { OwnService } from '../support/own-service.ts';
import { type TypingBrowser, typingEngines } from '../support/typing-browsers.ts';

const section = `<h2>Chapter</h2><p>Some <b>bold</b> and <a href="https://example.org/a">linked</a> words, ${'and more '.repeat(20)}</p>
<ul><li>one<ul><li>two</li></ul></li><li><i>three</i></li></ul>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<pre><code>let x = 1;\nlet y = 2;</code></pre><blockquote>quoted</blockquote>`;
const html = section.repeat(Math.ceil(100_000 / section.length));
const markdown = htmlToMarkdown(html)!;

let service: OwnService;
beforeAll(async () => {
  service = await OwnService.start();
});
afterAll(() => service?.close());

const field = "document.querySelector('#markdown-field')";

describe.each(typingEngines)('100 kB of rich text pasted in $name', { timeout: 90_000 }, ({ launch, missing }) => {
  let browser: TypingBrowser;
  beforeAll(async () => {
    if (missing) return;
    browser = await launch();
    const made = await service.create({ pages: [{ markdown: '' }] });
    await browser.goto(`${service.origin}/e/${made.editToken}`);
    await until(`${field} !== null`);
  }, 120_000);
  afterAll(() => browser?.close());

  /** In the page: a poll of the test's own would keep the window busy with answers. */
  const until = (condition: string) =>
    browser.evaluate(`(async () => {
      const end = performance.now() + 30_000;
      while (!(${condition}) && performance.now() < end) await new Promise(done => setTimeout(done, 50));
    })()`);
  const text = () => browser.evaluate<string>(`${field}.value`);

  it.skipIf(missing)('becomes Markdown in one step of undo, before what is typed meanwhile', async () => {
    await browser.evaluate(`(() => {
      ${field}.focus();
      document.execCommand('insertText', false, 'before ');
      const data = new DataTransfer();
      data.setData('text/html', ${JSON.stringify(html)});
      data.setData('text/plain', 'plain');
      // Firefox gives a constructed ClipboardEvent no data.
      const event = new Event('paste', { bubbles: true, cancelable: true });
      Object.defineProperty(event, 'clipboardData', { value: data });
      ${field}.dispatchEvent(event);
    })()`);
    await browser.press('x');
    await until(`${field}.value.length > 10_000`);
    expect(await text()).toBe(`before \n\n${markdown}\n\nx`);
    await browser.undo();
    expect(await text()).toBe('before x');
    await browser.redo();
    expect(await text()).toBe(`before \n\n${markdown}\n\nx`);
    await until('document.querySelector(\'[data-save-state="saved"]\') !== null');
  });
});
