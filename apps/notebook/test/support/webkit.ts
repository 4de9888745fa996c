import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Builder, type WebDriver } from 'selenium-webdriver';

const driverPath = '/usr/bin/WebKitWebDriver';
const displayPath = '/usr/bin/Xvfb';
const browserPath = globSync('/usr/lib/*/webkit2gtk-4*/MiniBrowser')[0];

export const webkitMissing = findMissing();

/** What GStreamer knows of its plugins: with a home of its own, each WebKit would load them all, which takes 1.7 s of the processor. */
const plugins = join(
  createRequire(import.meta.url).resolve('selenium-webdriver/package.json'),
  '../../.cache/octavo-gstreamer.bin',
);

/** WebKit on its own: the engine of Safari and GNOME Web, in an invisible window. */
export interface WebKit {
  readonly driver: WebDriver;
  /** The folder of its downloads. */
  readonly home: string;
  close(): Promise<void>;
}

/** Starts Debian's WebKit over WebDriver. The caller closes it. */
export async function launchWebKit(): Promise<WebKit> {
  const home = await mkdtemp(join(tmpdir(), 'octavo-webkit-'));
  const started: ChildProcess[] = [];
  // Children first: a browser whose display is gone ends by itself, but complains.
  const stop = () => {
    for (const child of started.toReversed()) child.kill();
  };
  process.once('exit', stop);
  const close = async () => {
    stop();
    process.off('exit', stop);
    await Promise.all(started.map(ended));
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const display = await startDisplay(started);
    mkdirSync(dirname(plugins), { recursive: true });
    const env = { ...process.env, DISPLAY: display, HOME: home, GST_REGISTRY: plugins, NO_AT_BRIDGE: '1' };
    const server = await startDriver(started, env);
    const driver = await openWindow(server);
    return { driver, home, close: () => driver.quit().then(close, close) };
  } catch (problem) {
    await close();
    throw problem;
  }
}

function findMissing(): string | undefined {
  if (!existsSync(driverPath) || browserPath === undefined) return 'WebKit is not installed (Debian: webkit2gtk-driver)';
  return existsSync(displayPath) ? undefined : 'WebKit has no display to draw on (Debian: xvfb)';
}

/** With `-displayfd` the server itself picks a free number, so that many may run at once. */
async function startDisplay(started: ChildProcess[]): Promise<string> {
  const server = spawn(displayPath, ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  started.push(server);
  const ready = once(server.stdio[3]!, 'data').then(([number]) => `:${String(number).trim()}`);
  return Promise.race([ready, ended(server).then(() => Promise.reject(new Error('Xvfb did not start')))]);
}

async function startDriver(started: ChildProcess[], env: NodeJS.ProcessEnv): Promise<string> {
  const port = await findFreePort();
  const driver = spawn(driverPath, [`--port=${port}`], { env, stdio: 'ignore' });
  started.push(driver);
  const server = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${server}/status`).catch(() => undefined))?.ok) {
    if (driver.exitCode !== null || driver.signalCode !== null) throw new Error('WebKitWebDriver did not start');
    await sleep(50);
  }
  return server;
}

async function openWindow(server: string): Promise<WebDriver> {
  const driver = await new Builder()
    .usingServer(server)
    .withCapabilities({
      browserName: 'MiniBrowser',
      'webkitgtk:browserOptions': { binary: browserPath, args: ['--automation'] },
    })
    .build();
  await driver.manage().setTimeouts({ script: 30_000, pageLoad: 30_000 });
  return driver;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
