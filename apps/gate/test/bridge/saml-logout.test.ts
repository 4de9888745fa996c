import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Application, applicationSecret, clientFor, Jar, signInAt, startApplication } from '../support/application.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { shownOn } from '../support/shown.ts';
import { type SmallIdp, startSmallIdp } from '../support/small-idp.ts';

// A SAML provider signs a person out who used applications behind the bridge: its answer says whether all of them know.

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
let idp: SmallIdp;
let wiki: Application;
let board: Application;
let gate: TestGate;

beforeAll(async () => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}/gate/oidc`;
  idp = await startSmallIdp();
  wiki = await startApplication(issuer, 'wiki');
  board = await startApplication(issuer, 'board');
  const frame = { frontChannelLogoutUri: `${board.origin}/frame` };
  const bridge = { keys: [{ env: 'BRIDGE_KEY' }], clients: [clientFor(wiki, 'wiki'), clientFor(board, 'board', frame)] };
  const env = { ...idp.env, BRIDGE_KEY: key, APPLICATION_SECRET: applicationSecret };
  gate = await startGate({ providers: [idp.provider], rules: [{ paths: ['/**'], allow: 'signed-in' }], bridge }, { port, env });
});

beforeEach(() => {
  wiki.refuse = undefined;
  for (const one of [wiki, board]) one.signedOut.length = 0;
});

afterAll(async () => {
  for (const one of [gate, idp, wiki, board]) await one?.[Symbol.asyncDispose]();
});

/** Alice uses the application, and her provider signs her out. */
async function signOutAfter(
  application: Application,
): Promise<{ lines: string[]; html: string; answer: string; policy: string }> {
  const jar = new Jar();
  const [name = '', value = ''] = (await sessionCookie(gate, idp.identity, idp.record)).split('=');
  jar.cookies.set(name, value);
  await signInAt(application, jar);
  const { fields } = await idp.logoutRequest(gate.origin);
  const headers = { accept: 'text/html', cookie: jar.header };
  const sent = await gate.fetch('/gate/uni/slo', { method: 'POST', headers, body: new URLSearchParams(fields) });
  const html = await sent.text();
  const answer = Buffer.from(/name="SAMLResponse" value="([^"]*)"/.exec(html)?.[1] ?? '', 'base64').toString();
  return { lines: shownOn(html).slice(1), html, answer, policy: sent.headers.get('content-security-policy') ?? '' };
}

test('when all applications know, the sign-out is complete', async () => {
  const { lines, answer } = await signOutAfter(wiki);
  expect(lines).toEqual(['You are signed out', 'Taking you back to University.', 'Continue']);
  expect(wiki.signedOut).toHaveLength(1);
  expect(answer).toContain('status:Success');
  expect(answer).not.toContain('PartialLogout');
});

test('when one does not confirm, it is partial', async () => {
  wiki.refuse = 500;
  expect((await signOutAfter(wiki)).answer).toContain('PartialLogout');
});

test('one that is told through a frame is told before the answer goes back', async () => {
  const { lines, html, answer, policy } = await signOutAfter(board);
  expect(lines[0]).toBe('You are signed out here');
  expect(html).toContain(`<iframe src="${board.origin}/frame?`);
  expect(policy).toMatch(new RegExp(`form-action 'self' https: ${idp.origin};.*; frame-src ${board.origin}$`));
  expect(answer).toContain('status:Success');
});
