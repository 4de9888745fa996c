import type { Browser, Page } from 'playwright-core';
import { Key } from 'selenium-webdriver';
import { launchChromium } from './browser.ts';
import { firefoxMissing, launchFirefox } from './firefox.ts';
import { launchWebKit, webkitMissing } from './webkit.ts';

/** What typing tests need from any engine: one window, scripts as text, real keys. */
export interface TypingBrowser {
  goto(url: string): Promise<void>;
  /** The value of an expression; a promise is awaited. */
  evaluate<T>(expression: string): Promise<T>;
  /** `Control+Shift+x`, `Tab`, `a`. */
  press(keys: string): Promise<void>;
  undo(): Promise<void>;
  redo(): Promise<void>;
  close(): Promise<void>;
}

export interface TypingEngine {
  readonly name: string;
  readonly missing: string | undefined;
  launch(): Promise<TypingBrowser>;
}

export const typingEngines: readonly TypingEngine[] = [
  { name: 'Chromium', missing: undefined, launch: async () => throughPlaywright(await launchChromium()) },
  {
    name: 'Firefox',
    missing: firefoxMissing,
    launch: async () => throughPlaywright((await launchFirefox()) as unknown as Browser),
  },
  { name: 'WebKit', missing: webkitMissing, launch: throughWebDriver },
];

async function throughPlaywright(browser: Browser): Promise<TypingBrowser> {
  const page: Page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  return {
    goto: async url => void (await page.goto(url)),
    evaluate: expression => page.evaluate(expression),
    press: keys => page.keyboard.press(keys),
    undo: () => page.keyboard.press('Control+z'),
    redo: () => page.keyboard.press('Control+Shift+z'),
    close: () => browser.close(),
  };
}

const webDriverKeys: Record<string, string> = {
  Control: Key.CONTROL,
  Shift: Key.SHIFT,
  Meta: Key.META,
  Tab: Key.TAB,
  Enter: Key.ENTER,
  Escape: Key.ESCAPE,
  ArrowRight: Key.ARROW_RIGHT,
  ArrowLeft: Key.ARROW_LEFT,
  ArrowDown: Key.ARROW_DOWN,
  ArrowUp: Key.ARROW_UP,
  Home: Key.HOME,
  End: Key.END,
};

async function throughWebDriver(): Promise<TypingBrowser> {
  const { driver, close } = await launchWebKit();
  const evaluate = <T>(expression: string): Promise<T> =>
    driver.executeAsyncScript<T>(`Promise.resolve((${expression})).then(arguments[0])`);
  return {
    goto: url => driver.get(url),
    evaluate,
    press: async keys => {
      const pressed = keys.split('+').map(key => webDriverKeys[key] ?? key);
      const actions = driver.actions();
      for (const key of pressed) actions.keyDown(key);
      for (const key of pressed.toReversed()) actions.keyUp(key);
      await actions.perform();
    },
    // This small browser has no key for it; Safari's menu sends the engine the same command.
    undo: async () => void (await evaluate("document.execCommand('undo')")),
    redo: async () => void (await evaluate("document.execCommand('redo')")),
    close,
  };
}
