import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { launchChromium } from '../../../../tools/chromium.ts';
import { type GateProcess, startGateProcess } from '../support/gate-process.ts';
import { clientOf, clientSecret, type OpenIdProvider, providerOf, startOpenIdProvider } from '../support/openid-provider.ts';
import { signInAtOpenIdProvider } from '../support/person.ts';
import { freePort } from '../support/servers.ts';

// Two gates, as processes of their own, with one store, in front of a WebSocket server from npm that knows nothing of either.

const folder = mkdtempSync(join(tmpdir(), 'octavo-two-gates-'));
let browser: Browser;
let provider: OpenIdProvider;
let application: Server;
let origins: string[];
const gates: GateProcess[] = [];

beforeAll(async () => {
  application = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title><h1>The application</h1>');
  });
  const echo = new WebSocketServer({ server: application });
  echo.on('connection', (socket, request) => {
    socket.on('error', () => {});
    socket.on('message', (data, isBinary) => socket.send(isBinary ? data : `${request.headers['x-auth-subject']}: ${data}`));
  });
  await new Promise<void>(resolve => application.listen(0, '127.0.0.1', resolve));
  const { port } = application.address() as AddressInfo;
  const [ports, providerPort] = [[await freePort(), await freePort()], await freePort()];
  origins = ports.map(one => `http://127.0.0.1:${one}`);
  const [first = ''] = origins;
  [browser, provider] = await Promise.all([launchChromium(), startOpenIdProvider([clientOf(first, 'corp')], {}, providerPort)]);
  const settings = {
    publicUrl: first,
    upstream: `http://127.0.0.1:${port}`,
    providers: [providerOf(first, provider.issuer, 'corp')],
    rules: [{ paths: ['/**'], allow: 'signed-in' }],
  };
  for (const one of ports) gates.push(await startGateProcess(folder, one, settings, { CLIENT_SECRET: clientSecret }));
}, 120_000);

afterAll(async () => {
  await browser?.close();
  for (const gate of gates) await gate[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
  application?.closeAllConnections();
  application?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** In the page: opens a WebSocket and keeps what it hears. */
function listen(address: string): void {
  const heard: string[] = [];
  Object.assign(globalThis, { heard });
  const socket = new WebSocket(address);
  socket.addEventListener('open', () => socket.send('hello'));
  socket.addEventListener('message', event => heard.push(String(event.data)));
  socket.addEventListener('close', () => heard.push('closed'));
}

const heardBy = () => (globalThis as unknown as { heard: string[] }).heard;

describe('two gate processes with one store', () => {
  test.each([
    ['signing out at the other gate', 'gate'],
    ['signing out at the provider, which tells the other gate', 'provider'],
  ])(
    'share a session; %s cuts the WebSocket',
    async (_name, how) => {
      const [first = '', second = ''] = origins;
      const page = await (await browser.newContext()).newPage();
      page.setDefaultTimeout(20_000);
      await page.goto(`${first}/`);
      await signInAtOpenIdProvider(page, 'ada', first);
      await expect.poll(() => page.textContent('h1')).toBe('The application');
      // The second process answers to the cookie that the first one set: cookies do not know ports.
      await page.evaluate(listen, `${second.replace('http', 'ws')}/socket`);
      await expect.poll(() => page.evaluate(heardBy)).toEqual(['ada: hello']);
      const began = Date.now();
      if (how === 'gate') {
        const cookie = (await page.context().cookies(first)).map(one => `${one.name}=${one.value}`).join('; ');
        const answer = await fetch(`${first}/gate/sign-out`, {
          method: 'POST',
          redirect: 'manual',
          headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        });
        expect(answer.status).toBe(303);
      } else {
        const other = await page.context().newPage();
        await other.goto(`${provider.issuer}/session/end`);
        await other.click('button[value=yes]');
      }
      await expect.poll(() => page.evaluate(heardBy)).toEqual(['ada: hello', 'closed']);
      // The gate looks twice a second. Reported, not asserted.
      console.info(`${how}: ${Date.now() - began} ms until the other process had cut the WebSocket`);
      for (const origin of origins) {
        const cookie = (await page.context().cookies(first)).map(one => `${one.name}=${one.value}`).join('; ');
        expect((await fetch(`${origin}/gate/me`, { headers: { cookie } })).status).toBe(401);
      }
      await page.context().close();
    },
    60_000,
  );
});
