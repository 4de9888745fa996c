import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { chromiumProgram } from './chromium.ts';

export interface ChromiumProcess {
  readonly browser: Browser;
  /** Like a power cut for all its processes at once. */
  kill(): Promise<void>;
}

/** A profile folder that outlives the browser, like a person's. */
export async function createProfile(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-profile-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }) };
}

/** Starts Chromium as a separate process group, on a profile; `browser.contexts()[0]` is that profile's own context. */
export async function startChromiumProcess(profile: string): Promise<ChromiumProcess> {
  const { path, env } = await chromiumProgram();
  const flags = ['--headless=new', '--no-sandbox', '--no-zygote', '--disable-gpu', '--no-first-run', '--remote-debugging-port=0'];
  const child = spawn(path, [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const end = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // Already gone.
    }
  };
  process.once('exit', end);
  const browser = await chromium.connectOverCDP(await readAddress(child.stderr, ended));
  return {
    browser,
    async kill() {
      end();
      process.off('exit', end);
      await ended;
      await browser.close().catch(() => {});
    },
  };
}

async function readAddress(stderr: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<string> {
  let text = '';
  const found = new Promise<string>(resolve => {
    stderr.on('data', chunk => {
      text += chunk;
      const address = /listening on (ws:\S+)/.exec(text)?.[1];
      if (address) resolve(address);
    });
  });
  const failed = ended.then(() => Promise.reject(new Error(`Chromium did not start:\n${text}`)));
  return Promise.race([found, failed]);
}
