import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Browser, chromium, type LaunchOptions, type Page } from 'playwright-core';

// Chromium comes compressed in an npm package, so that browser tests need nothing but `npm ci`.
const packed = createRequire(import.meta.url).resolve('@sparticuz/chromium');
const packageFolder = dirname(dirname(packed));
const nodeModules = dirname(dirname(packageFolder));
// Next to the package, not in the machine's shared temporary folder, where another user could plant a binary.
const unpackedFolder = join(nodeModules, '.cache', `octavo-chromium-${process.arch}`);
const slowestUnpackMillis = 120_000;

/**
 * Starts a real Chromium. The caller closes it.
 * Safe to call from many test files and processes at once; the first one unpacks (some seconds), the others wait for it.
 */
export async function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  const { path, env } = await chromiumProgram();
  const browser = await chromium.launch({
    ...options,
    executablePath: path,
    // Only the sandbox is off (tests may run as root); web security stays on, unlike with the package's own arguments.
    args: ['--no-sandbox', '--disable-gpu', ...(options.args ?? [])],
    env: { ...env, ...options.env },
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async contextOptions => {
    const context = await newContext(contextOptions);
    context.on('page', routeAtOnce);
    return context;
  };
  return browser;
}

/**
 * Lets `route` resolve when the page keeps to it. Chromium answers earlier: on a busy machine, what a key that follows at once made the page
 * fetch was not intercepted in 17 of 80 tries. A script run in the page takes the same way as the order to intercept, behind it.
 */
function routeAtOnce(page: Page): void {
  const route = page.route.bind(page);
  page.route = async (...parts) => {
    const added = await route(...parts);
    // A page that is being left has nothing to wait for: the next document keeps to the route from its start.
    await page.evaluate('0').catch(() => {});
    return added;
  };
}

/** The path of Chromium, and the environment it needs. */
export async function chromiumProgram(): Promise<{ path: string; env: NodeJS.ProcessEnv }> {
  const folder = await unpackOnce();
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_PATH: join(folder, 'fonts') };
  return { path: join(folder, 'chromium'), env };
}

async function unpackOnce(): Promise<string> {
  if (await isCurrent()) return unpackedFolder;
  await mkdir(dirname(unpackedFolder), { recursive: true });
  const lock = `${unpackedFolder}.lock`;
  if (!(await takeLock(lock))) return waitForOther(lock);
  try {
    // Another process may have finished between the first check and the lock.
    if (!(await isCurrent())) await unpack();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
  return unpackedFolder;
}

/** False when there is none, or it came from an older package. */
async function isCurrent(): Promise<boolean> {
  if (!existsSync(join(unpackedFolder, 'chromium'))) return false;
  const [unpacked, source] = await Promise.all([stat(unpackedFolder), stat(join(packageFolder, 'package.json'))]);
  return unpacked.ctimeMs >= source.ctimeMs;
}

/** mkdir is atomic between processes. A lock older than any unpacking was left by a killed run. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch {
    const age = await stat(lock).then(
      found => Date.now() - found.ctimeMs,
      () => 0,
    );
    if (age < slowestUnpackMillis) return false;
    await rm(lock, { recursive: true, force: true });
    return takeLock(lock);
  }
}

async function waitForOther(lock: string): Promise<string> {
  for (let waited = 0; waited < slowestUnpackMillis; waited += 100) {
    if (!existsSync(lock)) return unpackOnce();
    await sleep(100);
  }
  return unpackOnce();
}

/** Unpacks in a separate process (the package reads its environment) and into a separate folder, then renames it. */
async function unpack(): Promise<void> {
  const fresh = await mkdtemp(`${unpackedFolder}.new-`);
  const script = "const { default: c } = await import('@sparticuz/chromium'); await c.executablePath();";
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: dirname(nodeModules),
    // The variable's value makes the package unpack the libraries that a bare machine lacks (NSS and friends).
    env: { PATH: process.env.PATH, TMPDIR: fresh, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' },
  });
  await writeFile(join(fresh, 'fonts', 'fonts.conf'), fontsConf(join(unpackedFolder, 'fonts')));
  await rm(unpackedFolder, { recursive: true, force: true });
  await rename(fresh, unpackedFolder).catch(error => {
    throw new Error(`could not put the unpacked browser at ${basename(unpackedFolder)}`, { cause: error });
  });
}

/** The package's configuration expects its fonts in a fixed place; without this, text has no glyphs. */
function fontsConf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/cache</cachedir>
</fontconfig>
`;
}
