import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { By, Key, type WebDriver } from 'selenium-webdriver';
import { launchChromium } from './browser.ts';
import { borrowFirefox, firefoxMissing } from './firefox.ts';
import { launchWebKit, type WebKit, webkitMissing } from './webkit.ts';

/** Pixels within the window's content. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Whole pixels within the window's content. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** What a driver can do in every engine: real keys, a real pointer, real downloads, scripts. Stories are written with `Person`. */
export interface BrowserWindow {
  open(address: string): Promise<void>;
  /** Runs a script in the page, which receives the value. */
  run<Given, Answer>(script: (given: Given) => Answer | Promise<Answer>, given: Given): Promise<Answer>;
  /** `Control+Shift+x`, `Tab`, `a`: names as in KeyboardEvent. */
  press(keys: string): Promise<void>;
  type(text: string): Promise<void>;
  point(at: Point): Promise<void>;
  down(): Promise<void>;
  up(): Promise<void>;
  wheel(at: Point, by: number): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** @param box what is of interest: a smaller picture is sooner made, sent and read */
  screenshot(box?: Box): Promise<Buffer>;
  /** The printed pages as a PDF. Absent if the driver cannot print (WebKit). */
  readonly print?: () => Promise<Buffer>;
  /** Gives files to a file field, as its dialog would. */
  choose(css: string, files: readonly ChosenFile[]): Promise<void>;
  /** Undefined until the browser has saved a file of that name. */
  downloaded(name: string): Promise<Buffer | undefined>;
}

export interface ChosenFile {
  readonly name: string;
  readonly content: Uint8Array | string;
}

/** One browser with an empty profile. */
export interface StartedBrowser {
  /** A new one after `renew`. */
  readonly window: BrowserWindow;
  /** Empties its profile. WebKit's profile is tied to the browser, which is restarted. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

export interface BrowserEngine {
  readonly name: 'Chromium' | 'Firefox' | 'WebKit';
  readonly missing: string | undefined;
  start(): Promise<StartedBrowser>;
}

export const browserEngines: readonly BrowserEngine[] = [
  { name: 'Chromium', missing: undefined, start: startChromium },
  {
    name: 'Firefox',
    missing: firefoxMissing,
    async start() {
      const { browser, downloads } = await borrowFirefox();
      // Another release of the driver: the same calls, but types that do not match. It does not report downloads.
      return startPlaywright(browser as unknown as Browser, downloads);
    },
  },
  { name: 'WebKit', missing: webkitMissing, start: startWebKit },
];

/** In headless mode, it keeps nothing on its clipboard unless permitted. The other engines know no such permission. */
const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

async function startChromium(): Promise<StartedBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-window-'));
  const started = await startPlaywright(await launchChromium(), folder, clipboard);
  return {
    get window() {
      return started.window;
    },
    renew: () => started.renew(),
    async close() {
      await started.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** @param folder where downloads go */
async function startPlaywright(browser: Browser, folder: string, options: BrowserContextOptions = {}): Promise<StartedBrowser> {
  const openContext = () => browser.newContext({ ...options, viewport: { width: 1400, height: 900 } });
  let context = await openContext();
  let window = playwrightWindow(await context.newPage(), folder);
  return {
    get window() {
      return window;
    },
    async renew() {
      await context.close();
      context = await openContext();
      window = playwrightWindow(await context.newPage(), folder);
    },
    close: () => browser.close(),
  };
}

/** @param folder where downloads go */
export function playwrightWindow(page: Page, folder: string): BrowserWindow {
  page.setDefaultTimeout(30_000);
  page.on('download', file => void file.saveAs(join(folder, file.suggestedFilename())));
  return {
    open: async address => void (await page.goto(address)),
    run: (script, given) => page.evaluate(script as (given: unknown) => never, given),
    press: keys => page.keyboard.press(keys),
    type: text => page.keyboard.type(text),
    point: ({ x, y }) => page.mouse.move(x, y),
    down: () => page.mouse.down(),
    up: () => page.mouse.up(),
    async wheel({ x, y }, by) {
      await page.mouse.move(x, y);
      await page.mouse.wheel(0, by);
    },
    resize: (width, height) => page.setViewportSize({ width, height }),
    screenshot: box => page.screenshot(box && { clip: { x: box.left, y: box.top, width: box.width, height: box.height } }),
    print: () => page.pdf({ format: 'A4', printBackground: true }),
    async choose(css, files) {
      const buffers = files.map(({ name, content }) => ({ name, mimeType: '', buffer: Buffer.from(content) }));
      await page.locator(css).setInputFiles(buffers);
    },
    downloaded: name => readIfThere(join(folder, name)),
  };
}

/** WebKit sometimes ends by itself. The current story fails, but the next one opens another. */
async function startWebKit(): Promise<StartedBrowser> {
  let webkit = await launchWebKit();
  let window = await firstWindow(webkit);
  const renew = async (): Promise<void> => {
    await webkit.close();
    webkit = await launchWebKit();
    window = await firstWindow(webkit);
  };
  const open = async (address: string): Promise<void> => {
    const alive = await webkit.driver.getWindowHandle().catch(() => undefined);
    if (alive === undefined) await renew();
    await window.open(address);
  };
  const lasting = new Proxy({} as BrowserWindow, {
    get: (_, key) => (key === 'open' ? open : window[key as keyof BrowserWindow]),
  });
  return { window: lasting, renew, close: () => webkit.close() };
}

async function firstWindow({ driver, home }: WebKit): Promise<BrowserWindow> {
  await driver.manage().window().setRect({ x: 0, y: 0, width: 1400, height: 938 });
  return webDriverWindow(driver, home);
}

function webDriverWindow(driver: WebDriver, home: string): BrowserWindow {
  const run: BrowserWindow['run'] = (script, given) => driver.executeScript(script, given);
  // Performed on its own: combined with other actions, it would first go to the middle of the window.
  const move = ({ x, y }: Point) =>
    driver
      .actions()
      .move({ x: Math.round(x), y: Math.round(y), duration: 0 })
      .perform();
  return {
    open: address => driver.get(address),
    run,
    press: keys => pressKeys(driver, keys),
    type: text => driver.actions().sendKeys(text).perform(),
    point: at => move(at),
    down: () => driver.actions().press().perform(),
    up: () => driver.actions().release().perform(),
    async wheel(at, by) {
      await scroll(driver, Math.round(at.x), Math.round(at.y), by);
      // A second turn of the same length would not be sent, because the driver compares it with the last one.
      await driver.actions().clear();
    },
    async resize(width, height) {
      const [dx, dy] = await driver.executeScript<[number, number]>(
        'return [outerWidth - innerWidth, outerHeight - innerHeight]',
      );
      await driver
        .manage()
        .window()
        .setRect({ x: 0, y: 0, width: width + dx, height: height + dy });
    },
    async screenshot(box) {
      const whole = Buffer.from(await driver.takeScreenshot(), 'base64');
      if (!box) return whole;
      const { default: sharp } = await import('sharp');
      return sharp(whole).extract(box).png({ compressionLevel: 0 }).toBuffer();
    },
    async choose(css, files) {
      const folder = await mkdtemp(join(home, 'chosen-'));
      const paths = files.map(({ name }) => join(folder, name));
      await Promise.all(files.map(({ content }, at) => writeFile(paths[at]!, content)));
      await driver.findElement(By.css(css)).sendKeys(paths.join('\n'));
    },
    downloaded: name => readIfThere(join(home, name)),
  };
}

/** The type declarations do not include it yet. */
function scroll(driver: WebDriver, x: number, y: number, by: number): Promise<void> {
  const actions = driver.actions() as unknown as { scroll(x: number, y: number, dx: number, dy: number): typeof actions } & {
    perform(): Promise<void>;
  };
  return actions.scroll(x, y, 0, by).perform();
}

async function pressKeys(driver: WebDriver, keys: string): Promise<void> {
  const pressed = keys.split('+').map(key => webDriverKeys[key] ?? key.replace(/^Digit/, ''));
  const actions = driver.actions();
  for (const key of pressed) actions.keyDown(key);
  for (const key of pressed.toReversed()) actions.keyUp(key);
  await actions.perform();
}

const webDriverKeys: Record<string, string> = {
  Alt: Key.ALT,
  ArrowDown: Key.ARROW_DOWN,
  ArrowLeft: Key.ARROW_LEFT,
  ArrowRight: Key.ARROW_RIGHT,
  ArrowUp: Key.ARROW_UP,
  Control: Key.CONTROL,
  Delete: Key.DELETE,
  End: Key.END,
  Enter: Key.ENTER,
  Escape: Key.ESCAPE,
  F2: Key.F2,
  Home: Key.HOME,
  PageDown: Key.PAGE_DOWN,
  Shift: Key.SHIFT,
  Space: Key.SPACE,
  Tab: Key.TAB,
};

/** Returns nothing while the file is being written: browsers put the whole file into place, or an empty one first. */
async function readIfThere(path: string): Promise<Buffer | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes?.length ? bytes : undefined;
}
