import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createApp as createExpressApp } from '../examples/express.ts';
import { createApp as createFastifyApp } from '../examples/fastify.ts';
import { createApp as createHonoApp } from '../examples/hono.ts';
import { PendingCookies, type RelyingParty } from '../src/index.ts';
import { FakeOp, type Faults } from './support/fake-op.ts';
import { forge, keptKey } from './support/forge.ts';
import { serve } from './support/http-server.ts';
import { openSessions } from './support/sessions.ts';

// Hono's server puts its own in their place, for all files of this worker.
beforeAll(() => void vi.stubGlobal('Request', Request).stubGlobal('Response', Response));
afterAll(() => void vi.unstubAllGlobals());

const examples: Record<string, (rp: RelyingParty, cookies: PendingCookies) => Promise<RequestListener>> = {
  fastify: async (rp, cookies) => {
    const app = createFastifyApp(rp, cookies, await openSessions());
    await app.ready();
    return app.routing;
  },
  express: async (rp, cookies) => createExpressApp(rp, cookies, await openSessions()),
  hono: async (rp, cookies) => getRequestListener(createHonoApp(rp, cookies, await openSessions()).fetch),
};

// Spec 2 §4 and §7: a session follows a checked ID Token, and none follows one that fails a check.
const faults: Record<string, [string, Faults]> = {
  'a signature by another key': [
    'OIDC_JWT_SIGNATURE',
    { idToken: async ({ header, claims }) => forge(header, claims, await keptKey('stranger', 'RS256')) },
  ],
  'another issuer': ['OIDC_CLAIM_ISS', { idTokenClaims: claims => ({ ...claims, iss: 'https://other.example' }) }],
  'another audience': ['OIDC_CLAIM_AUD', { idTokenClaims: claims => ({ ...claims, aud: 'another-client' }) }],
  'an end that has passed': ['OIDC_TOKEN_EXPIRED', { idTokenClaims: claims => ({ ...claims, exp: Number(claims.iat) - 3_600 }) }],
  'the nonce of another sign-in': ['OIDC_CLAIM_NONCE', { idTokenClaims: claims => ({ ...claims, nonce: 'another' }) }],
};

describe.each(Object.keys(examples))('the example for %s', name => {
  test.each(Object.keys(faults))('refuses an ID Token with %s and creates no session', async fault => {
    const [code, made] = faults[fault]!;
    const op = await FakeOp.start();
    const rp = op.relyingParty({ redirectUri: 'https://rp.example/callback', now: () => new Date() });
    op.nowMs = Date.now();
    const cookies = new PendingCookies({ keys: [crypto.getRandomValues(new Uint8Array(32))] });
    await using server = await serve(await examples[name]!(rp, cookies));
    const get = (path: string, cookie = '') => fetch(`${server.origin}${path}`, { headers: { cookie }, redirect: 'manual' });
    const signIn = async () => {
      const start = await get('/sign-in');
      const callback = new URL(op.authorize(new URL(start.headers.get('location')!)));
      const pending = start.headers.getSetCookie().map(cookie => cookie.split(';')[0]);
      return get(callback.pathname + callback.search, pending.join('; '));
    };
    const sessionsOf = (answer: Response) => answer.headers.getSetCookie().filter(cookie => /session=\S+/.test(cookie));
    const good = await signIn();
    expect(good.status).toBeLessThan(400);
    expect(sessionsOf(good)).toHaveLength(1);
    op.faults = made;
    const refused = await signIn();
    expect([refused.status, await refused.text()]).toEqual([expect.any(Number), expect.stringContaining(code)]);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(sessionsOf(refused)).toEqual([]);
    const kept = refused.headers.getSetCookie().map(cookie => cookie.split(';')[0]);
    expect((await (await get('/', kept.join('; '))).json()).signedIn).toBeNull();
  });
});
