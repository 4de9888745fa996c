import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSystemBrowser, signInWithLoopback } from '../src/native.ts';
import { browserCommand } from '../src/native-app/open-browser.ts';
import { errorOf } from './support/expect-refused.ts';
import { FakeOp } from './support/fake-op.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'opener-'));
const oldPath = process.env.PATH;
const told = path.join(folder, 'told');
const url = new URL('https://op.example/authorize?state=a%20b&scope=openid+email&x=$(touch%20y);`z`');
const [program = ''] = browserCommand(process.platform, url.href);

/** Puts a program of the opener's name first in the search path. */
function install(script: string): void {
  rmSync(told, { force: true });
  writeFileSync(path.join(folder, program), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(folder, program), 0o755);
}

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  process.env.PATH = `${folder}:${oldPath}`;
});
afterAll(() => {
  process.env.PATH = oldPath;
  rmSync(folder, { recursive: true });
});

test("uses each platform's opener with the address as one argument", () => {
  expect(browserCommand('linux', 'https://a.example/?b&c')).toEqual(['xdg-open', 'https://a.example/?b&c']);
  expect(browserCommand('freebsd', 'x')).toEqual(['xdg-open', 'x']);
  expect(browserCommand('darwin', 'https://a.example/?b&c')).toEqual(['open', 'https://a.example/?b&c']);
  expect(browserCommand('win32', 'https://a.example/?b&c')).toEqual([
    'rundll32',
    'url.dll,FileProtocolHandler',
    'https://a.example/?b&c',
  ]);
});

test.runIf(process.platform === 'linux')("runs this system's opener without a shell, with the address unchanged", async () => {
  install(`printf '%s\\n' "$#" "$@" > '${told}'`);
  await openSystemBrowser(url);
  expect(readFileSync(told, 'utf8')).toBe(`1\n${url.href}\n`);
  expect(existsSync(path.join(folder, 'y'))).toBe(false);
});

test.runIf(process.platform === 'linux')('fails if the opener finds no browser or is missing', async () => {
  install('exit 3');
  expect(await errorOf(openSystemBrowser(url))).toMatchObject({
    code: 'OIDC_NATIVE_BROWSER',
    received: 'xdg-open with exit code 3',
  });
  process.env.PATH = path.join(folder, 'empty');
  try {
    expect((await errorOf(openSystemBrowser(url))).code).toBe('OIDC_NATIVE_BROWSER');
  } finally {
    process.env.PATH = `${folder}:${oldPath}`;
  }
});

test.runIf(process.platform === 'linux')('does not wait for an opener that runs as long as the browser', async () => {
  install(`printf '%s' "$1" > '${told}.new'; mv '${told}.new' '${told}'; exec sleep 20`);
  const op = await FakeOp.start();
  const { redirectUri: _, clientAuthentication: __, ...options } = op.options();
  const outcome = signInWithLoopback(options);
  await expect.poll(() => existsSync(told), { timeout: 20_000 }).toBe(true);
  await fetch(op.authorize(new URL(readFileSync(told, 'utf8'))));
  expect((await outcome).signIn.identity.subject).toBe('sub-1');
});
