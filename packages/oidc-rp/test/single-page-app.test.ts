import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../../tools/chromium.ts';
import { serve, type TestServer } from './support/http-server.ts';
import { type RealOp, startRealOp } from './support/real-op.ts';

const folder = fileURLToPath(new URL('../examples/single-page-app/', import.meta.url));

let site: TestServer;
let op: RealOp;
let browser: Browser;
let issuer = '';

beforeAll(async () => {
  const script = await bundled();
  site = await serve((request, response) => {
    const isScript = request.url === '/app.js';
    const page = readFileSync(`${folder}index.html`, 'utf8').replace('{issuer}', issuer);
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' }).end(isScript ? script : page);
  });
  const client = { client_id: 'single-page-app', application_type: 'native', token_endpoint_auth_method: 'none' };
  op = await startRealOp([
    { ...client, redirect_uris: [`${site.origin}/callback`], grant_types: ['authorization_code'], response_types: ['code'] },
  ]);
  issuer = op.issuer;
  browser = await launchChromium();
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await op?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

async function bundled(): Promise<string> {
  const lib = { entry: `${folder}app.ts`, formats: ['es' as const], fileName: 'app' };
  const result = (await build({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    build: { lib, write: false, minify: true, target: 'esnext' },
  })) as Rolldown.RolldownOutput[];
  const code = result[0]!.output[0].code;
  // The core needs WebCrypto and fetch alone: nothing of a server may have slipped in.
  expect(code).not.toMatch(/node:|process\.|Buffer\./);
  return code;
}

test('a public client in a real browser signs in with PKCE, and keeps neither code nor tokens where others look', {
  timeout: 120_000,
}, async () => {
  const page = await browser.newPage();
  const addresses: string[] = [];
  page.on('request', request => addresses.push(request.url()));
  await page.goto(site.origin);
  await page.click('#sign-in');
  await page.fill('input[name=login]', 'reader');
  await page.fill('input[name=password]', 'x');
  await page.click('button[type=submit]');
  await page.click('button:has-text("Continue")');
  await page.waitForFunction(() => document.querySelector('#who')?.textContent !== '');
  await expect.poll(() => page.textContent('#who')).toBe(`reader at ${op.issuer}, reader@example.org`);
  expect(page.url()).toBe(`${site.origin}/`);
  await expect.poll(() => page.evaluate(() => [sessionStorage.length, localStorage.length, document.cookie])).toEqual([0, 0, '']);
  expect(addresses.filter(address => /code_verifier|access_token|id_token=/.test(address))).toEqual([]);
});

test('a callback that this tab did not ask for is refused', { timeout: 60_000 }, async () => {
  const page = await browser.newPage();
  await page.goto(`${site.origin}/callback?code=stolen&state=stolen&iss=${encodeURIComponent(op.issuer)}`);
  await page.waitForFunction(() => document.querySelector('#who')?.textContent !== '');
  await expect.poll(() => page.textContent('#who')).toBe('OIDC_CALLBACK_STATE');
});
