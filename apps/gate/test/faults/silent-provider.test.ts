import { expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { serve } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { shownOn } from '../support/shown.ts';
import { startSmallIdp } from '../support/small-idp.ts';
import { corpProvider, startSmallProvider } from '../support/small-provider.ts';

// A provider that takes connections and says nothing holds up no sign-out: the session is over here before the provider is asked.

const rules = [{ paths: ['/**'], allow: 'signed-in' }];
const discovery = '/.well-known/openid-configuration';
const leave = (gate: TestGate, cookie: string) =>
  gate.fetch('/gate/sign-out', { method: 'POST', headers: { accept: 'text/html', origin: gate.origin, cookie } });
const statusOf = async (gate: TestGate, cookie: string) => (await gate.fetch('/gate/me', { headers: { cookie } })).status;
const unasked = (name: string) => [
  'You are signed out',
  `You are signed out here, but we couldn't ask ${name} to sign you out as well. You may still be signed in there. Close the browser if you share this computer.`,
  'Sign in again -> /gate/sign-in',
];
const logged = (provider: string) => [
  { audit: 'signed-out', provider },
  { audit: 'sign-out-unconfirmed', provider, error: 'the provider did not say within 1000 ms where to sign out' },
];

test('of OpenID Connect: the person hears that they may be signed in there, and what it says at last serves the next sign-out', async () => {
  await using provider = await startSmallProvider();
  const discovered = Promise.withResolvers<void>();
  Object.assign(provider.answers, { hasSignOut: true, discoveryWaitsFor: discovered.promise });
  await using gate = await startGate({ providers: [corpProvider(provider)], rules });
  const idToken = await provider.sign({ iss: provider.issuer, sub: 'ada', aud: 'gate' });
  const record = { signIn: { identity: {}, claims: {}, tokens: { idToken, signedIdToken: idToken } } };
  const [first, second] = [
    await sessionCookie(gate, { issuer: provider.issuer }, record),
    await sessionCookie(gate, { issuer: provider.issuer }, record),
  ];
  // The question is there at once, and the provider is asked meanwhile.
  expect((await gate.fetch('/gate/sign-out', { headers: { accept: 'text/html', cookie: first } })).status).toBe(200);
  await expect.poll(() => provider.requests).toEqual([discovery]);
  const answer = await leave(gate, first);
  expect([answer.status, shownOn(await answer.text()).slice(1)]).toEqual([200, unasked('Corp')]);
  expect(await statusOf(gate, first)).toBe(401);
  expect(gate.log).toMatchObject(logged('corp'));
  // The browser is not under way to anywhere.
  expect(answer.headers.getSetCookie()).toEqual(['gate=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);

  discovered.resolve();
  const next = await leave(gate, second);
  expect([next.status, next.headers.get('location')]).toEqual([303, expect.stringContaining(`${provider.issuer}/end?`)]);
  expect(provider.requests).toEqual([discovery]);
});

test('of SAML, whose metadata was never read', async () => {
  await using idp = await startSmallIdp();
  let isSilent = false;
  await using source = await serve((_request, response) => {
    if (!isSilent) response.destroy();
  });
  const uni = { ...idp.provider, metadata: { url: source.origin } };
  await using gate = await startGate({ providers: [uni], rules }, { env: idp.env });
  gate.log.length = 0;
  isSilent = true;
  const cookie = await sessionCookie(gate, idp.identity, idp.record);
  const answer = await leave(gate, cookie);
  expect([answer.status, shownOn(await answer.text()).slice(1)]).toEqual([200, unasked('University')]);
  expect(await statusOf(gate, cookie)).toBe(401);
  expect(gate.log).toMatchObject(logged('uni'));
});
