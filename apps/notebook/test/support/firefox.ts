import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser } from 'playwright-core-bidi';

/** Debian's Firefox. Newer Playwright releases work only with a Firefox of their own, whose download needs another host. */
const firefoxPath = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(path => existsSync(path));

export const firefoxMissing = firefoxPath === undefined ? 'Firefox is not installed (Debian: firefox-esr)' : undefined;

/** A Firefox for one user: each context has its own profile. */
export interface Firefox {
  /** Its `close` ends the contexts. */
  readonly browser: Browser;
  /** The folder of its downloads. */
  readonly downloads: string;
}

/** This worker's idle Firefoxes, each with the timer that will end it. Starting one costs more than most tests do. */
const idle: { readonly firefox: Firefox; readonly end: NodeJS.Timeout }[] = [];

/**
 * How long an idle Firefox waits for the next test file. Even idle, it takes a hundredth of a processor or more, and a run goes on for many
 * minutes after its last Firefox test (tools/longest-first.ts).
 */
const idleMillis = 60_000;

/** The system's own Firefox, over WebDriver BiDi. The caller closes it, and the worker's next test file gets the same one. */
export async function launchFirefox(): Promise<Browser> {
  return (await borrowFirefox()).browser;
}

export async function borrowFirefox(): Promise<Firefox> {
  const waiting = idle.pop();
  clearTimeout(waiting?.end);
  const kept = waiting?.firefox ?? (await startFirefox());
  // It may have ended meanwhile.
  return kept.browser.isConnected() ? lend(kept) : borrowFirefox();
}

function lend(kept: Firefox): Firefox {
  const giveBack = async (): Promise<void> => {
    await Promise.all(kept.browser.contexts().map(context => context.close()));
    for (const name of await readdir(kept.downloads)) await rm(join(kept.downloads, name), { recursive: true, force: true });
    idle.push({ firefox: kept, end: setTimeout(() => endIdle(kept), idleMillis).unref() });
  };
  let ended: Promise<void> | undefined;
  const close = () => (ended ??= giveBack());
  return { ...kept, browser: Object.create(kept.browser, { close: { value: close } }) };
}

function endIdle(kept: Firefox): void {
  const at = idle.findIndex(({ firefox }) => firefox === kept);
  if (at !== -1) idle.splice(at, 1);
  void kept.browser.close().catch(() => {});
}

async function startFirefox(): Promise<Firefox> {
  // Loaded only if a Firefox is wanted: this takes a quarter of a second.
  const { firefox } = await import('playwright-core-bidi');
  const downloads = await mkdtemp(join(tmpdir(), 'octavo-firefox-'));
  // Vitest ends a worker this way and waits half a second for it: Playwright kills its browsers when their process exits.
  process.once('SIGTERM', () => process.exit());
  process.once('exit', () => rmSync(downloads, { recursive: true, force: true }));
  const executable = firefoxPath ? { executablePath: firefoxPath } : {};
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    ...executable,
    firefoxUserPrefs: { 'browser.download.dir': downloads, 'browser.download.folderList': 2 },
    // Playwright would close it gracefully, which keeps the worker alive.
    handleSIGTERM: false,
    timeout: 60_000,
  });
  openInTab(browser);
  return { browser, downloads };
}

/** Playwright's connection to a browser, for which it offers no public API. */
interface Inside {
  readonly _connection: { toImpl(browser: Browser): { readonly _browserSession: Session } };
}

interface Session {
  send(method: string, params: object): Promise<unknown>;
}

/**
 * The driver opens a window for each page: all of Firefox's own controls anew, a fifth of the cost of an editor that opens and saves. The
 * first window is already there and has room for one page. A second page at the same time gets its own window, so that both are visible.
 *
 * A tab opened in the foreground is answered only after the previous tab has reported that it is hidden, however long that takes (Firefox
 * 153, `browsingContext.create` in remote/content/webdriver-bidi). Once that report never came, for three minutes. So the tab opens in the
 * background and is brought forward, which happens at once; only the answer waits for the other tab, and nobody needs it.
 */
function openInTab(browser: Browser): void {
  const session = (browser as unknown as Inside)._connection.toImpl(browser)._browserSession;
  const ask = session.send.bind(session);
  // The driver waits as long as the test does, and the test cannot say for what.
  const send = async (method: string, params: object): Promise<unknown> => {
    const late = setTimeout(() => process.stderr.write(`Firefox has not answered ${method} for a minute\n`), 60_000).unref();
    return ask(method, params).finally(() => clearTimeout(late));
  };
  let opening = 0;
  const isAlone = () => opening === 0 && browser.contexts().every(context => context.pages().length === 0);
  const openTab = async (params: object): Promise<unknown> => {
    const created = (await send('browsingContext.create', { ...params, type: 'tab', background: true })) as { context: string };
    const forward = send('browsingContext.activate', { context: created.context }).catch(() => {});
    await Promise.race([forward, wait(5_000, undefined, { ref: false })]);
    return created;
  };
  session.send = async (method, params) => {
    if (method !== 'browsingContext.create') return send(method, params);
    const open = isAlone() ? openTab : (given: object) => send(method, given);
    opening += 1;
    try {
      return await open(params);
    } finally {
      opening -= 1;
    }
  };
}
