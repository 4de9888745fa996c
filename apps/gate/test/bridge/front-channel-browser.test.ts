import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { type IncomingMessage, request as passTo, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { decodeJwt } from 'jose';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchChromium } from '../../../../tools/chromium.ts';
import { selfSignedCertificate } from '../../../../tools/self-signed.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { freePort, serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';

// A provider's page signs a person out through a frame, in a real browser, with the provider, the gate and the applications on sites of
// their own and https everywhere. What the browser keeps back decides what such a logout can reach.

const secret = 'a secret of an application behind the bridge';
const policies = { board: undefined, strict: 'gate' } as const;
type Name = keyof typeof policies;

/** A request for an application's frame. */
interface Asked {
  readonly name: Name;
  readonly sid: string | null;
  readonly cookies: readonly string[];
  /** Whether the page in the frame ran. */
  isShown: boolean;
}

let browser: Browser;
let gate: TestGate;
let front: Server;
let applications: TestServer;
let gateUrl: string;
let port: number;
/** The provider's page, and what it frames. */
let framed: string;
const asked: Asked[] = [];
const at = (host: string) => `https://${host}:${port}`;
const issuer = () => at('op.example');

beforeAll(async () => {
  port = await freePort();
  gateUrl = at('notes.test');
  applications = await serve((request, response) => answerApplication(request, response));
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const clients = (['board', 'strict'] as const).map(name => ({
    id: name,
    name,
    secret: { env: 'APPLICATION_SECRET' },
    redirectUris: [`${at(`${name}.invalid`)}/callback`],
    frontChannelLogoutUri: `${at(`${name}.invalid`)}/frame`,
  }));
  const corp = { protocol: 'oidc', clientId: 'gate', clientSecret: { env: 'CLIENT_SECRET' } };
  [gate, browser] = await Promise.all([
    startGate(
      {
        publicUrl: gateUrl,
        providers: [
          { ...corp, id: 'corp', name: 'Corp', issuer: issuer() },
          { ...corp, id: 'near', name: 'Near', issuer: at('login.notes.test'), frontChannelSessionRequired: false },
          { ...corp, id: 'far', name: 'Far', issuer: issuer(), clientId: 'far', frontChannelSessionRequired: false },
        ],
        rules: [{ paths: ['/**'], allow: 'signed-in' }],
        bridge: { keys: [{ env: 'BRIDGE_KEY' }], clients },
      },
      {
        env: { BRIDGE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, APPLICATION_SECRET: secret },
      },
    ),
    launchChromium({ args: ['--host-resolver-rules=MAP * 127.0.0.1'] }),
  ]);
  front = createServer(await selfSignedCertificate(), passOn);
  await new Promise<void>(resolve => front.listen(port, '127.0.0.1', resolve));
});

beforeEach(() => {
  asked.length = 0;
});

afterAll(async () => {
  await browser?.close();
  front?.closeAllConnections();
  if (front !== undefined) await new Promise(resolve => front.close(resolve));
  for (const one of [gate, applications]) await one?.[Symbol.asyncDispose]();
});

/** One address for all of them: the web server in front of each. */
function passOn(request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request;
  const host = headers.host?.split(':')[0];
  if (host === 'op.example' || host === 'login.notes.test')
    return void response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><title>Signed out</title><iframe src="${framed}" hidden></iframe>`);
  const target = host === 'notes.test' ? gate.origin : applications.origin;
  const sent = passTo(`${target}${url}`, { method, headers, setHost: false }, answer => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  sent.on('error', () => response.destroy());
  request.pipe(sent);
}

/** An application that says who may frame its page, and whose page says that it ran. */
function answerApplication(request: IncomingMessage, response: ServerResponse): void {
  const name = request.headers.host?.split('.')[0] as Name;
  const url = new URL(request.url ?? '/', 'https://x');
  const cookies = (request.headers.cookie ?? '').split('; ').filter(Boolean);
  response.setHeader('content-type', 'text/html');
  if (url.pathname === '/frame') {
    asked.push({ name, sid: url.searchParams.get('sid'), cookies, isShown: false });
    const who = policies[name] === 'gate' ? gateUrl : undefined;
    if (who !== undefined) response.setHeader('content-security-policy', `frame-ancestors ${who}`);
    return void response.end('<!doctype html><script>fetch("/shown")</script>');
  }
  if (url.pathname === '/shown') for (const one of asked) if (one.name === name) one.isShown = true;
  if (url.pathname === '/callback')
    response.setHeader('set-cookie', ['lax=1; Secure; SameSite=Lax', 'none=1; Secure; SameSite=None']);
  response.end('<!doctype html><title>App</title>');
}

/** A person with a session, in a browser of their own. */
async function person(provider: string, from: string, sid: string) {
  const cookie = await sessionCookie(gate, { provider, issuer: from, subject: crypto.randomUUID() }, {}, undefined, sid);
  const value = cookie.slice('gate='.length);
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const options = { secure: true, httpOnly: true, sameSite: 'Lax' } as const;
  await context.addCookies([{ name: '__Host-gate', value, url: gateUrl, ...options }]);
  return { context, status: async () => (await gate.fetch('/gate/me', { headers: { cookie: `__Host-gate=${value}` } })).status };
}

/** Signs in at an application, in the browser. @returns the session's name there */
async function useApplication(context: BrowserContext, name: Name): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const redirectUri = `${at(`${name}.invalid`)}/callback`;
  const query = new URLSearchParams({
    client_id: name,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  });
  const page = await context.newPage();
  await page.goto(`${gateUrl}/gate/oidc/auth?${query}`);
  await page.waitForURL(`${redirectUri}**`);
  const code = new URL(page.url()).searchParams.get('code') ?? '';
  const answer = await gate.fetch('/gate/oidc/token', {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${name}:${secret.replaceAll(' ', '+')}`)}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }),
  });
  const { id_token } = (await answer.json()) as { id_token: string };
  return String(decodeJwt(id_token).sid);
}

async function logOut(context: BrowserContext, provider: string, from: string, query: Record<string, string>): Promise<number> {
  framed = `${gateUrl}/gate/${provider}/frontchannel-logout?${new URLSearchParams(query)}`.replaceAll('&', '&amp;');
  const page = await context.newPage();
  const answer = page.waitForResponse(one => one.url().includes('/frontchannel-logout'));
  await page.goto(`${from}/signed-out`);
  return (await answer).status();
}

test('a frame on the provider’s page ends the session and reaches the applications', async () => {
  const { context, status } = await person('corp', issuer(), 'named');
  const [board, strict] = [await useApplication(context, 'board'), await useApplication(context, 'strict')];
  expect(await logOut(context, 'corp', issuer(), { iss: issuer(), sid: 'named' })).toBe(200);
  expect(await status()).toBe(401);
  const cookies = ['none=1'];
  await expect
    .poll(() => [...asked].sort((a, b) => a.name.localeCompare(b.name)))
    .toEqual([
      // Without the cookie that is SameSite=Lax: an application must find its session by its name.
      { name: 'board', sid: board, cookies, isShown: true },
      // The request comes, but the page is not shown: the provider's page is around it, too.
      { name: 'strict', sid: strict, cookies, isShown: false },
    ]);
  await context.close();
});

test.each([
  ['on the same site ends the session of the cookie', 'near', () => at('login.notes.test'), 200, 401],
  ['on another site ends none, and says so', 'far', issuer, 400, 200],
] as const)('a frame that names no session %s', async (_name, provider, from, answered, left) => {
  const { context, status } = await person(provider, from(), 'unnamed');
  expect(await logOut(context, provider, from(), {})).toBe(answered);
  expect(await status()).toBe(left);
  await context.close();
});
