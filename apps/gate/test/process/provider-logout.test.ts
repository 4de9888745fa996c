import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GateProcess, startGateProcess } from '../support/gate-process.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { inEnvelope, type SmallIdp, startSmallIdp } from '../support/small-idp.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// Every way in which a provider can end a session, told to one gate process; the other one, with the same store, must know at its very next request.

const folder = mkdtempSync(join(tmpdir(), 'octavo-provider-logout-'));
const store = `sqlite:${join(folder, 'gate.db')}`;
let upstream: Upstream;
let provider: SmallProvider;
let idp: SmallIdp;
let told: GateProcess;
let other: GateProcess;
let sessions = 0;

beforeAll(async () => {
  [upstream, provider, idp] = await Promise.all([startUpstream(), startSmallProvider(), startSmallIdp()]);
  const ports = [await freePort(), await freePort()] as const;
  const settings = {
    publicUrl: `http://127.0.0.1:${ports[0]}`,
    upstream: upstream.origin,
    providers: [corpProvider(provider), idp.provider],
    rules: [{ paths: ['/**'], allow: 'signed-in' }],
  };
  const env = { CLIENT_SECRET: 'a client secret of the tests', ...idp.env };
  told = await startGateProcess(folder, ports[0], settings, env);
  other = await startGateProcess(folder, ports[1], settings, env);
}, 120_000);

afterAll(async () => {
  for (const one of [other, told, idp, provider, upstream]) await one?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const now = () => Math.floor(Date.now() / 1000);
const send = (path: string, init: RequestInit = {}) => fetch(`${told.origin}${path}`, { redirect: 'manual', ...init });
const sendForm = (path: string, fields: Readonly<Record<string, string>>) =>
  send(path, { method: 'POST', body: new URLSearchParams(fields) });
const logoutToken = (claims: object) =>
  provider.sign(
    {
      iss: provider.issuer,
      aud: 'gate',
      iat: now(),
      exp: now() + 60,
      jti: crypto.randomUUID(),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      ...claims,
    },
    { typ: 'logout+jwt' },
  );

/** Each gets the provider session and the person. */
const ways: readonly (readonly [string, 'corp' | 'uni', (sid: string, sub: string) => Promise<Response>])[] = [
  [
    'back-channel logout by sid',
    'corp',
    async sid => sendForm('/gate/corp/backchannel-logout', { logout_token: await logoutToken({ sid }) }),
  ],
  [
    'back-channel logout by sub',
    'corp',
    async (_sid, sub) => sendForm('/gate/corp/backchannel-logout', { logout_token: await logoutToken({ sub }) }),
  ],
  [
    'front-channel logout',
    'corp',
    sid => send(`/gate/corp/frontchannel-logout?${new URLSearchParams({ iss: provider.issuer, sid })}`),
  ],
  ['Single Logout by POST', 'uni', async () => sendForm('/gate/uni/slo', (await idp.logoutRequest(told.origin)).fields)],
  [
    'Single Logout by Redirect',
    'uni',
    async () => {
      const { url } = await idp.logoutRequest(told.origin, { binding: 'HTTP-Redirect' });
      return fetch(url, { redirect: 'manual' });
    },
  ],
  [
    'Single Logout by SOAP',
    'uni',
    async () => send('/gate/uni/slo', { method: 'POST', ...inEnvelope((await idp.logoutRequest(told.origin)).xml) }),
  ],
];

describe('a logout by the provider', () => {
  test.each(ways)('%s: ends the session in the other process at once and cuts its connections', async (_name, at, end) => {
    sessions += 1;
    const [sid, subject] = [`session-${sessions}`, `person-${sessions}`];
    const config = { session: { lifetimeSeconds: 3600, idleSeconds: 600 } };
    const cookie = await (at === 'uni'
      ? sessionCookie({ store, config }, idp.identity, idp.record, undefined, 'one')
      : sessionCookie({ store, config }, { issuer: provider.issuer, subject }, { signIn: { tokens: {} } }, undefined, sid));
    const status = async (origin: string) => (await fetch(`${origin}/gate/me`, { headers: { cookie } })).status;
    expect([await status(told.origin), await status(other.origin)]).toEqual([200, 200]);
    const events = await fetch(`${other.origin}/events`, { headers: { cookie } });
    const cut = events.text().then(
      () => 'ended',
      () => 'cut',
    );
    expect([200, 302, 303]).toContain((await end(sid, subject)).status);
    expect(await status(other.origin)).toBe(401);
    expect(await status(told.origin)).toBe(401);
    // The process that was not told looks twice a second for what it holds open.
    expect(await cut).toBe('cut');
  });
});
