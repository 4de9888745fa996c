import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser } from 'playwright-core-bidi';

/** Debian's Firefox. Newer Playwright releases speak only to a Firefox of their own, whose download needs another host. */
const firefoxPath = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(path => existsSync(path));

export const firefoxMissing = firefoxPath === undefined ? 'Firefox is not installed (Debian: firefox-esr)' : undefined;

/** A Firefox for one user: each context has a profile of its own. */
export interface Firefox {
  /** Its `close` ends the contexts. */
  readonly browser: Browser;
  /** What it downloads lies here. */
  readonly downloads: string;
}

/** This worker's, while nobody uses them, and what will end them. A start costs more than most tests do. */
const idle: { readonly firefox: Firefox; readonly end: NodeJS.Timeout }[] = [];

/**
 * So long one waits for the next file that wants it. Doing nothing it still takes a hundredth of a processor or more, and a run goes on for
 * many minutes after its last Firefox test (tools/longest-first.ts).
 */
const idleMillis = 60_000;

/** The system's own Firefox, over WebDriver BiDi. The caller closes it, and the worker's next test file gets the same. */
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
  // Loaded only where a Firefox is wanted: a quarter of a second.
  const { firefox } = await import('playwright-core-bidi');
  const downloads = await mkdtemp(join(tmpdir(), 'octavo-firefox-'));
  // Vitest ends a worker so, and waits half a second for it: Playwright kills its browsers when their process exits.
  process.once('SIGTERM', () => process.exit());
  process.once('exit', () => rmSync(downloads, { recursive: true, force: true }));
  const executable = firefoxPath ? { executablePath: firefoxPath } : {};
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    ...executable,
    firefoxUserPrefs: { 'browser.download.dir': downloads, 'browser.download.folderList': 2 },
    // It would close it calmly, and keep the worker alive.
    handleSIGTERM: false,
    timeout: 60_000,
  });
  openInTab(browser);
  return { browser, downloads };
}

/** What Playwright sends to a browser, and offers no other way to. */
interface Inside {
  readonly _connection: { toImpl(browser: Browser): { readonly _browserSession: Session } };
}

interface Session {
  send(method: string, params: object): Promise<unknown>;
}

/**
 * The driver opens a window for each page: all of Firefox's own controls anew, a fifth of what an editor costs that opens and saves. The
 * first window is there already and has room for one page. A second page at the same time gets a window, so that both are visible.
 *
 * A tab opened in front is answered only after the tab that was there has said that it is hidden, however long that takes (Firefox 153,
 * `browsingContext.create` in remote/content/webdriver-bidi). Once it was never said, for three minutes. So the tab opens behind and is
 * brought forward, which happens at once; only the answer waits for the other tab, and nobody needs it.
 */
function openInTab(browser: Browser): void {
  const session = (browser as unknown as Inside)._connection.toImpl(browser)._browserSession;
  const ask = session.send.bind(session);
  // The driver waits for as long as the test does, and the test cannot say for what.
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
