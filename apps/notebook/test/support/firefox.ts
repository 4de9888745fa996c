import { existsSync } from 'node:fs';
import { type Browser, type BrowserType, firefox } from 'playwright-core-bidi';

/** Debian's Firefox. Newer Playwright releases speak only to a Firefox of their own, whose download needs another host. */
const firefoxPath = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(path => existsSync(path));

export const firefoxMissing = firefoxPath === undefined ? 'Firefox is not installed (Debian: firefox-esr)' : undefined;

type Preferences = Record<string, string | number | boolean>;

/** Starts the system's own Firefox, over WebDriver BiDi. The caller closes it. */
export async function launchFirefox(firefoxUserPrefs: Preferences = {}): Promise<Browser> {
  const type: BrowserType = firefox;
  const executable = firefoxPath ? { executablePath: firefoxPath } : {};
  return type.launch({ channel: 'moz-firefox', ...executable, firefoxUserPrefs, timeout: 60_000 });
}
