import { type IncomingMessage, request as requestGate, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type SamlIdentity, ServiceProvider } from '@octavo/saml-sp';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { launchChromium } from '../../../../tools/chromium.ts';
import { selfSignedCertificate } from '../../../../tools/self-signed.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { freePort } from '../support/servers.ts';
import { alice, type SmallIdp, startSmallIdp } from '../support/small-idp.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// A gate on https and a provider on another site, so that a real browser keeps our cookies back from the provider's form. What the
// package verifies is mocked here.

let browser: Browser;
let idp: SmallIdp;
let upstream: Upstream;
let gate: TestGate;
let front: Server;
let publicUrl: string;

beforeAll(async () => {
  const port = await freePort();
  publicUrl = `https://notes.example:${port}`;
  [idp, upstream, browser] = await Promise.all([
    startSmallIdp(),
    startUpstream(),
    launchChromium({ args: ['--host-resolver-rules=MAP notes.example 127.0.0.1'] }),
  ]);
  idp.pages.signIn = query => `<!doctype html><title>IdP</title>
    <form method="post" action="${publicUrl}/gate/uni/acs">
      <input type="hidden" name="RelayState" value="${query.get('RelayState')}"><input type="hidden" name="SAMLResponse" value="x">
      <button>Continue</button>
    </form>`;
  gate = await startGate(
    { publicUrl, upstream: upstream.origin, providers: [idp.provider], rules: [{ paths: ['/**'], allow: 'signed-in' }] },
    { env: idp.env },
  );
  front = createServer(await selfSignedCertificate(), passOn);
  await new Promise<void>(resolve => front.listen(port, '127.0.0.1', resolve));
});

afterAll(async () => {
  vi.restoreAllMocks();
  await browser?.close();
  front?.closeAllConnections();
  if (front !== undefined) await new Promise(resolve => front.close(resolve));
  for (const one of [gate, upstream, idp]) await one?.[Symbol.asyncDispose]();
});

/** The web server in front of the gate. */
function passOn(request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request;
  const asked = requestGate(`${gate.origin}${url}`, { method, headers, setHost: false }, answer => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  asked.on('error', () => response.destroy());
  request.pipe(asked);
}

const sessionOf = async (page: Page) =>
  (await page.context().cookies(publicUrl)).find(({ name }) => name === '__Host-gate')?.value ?? 'none';
const statusOf = async (session: string) =>
  (await gate.fetch('/gate/me', { headers: { cookie: `__Host-gate=${session}` } })).status;

test('of two tabs that sign in by SAML, the slower one ends the session of the faster one', async () => {
  const now = new Date();
  const identity = { issuer: idp.entityId, nameId: alice, attributes: [], issuedAt: now, authentication: { instant: now } };
  vi.spyOn(ServiceProvider.prototype, 'finishSignIn').mockResolvedValue(identity as unknown as SamlIdentity);
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const [fast, slow] = [await context.newPage(), await context.newPage()];
  await fast.goto(`${publicUrl}/fast`);
  await slow.goto(`${publicUrl}/slow`);
  await Promise.all([fast.waitForURL(`${publicUrl}/fast`), fast.click('button')]);
  const first = await sessionOf(fast);
  await expect.poll(() => statusOf(first)).toBe(200);
  await Promise.all([slow.waitForURL(`${publicUrl}/slow`), slow.click('button')]);
  await expect.poll(async () => [await statusOf(first), await statusOf(await sessionOf(slow))]).toEqual([401, 200]);
  await context.close();
});
