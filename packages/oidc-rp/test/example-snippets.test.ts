import { randomBytes } from 'node:crypto';
import { generateKeyPair, jwtVerify } from 'jose';
import { afterEach, expect, test, vi } from 'vitest';
import { signIn as signInNatively } from '../examples/native.ts';
import { apple, bank, entra } from '../examples/providers.ts';
import { callApi, jobToken, signInOnDevice } from '../examples/services.ts';
import { describePerson, renew, signOut } from '../examples/session-life.ts';
import { RelyingParty } from '../src/index.ts';
import { signInAt } from './support/expect-refused.ts';
import { FakeOp } from './support/fake-op.ts';
import { serve } from './support/http-server.ts';

const redirectUri = 'https://rp.example/callback';
afterEach(() => void vi.unstubAllEnvs());

test('the setup snippet runs with a secret and a key, and names what is missing', async () => {
  const { PendingCookies } = await import('../src/index.ts');
  vi.stubEnv('OP_SECRET', 'a secret');
  vi.stubEnv('COOKIE_KEY', randomBytes(32).toString('base64'));
  vi.stubEnv('SIGN_IN_STORE', 'sqlite::memory:');
  const { relyingParty, cookies, sessions, store } = await import('../examples/setup.ts');
  expect(await sessions.find('__Host-session=of-nobody-at-all')).toBeUndefined();
  await store.close();
  expect([relyingParty.clientId, cookies instanceof PendingCookies]).toEqual(['notes', true]);
  expect(() => new PendingCookies({ keys: [Buffer.from('', 'base64')] })).toThrow(
    expect.objectContaining({ check: 'options.keys[0]' }),
  );
});

test('the session snippet', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ postLogoutRedirectUri: 'https://rp.example/bye' });
  const signIn = await signInAt(op, {}, rp);
  const renewed = (await renew(rp, signIn))!;
  expect(renewed.tokens.accessToken).not.toBe(signIn.tokens.accessToken);
  expect((await describePerson(rp, renewed)).name).toBe('Reader');
  let ended = false;
  const [url, pending] = await signOut(rp, renewed, async () => {
    ended = true;
  });
  expect([ended, url.searchParams.get('id_token_hint'), op.asked('/revoke')]).toEqual([true, renewed.tokens.signedIdToken, 1]);
  expect(await rp.finishSignOut(`https://rp.example/bye?state=${pending.state}`, pending)).toEqual({
    state: 'matched',
    returnTo: '/signed-out',
  });
  op.faults.token = () => new Response('', { status: 503 });
  expect(await renew(rp, renewed)).toBe(renewed);
  op.faults.token = () => Response.json({ error: 'invalid_grant' }, { status: 400 });
  expect(await renew(rp, renewed)).toBeUndefined();
});

test('the settings for each provider are valid and give the expected request', async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const tenant = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
  const settings = [
    entra('notes', 'secret', [tenant]),
    apple('notes', 'TEAM', 'KEY', pair.privateKey),
    bank('https://op.example', 'notes', () => new Uint8Array(64), pair),
  ];
  for (const setting of settings) expect(new RelyingParty({ ...setting, redirectUri }).clientId).toBe('notes');
  const { clientAuthentication } = settings[1]!;
  const secret =
    'secret' in clientAuthentication && typeof clientAuthentication.secret === 'function'
      ? await clientAuthentication.secret()
      : '';
  const { payload } = await jwtVerify(secret, pair.publicKey, {
    issuer: 'TEAM',
    subject: 'notes',
    audience: 'https://appleid.apple.com',
  });
  expect(payload.exp! - payload.iat!).toBe(300);
});

test('APIs, jobs and devices', async () => {
  const op = await FakeOp.start();
  op.faults.metadata = document => ({ ...document, device_authorization_endpoint: `${op.issuer}/device_authorization` });
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  const challenge = 'Bearer error="insufficient_user_authentication", acr_values="gold"';
  await using api = await serve((request, response) => {
    const strong = request.url === '/open';
    response.writeHead(strong ? 200 : 401, strong ? {} : { 'www-authenticate': challenge }).end('done');
  });
  expect(await callApi(signIn, new URL(`${api.origin}/pay`))).toEqual({ acrValues: ['gold'], requireAcr: true, returnTo: '/' });
  expect(await callApi(signIn, new URL(`${api.origin}/open`))).toBeInstanceOf(Response);

  op.more['/device_authorization'] = () => ({
    device_code: 'd',
    user_code: 'ABCD',
    verification_uri: 'https://op.example/device',
    expires_in: 60,
    interval: 1,
  });
  op.more['/token'] = async body => ({
    access_token: `for ${body.get('grant_type')}`.replaceAll(/[: ]/g, '-'),
    token_type: 'Bearer',
    ...(body.has('device_code') ? { id_token: await op.sign(op.claims()) } : {}),
  });
  expect(await jobToken(rp)).toBe('for-client_credentials');
  const shown: string[] = [];
  const onDevice = await signInOnDevice(rp, text => void shown.push(text), new AbortController().signal);
  expect([onDevice.identity.subject, shown]).toEqual(['sub-1', ['Open https://op.example/device and enter ABCD']]);
});

test('a native app', async () => {
  const op = await FakeOp.start();
  const { redirectUri: _, clientAuthentication: __, ...options } = op.options();
  const { person } = await signInNatively({ ...options, openBrowser: async url => void (await fetch(op.authorize(url))) });
  expect(person).toEqual({ issuer: op.issuer, subject: 'sub-1' });
});
