import { expect, test } from 'vitest';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test('sends what the code flow needs, with a fresh state and nonce each time', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ scopes: ['email', 'openid'] });
  const first = (
    await rp.startSignIn({
      loginHint: 'a@b.example',
      acrValues: ['gold', 'silver'],
      maxAgeSeconds: 5,
      extraParameters: { ui_locales: 'de' },
    })
  ).url;
  const parameters = Object.fromEntries(first.searchParams);
  expect(first.href).toMatch(/^https:\/\/op\.example\/authorize\?/);
  expect(parameters).toMatchObject({
    response_type: 'code',
    client_id: 'notes',
    redirect_uri: 'https://rp.example/callback',
    scope: 'openid email',
  });
  expect(parameters).toMatchObject({
    login_hint: 'a@b.example',
    acr_values: 'gold silver',
    max_age: '5',
    ui_locales: 'de',
    code_challenge_method: 'S256',
  });
  const second = (await rp.startSignIn()).url;
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(parameters[name]).toMatch(/^[\w-]{43}$/);
    expect(second.searchParams.get(name)).not.toBe(parameters[name]);
  }
});

test('always sends the openid scope', async () => {
  const op = await FakeOp.start();
  expect((await op.relyingParty({ scopes: [] }).startSignIn()).url.searchParams.get('scope')).toBe('openid');
  expect((await op.relyingParty().startSignIn({ scopes: ['phone'] })).url.searchParams.get('scope')).toBe('openid phone');
});

test('asks for consent with offline_access', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ scopes: ['offline_access'] });
  expect((await rp.startSignIn()).url.searchParams.get('prompt')).toBe('consent');
  expect((await rp.startSignIn({ prompt: 'login' })).url.searchParams.get('prompt')).toBe('login consent');
  expect((await rp.startSignIn({ prompt: 'none' })).url.searchParams.get('prompt')).toBe('none');
});

test.each(['state', 'nonce', 'redirect_uri', 'response_type', 'code_challenge', 'request', 'request_uri', 'client_secret'])(
  'does not let an extra parameter replace %s',
  async name => {
    const op = await FakeOp.start();
    const error = await errorOf(op.relyingParty().startSignIn({ extraParameters: { [name]: 'x' } }));
    expect([error.code, error.received]).toEqual(['OIDC_CONFIG_INVALID', name]);
  },
);

test.each([
  [{ prompt: 'none login' }],
  [{ maxAgeSeconds: -1 }],
  [{ maxAgeSeconds: 1.5 }],
  [{ requireAcr: true }],
  [{ returnTo: 'https://evil.example' }],
])('refuses the request %j', async request => {
  const op = await FakeOp.start();
  expect((await errorOf(op.relyingParty().startSignIn(request))).code).toBe('OIDC_CONFIG_INVALID');
});

test("keeps the endpoint's own parameters", async () => {
  const op = await FakeOp.start();
  op.faults.metadata = document => ({ ...document, authorization_endpoint: 'https://op.example/authorize?tenant=7&state=fixed' });
  const { url, pending } = await op.relyingParty().startSignIn();
  expect(url.searchParams.get('tenant')).toBe('7');
  expect(url.searchParams.getAll('state')).toEqual([pending.state]);
});

test('the pending sign-in is plain JSON', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn({ returnTo: '/n/1', maxAgeSeconds: 60, acrValues: ['gold'], requireAcr: true });
  op.faults.idTokenClaims = claims => ({ ...claims, auth_time: claims.iat, acr: 'gold' });
  expect((await rp.finishSignIn(op.authorize(url), JSON.parse(JSON.stringify(pending)))).returnTo).toBe('/n/1');
});
