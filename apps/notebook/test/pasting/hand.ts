import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { By, Key, until, type WebDriver } from 'selenium-webdriver';
import { launchChromium } from '../support/browser.ts';
import { firefoxMissing, launchFirefox } from '../support/firefox.ts';
import { launchWebKit, webkitMissing } from '../support/webkit.ts';
import type { Picture } from './pictures.ts';

/** What a person does in a browser, whichever it is. */
export interface Hand {
  open(address: string): Promise<void>;
  click(css: string): Promise<void>;
  type(text: string): Promise<void>;
  /** `Control+End`: names as in KeyboardEvent. */
  press(keys: string): Promise<void>;
  undo(): Promise<void>;
  redo(): Promise<void>;
  /** By the button and the browser's file dialog. */
  choose(pictures: readonly Picture[]): Promise<void>;
  /** Runs in the page, which gets the value. */
  run<Given, Answer>(script: (given: Given) => Answer | Promise<Answer>, given: Given): Promise<Answer>;
  close(): Promise<void>;
}

export interface BrowserKind {
  readonly name: string;
  readonly missing: string | undefined;
  start(): Promise<Hand>;
}

export const browserKinds: readonly BrowserKind[] = [
  { name: 'Chromium', missing: undefined, start: () => startPlaywright(launchChromium()) },
  {
    name: 'Firefox',
    missing: firefoxMissing,
    start: () => startPlaywright(launchFirefox() as Promise<unknown> as Promise<Browser>),
  },
  { name: 'WebKit', missing: webkitMissing, start: startWebKit },
];

const button = '[aria-label="Insert images"]';

async function startPlaywright(launched: Promise<Browser>): Promise<Hand> {
  const browser = await launched;
  const folder = await mkdtemp(join(tmpdir(), 'octavo-hand-'));
  return {
    ...handOn(await browser.newPage(), folder),
    async close() {
      await browser.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** @param folder for the files that are chosen */
export function handOn(page: Page, folder: string): Omit<Hand, 'close'> {
  return {
    open: async address => void (await page.goto(address)),
    click: css => page.click(css),
    type: text => page.keyboard.type(text),
    press: keys => page.keyboard.press(keys),
    undo: () => page.keyboard.press('Control+z'),
    redo: () => page.keyboard.press('Control+Shift+z'),
    async choose(pictures) {
      const chooser = page.waitForEvent('filechooser');
      await page.click(button);
      await (await chooser).setFiles(await writeAll(folder, pictures));
    },
    run: (script, given) => page.evaluate(script as (given: unknown) => never, given),
  };
}

async function startWebKit(): Promise<Hand> {
  const { driver, close } = await launchWebKit();
  const folder = await mkdtemp(join(tmpdir(), 'octavo-hand-'));
  return {
    open: address => driver.get(address),
    click: async css => (await driver.wait(until.elementLocated(By.css(css)), 20_000)).click(),
    type: text => driver.actions().sendKeys(text).perform(),
    press: keys => pressKeys(driver, keys),
    // This small browser has no key for it; Safari's menu gives the engine the same command.
    undo: () => driver.executeScript("document.execCommand('undo')"),
    redo: () => driver.executeScript("document.execCommand('redo')"),
    async choose(pictures) {
      // Under WebDriver its file dialog answers "cancelled" at once; the files are given to the field itself.
      await driver.executeScript('HTMLInputElement.prototype.click = () => {}');
      await driver.findElement(By.css(button)).click();
      const input = await driver.wait(until.elementLocated(By.css('input[type="file"]')), 20_000);
      await input.sendKeys((await writeAll(folder, pictures)).join('\n'));
    },
    run: (script, given) => driver.executeScript(script, given),
    async close() {
      await close();
      await rm(folder, { recursive: true });
    },
  };
}

async function pressKeys(driver: WebDriver, keys: string): Promise<void> {
  const names: Record<string, string> = { Control: Key.CONTROL, Shift: Key.SHIFT, End: Key.END, Home: Key.HOME };
  const all = keys.split('+').map(key => names[key] ?? key);
  const actions = driver.actions();
  for (const key of all) actions.keyDown(key);
  for (const key of all.toReversed()) actions.keyUp(key);
  await actions.perform();
}

export async function writeAll(folder: string, pictures: readonly Picture[]): Promise<string[]> {
  const paths = pictures.map(({ name }) => join(folder, name));
  await Promise.all(pictures.map(({ bytes }, place) => writeFile(paths[place]!, bytes)));
  return paths;
}

/**
 * Pastes into the text field. The clipboard's data is put on a plain event: Firefox gives a constructed ClipboardEvent no files.
 * @param texts what else is on the clipboard, by its type
 */
export function paste(
  hand: Pick<Hand, 'run'>,
  pictures: readonly Picture[],
  texts: Record<string, string> = {},
): Promise<boolean> {
  const files = pictures.map(({ name, type, bytes }) => ({ name, type, base64: bytes.toString('base64') }));
  return hand.run(dispatchPaste, { files, texts });
}

/** @returns whether the editor dealt with it */
function dispatchPaste({
  files,
  texts,
}: {
  files: { name: string; type: string; base64: string }[];
  texts: Record<string, string>;
}): boolean {
  const data = new DataTransfer();
  for (const { name, type, base64 } of files) {
    const bytes = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
    data.items.add(new File([bytes], name, { type }));
  }
  for (const [type, text] of Object.entries(texts)) data.setData(type, text);
  const event = new Event('paste', { bubbles: true, cancelable: true });
  Object.defineProperty(event, 'clipboardData', { value: data });
  document.querySelector('#markdown-field')!.dispatchEvent(event);
  return event.defaultPrevented;
}

export interface FieldState {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly focused: boolean;
}

export function readField(hand: Pick<Hand, 'run'>): Promise<FieldState> {
  return hand.run(() => {
    const field = document.querySelector<HTMLTextAreaElement>('#markdown-field')!;
    const { value: text, selectionStart: start, selectionEnd: end } = field;
    return { text, start, end, focused: document.activeElement === field };
  }, undefined);
}
