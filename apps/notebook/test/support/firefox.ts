import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** This worker's, while nobody uses them. A start costs more than most tests do. */
const idle: Firefox[] = [];

/** The system's own Firefox, over WebDriver BiDi. The caller closes it, and the worker's next test file gets the same. */
export async function launchFirefox(): Promise<Browser> {
  return (await borrowFirefox()).browser;
}

export async function borrowFirefox(): Promise<Firefox> {
  const kept = idle.pop() ?? (await startFirefox());
  // It may have ended meanwhile.
  return kept.browser.isConnected() ? lend(kept) : borrowFirefox();
}

function lend(kept: Firefox): Firefox {
  const giveBack = async (): Promise<void> => {
    await Promise.all(kept.browser.contexts().map(context => context.close()));
    for (const name of await readdir(kept.downloads)) await rm(join(kept.downloads, name), { recursive: true, force: true });
    idle.push(kept);
  };
  let ended: Promise<void> | undefined;
  const close = () => (ended ??= giveBack());
  return { ...kept, browser: Object.create(kept.browser, { close: { value: close } }) };
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
  return { browser, downloads };
}
