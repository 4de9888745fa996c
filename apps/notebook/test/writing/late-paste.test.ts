import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk } from '../views/editor-desk.ts';

// A rich paste is converted in a worker. Whatever the person does meanwhile, it lands where it was pasted and takes no focus.
const html = '<p>some <b>bold</b> words</p>';
const markdown = 'some **bold** words';

let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
afterEach(() => expect(desk.complaints).toEqual([]));

async function openAnew(): Promise<void> {
  made = await desk.create({ title: 'Desk', pages: [{ markdown: 'start end' }, { markdown: 'two' }] });
  page = await desk.newPage();
  await page.addInitScript(holdConversions);
  await desk.open(page, made);
}

/** The editor that most tests share, its pages as they were when it was made. */
let shared: { readonly page: Page; readonly made: Made; readonly context: BrowserContext } | undefined;
async function openShared(): Promise<void> {
  if (!shared) {
    await openAnew();
    shared = { page, made, context: desk.context };
  }
  ({ page, made } = shared);
  desk.context = shared.context;
  await putBack(1, /^two/, 'two');
  await putBack(0, /^(?!two)/, 'start end');
  await expect.poll(stored, { timeout: 20_000 }).toEqual(['start end', 'two']);
}

async function putBack(place: number, now: RegExp, text: string): Promise<void> {
  await pick(place);
  await expect.poll(() => field().inputValue()).toMatch(now);
  await field().fill(text);
  await field().press('Control+s');
}

/** Runs in the page: conversions wait for `convert`, which lets the one at this index go and resolves when it is done. */
function holdConversions(): void {
  const held: (() => void)[] = [];
  const send = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (this: Worker, data: unknown) {
    if (typeof data === 'string') held.push(() => send.call(this, data));
    else send.call(this, data);
  };
  const listen = Worker.prototype.addEventListener;
  let hear = (): void => {};
  Worker.prototype.addEventListener = function (this: Worker, ...[kind, ...rest]: Parameters<Worker['addEventListener']>) {
    listen.call(this, kind, ...rest);
    if (kind === 'message') listen.call(this, kind, event => typeof (event as MessageEvent).data === 'string' && hear());
  };
  const convert = (place: number) =>
    new Promise<void>(resolve => {
      hear = () => setTimeout(resolve);
      held.splice(place, 1)[0]!();
    });
  Object.assign(globalThis, { convert });
}

const field = () => page.getByRole('textbox', { name: /^Markdown of/ });
const pick = (place: number) => page.locator('.page-pick').nth(place).click();
const convert = (place = 0) =>
  page.evaluate(at => (globalThis as unknown as { convert(at: number): Promise<void> }).convert(at), place);
const focusedName = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
const stored = async () => (await desk.stored(made)).pages.map(({ markdown }) => markdown);
const selection = () => field().evaluate((text: HTMLTextAreaElement) => [text.selectionStart, text.selectionEnd]);

async function standAt(start: number, end = start): Promise<void> {
  await field().evaluate(
    (text: HTMLTextAreaElement, [from, to]) => {
      text.focus();
      text.setSelectionRange(from!, to!);
    },
    [start, end],
  );
}

const paste = (rich = html) =>
  field().evaluate((text, rich) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/html', rich);
    clipboardData.setData('text/plain', rich.replaceAll(/<[^<>]*>/g, ''));
    text.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, rich);

describe('a rich paste whose conversion takes time', () => {
  beforeEach(openShared);

  it('lands where it was pasted while the person types on, and the caret stays with what is typed', async () => {
    await standAt(6);
    await paste();
    await page.keyboard.type('typed ');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('!');
    await convert();
    await expect.poll(() => field().inputValue()).toBe(`start ${markdown}typed end!`);
    await page.keyboard.type('?');
    await expect.poll(() => field().inputValue()).toBe(`start ${markdown}typed end!?`);
  });

  it('replaces what was selected, but nothing that was typed over it meanwhile', async () => {
    await standAt(0, 5);
    await paste();
    await page.keyboard.type('begin');
    await convert();
    await expect.poll(() => field().inputValue()).toBe(`${markdown}begin end`);
    await standAt(0, markdown.length);
    await paste('<b>x</b>');
    await convert();
    await expect.poll(() => field().inputValue()).toBe('**x**begin end');
  });

  it('stands before the caret where nothing was done meanwhile, and one undo takes it away', async () => {
    await standAt(6);
    await paste();
    await convert();
    await expect.poll(() => field().inputValue()).toBe(`start ${markdown}end`);
    await expect.poll(selection).toEqual([6 + markdown.length, 6 + markdown.length]);
    await page.keyboard.press('Control+z');
    await expect.poll(() => field().inputValue()).toBe('start end');
  });

  it('takes no focus from the title that is being written', async () => {
    await standAt(6);
    await paste();
    const title = page.getByRole('textbox', { name: 'Notebook title' });
    await title.fill('New ti');
    await convert();
    await expect.poll(stored, { timeout: 20_000 }).toEqual([`start ${markdown}end`, 'two']);
    await page.keyboard.type('tle');
    await expect.poll(() => title.inputValue()).toBe('New title');
    await expect.poll(focusedName).toBe('Notebook title');
    await field().click();
    await expect.poll(() => field().inputValue()).toBe(`start ${markdown}end`);
  });

  it('goes to its page when another one is shown by then', async () => {
    await standAt(6);
    await paste();
    await pick(1);
    await expect.poll(() => field().inputValue()).toBe('two');
    await field().press('Control+End');
    await page.keyboard.type(' more');
    await convert();
    await expect.poll(stored, { timeout: 20_000 }).toEqual([`start ${markdown}end`, 'two more']);
    await expect.poll(focusedName).toMatch(/^Markdown of/);
    await expect.poll(() => field().inputValue()).toBe('two more');
    await pick(0);
    await expect.poll(() => field().inputValue()).toBe(`start ${markdown}end`);
    await field().press('Control+z');
    await expect.poll(() => field().inputValue()).toBe('start end');
  });

  it('keeps its turn: what was pasted first stands first, however long it took', async () => {
    await standAt(6);
    await paste('<b>one</b>');
    await paste('<b>two</b>');
    await convert(1);
    await convert();
    await expect.poll(() => field().inputValue()).toBe('start **one****two**end');
  });

  it('waits for the end of a composition', async () => {
    await standAt(6);
    await paste();
    const session = await desk.context.newCDPSession(page);
    await session.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await convert();
    await session.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 });
    await expect.poll(() => field().inputValue()).toBe('start にほend');
    await session.send('Input.insertText', { text: '日本' });
    await expect.poll(() => field().inputValue()).toBe(`start ${markdown}日本end`);
  });

  it('makes the browser ask before the window is closed', async () => {
    await paste();
    const asked = page.waitForEvent('dialog');
    const closing = page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await closing;
    await convert();
    await expect.poll(() => field().inputValue()).toContain(markdown);
  });
});

it('an edit link that is dropped goes in where the pointer let go, and takes nothing away', async () => {
  await openShared();
  const link = `${desk.service.origin}/e/${made.editToken}`;
  await standAt(0, 5);
  await field().evaluate((text, link) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData('text/plain', link);
    const { right, top } = text.getBoundingClientRect();
    const [clientX, clientY] = [right - 40, top + Number.parseFloat(getComputedStyle(text).paddingTop) + 8];
    text.dispatchEvent(new DragEvent('drop', { dataTransfer, clientX, clientY, bubbles: true, cancelable: true }));
  }, link);
  await page.getByRole('button', { name: 'Insert the edit link' }).click();
  await expect.poll(() => field().inputValue()).toBe(`start end${link}`);
});

describe('a file that is dropped on the text', () => {
  beforeEach(openShared);

  /** @returns whether the field lets it be dropped, and keeps the browser from opening it */
  const drop = (...files: readonly { readonly name: string; readonly text: string; readonly type?: string }[]) =>
    field().evaluate((text, files) => {
      const dataTransfer = new DataTransfer();
      for (const { name, text, type } of files) dataTransfer.items.add(new File([text], name, type ? { type } : {}));
      const { right, top } = text.getBoundingClientRect();
      const [clientX, clientY] = [right - 40, top + Number.parseFloat(getComputedStyle(text).paddingTop) + 8];
      return ['dragover', 'drop'].map(
        kind => !text.dispatchEvent(new DragEvent(kind, { dataTransfer, clientX, clientY, bubbles: true, cancelable: true })),
      );
    }, files);

  it('goes in where the pointer let go, if it is Markdown or text, and is taken back by undo', async () => {
    await standAt(0, 5);
    expect(await drop({ name: 'a.md', text: '# One\r\n\r\n**words**\r\n' }, { name: 'b.txt', text: 'two' })).toEqual([
      true,
      true,
    ]);
    await expect.poll(() => field().inputValue()).toBe('start end\n\n# One\n\n**words**\n\ntwo');
    await field().press('Control+z');
    await expect.poll(() => field().inputValue()).toBe('start end');
  });

  it('is asked about when it has an edit link', async () => {
    await drop({ name: 'a.md', text: `See ${desk.service.origin}/e/${made.editToken}` });
    await page.getByRole('button', { name: 'Insert the edit link' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => field().inputValue()).toBe('start end');
  });

  const pasteFile = (name: string, content: string, texts: Record<string, string> = {}) =>
    field().evaluate(
      (text, { name, content, texts }) => {
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([content], name));
        for (const [type, words] of Object.entries(texts)) clipboardData.setData(type, words);
        return !text.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      },
      { name, content, texts },
    );

  it('or pasted there goes in over the selection', async () => {
    await standAt(6, 9);
    expect(await pasteFile('a.md', 'file\n')).toBe(true);
    await expect.poll(() => field().inputValue()).toBe('start file');
  });

  it('or pasted there is refused in words, unless the system has copied its name: the browser pastes that', async () => {
    expect(await pasteFile('plan.pdf', '%PDF', { 'text/plain': 'plan.pdf' })).toBe(false);
    expect(await pasteFile('plan.pdf', '%PDF')).toBe(true);
    await page.getByText('“plan.pdf” can’t go into the text. Paste Markdown, text or images here.').waitFor();
    await expect.poll(() => field().inputValue()).toBe('start end');
  });

  it('is refused in words if it is of another kind', async () => {
    expect(await drop({ name: 'plan.pdf', text: '%PDF', type: 'application/pdf' })).toEqual([true, true]);
    await page.getByText('“plan.pdf” can’t go into the text. Drop Markdown, text or images here.').waitFor();
    await expect.poll(() => field().inputValue()).toBe('start end');
  });
});

describe('a rich paste whose conversion takes longer than its window or page is there', () => {
  beforeEach(openAnew);
  afterEach(() => desk.context.close());

  it.each([
    ['is there as plain text', () => html, 'start some bold wordsend'],
    ['is not there when it has an edit link, because nobody was asked', () => editLinkIn(html), 'start end'],
  ])('in a window that is closed before it is done %s', async (_what, rich, left) => {
    await standAt(6);
    await paste(rich());
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide')));
    await page.close();
    page = await desk.window();
    await desk.open(page, made);
    await expect.poll(() => field().inputValue()).toBe(left);
    await expect.poll(() => page.getByText('was restored.').count()).toBe(left === 'start end' ? 0 : 1);
  });

  const editLinkIn = (rich: string) => rich.replace('words', `${desk.service.origin}/e/${made.editToken}`);

  it('is kept and said where its page was deleted meanwhile', async () => {
    await standAt(6);
    await paste();
    const id = (await desk.stored(made)).pages[0]!.id;
    await fetch(`${desk.service.origin}/api/notebooks/${made.slug}/pages/${id}`, {
      method: 'DELETE',
      headers: { 'x-edit-token': made.editToken },
    });
    // The window checks for changes when the network comes back.
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await expect.poll(() => field().inputValue()).toBe('two');
    await convert();
    await page.getByRole('status').getByText('What you pasted is not in “start end”: the page was deleted.').waitFor();
    await desk.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy it' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(markdown);
    await expect.poll(() => field().inputValue()).toBe('two');
  });
});
