import { expect, test } from 'vitest';
import { discoveryUrl } from '../../src/index.ts';
import { errorOf, expectRefused, without } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test.each(['https://evil.example', 'https://op.example/', 'https://OP.example', undefined, ['https://op.example']])(
  'a document of the issuer %j is refused',
  async issuer => {
    await expectRefused('OIDC_DISCOVERY_ISSUER', { metadata: document => without({ ...document, issuer }) });
  },
);

test.each([
  ['authorization_endpoint', undefined],
  ['token_endpoint', undefined],
  ['jwks_uri', undefined],
  ['authorization_endpoint', 'http://op.example/authorize'],
  ['token_endpoint', 'http://127.0.0.1/token'],
  ['jwks_uri', 'https://u:p@op.example/jwks'],
  ['jwks_uri', 'https://op.example/jwks#keys'],
  ['jwks_uri', 'file:///etc/passwd'],
  ['token_endpoint', '/token'],
  ['token_endpoint', ['https://op.example/token']],
  ['userinfo_endpoint', 'http://op.example/userinfo'],
  ['end_session_endpoint', 'javascript:alert(1)'],
  ['revocation_endpoint', 7],
  ['authorization_response_iss_parameter_supported', 'true'],
])('%s as %j is refused', async (member, value) => {
  await expectRefused('OIDC_DISCOVERY_INVALID', { metadata: document => without({ ...document, [member]: value }) });
});

test('the document lies below the issuer, its path included', () => {
  expect(discoveryUrl('https://op.example').href).toBe('https://op.example/.well-known/openid-configuration');
  expect(discoveryUrl('https://op.example/').href).toBe('https://op.example/.well-known/openid-configuration');
  expect(discoveryUrl('https://op.example/tenant/7').href).toBe('https://op.example/tenant/7/.well-known/openid-configuration');
});

test('every address is used as published: nothing is hard-coded', async () => {
  const op = await FakeOp.start();
  op.faults.metadata = document => ({
    ...document,
    authorization_endpoint: 'https://op.example/elsewhere',
    jwks_uri: 'https://op.example/moved',
  });
  const rp = op.relyingParty();
  expect((await rp.startSignIn()).url.pathname).toBe('/elsewhere');
  await errorOf(rp.validateIdToken(await op.sign(op.claims()), { nonce: undefined }));
  expect(op.asked('/moved')).toBe(1);
});

test('the algorithms that the document lists decide nothing: they forbid none and allow none', async () => {
  const { signInAt } = await import('../support/expect-refused.ts');
  const { forge, keptKey } = await import('../support/forge.ts');
  const op = await FakeOp.start();
  op.faults.metadata = document => ({ ...document, id_token_signing_alg_values_supported: ['none', 'HS256'] });
  expect((await signInAt(op)).identity.subject).toBe('sub-1');
  // Truly signed by a key that the provider publishes.
  const key = await keptKey('second', 'ES256');
  await expectRefused(
    'OIDC_JWT_ALGORITHM',
    { idToken: ({ claims }) => forge({ alg: 'ES256', kid: key.kid }, claims, key) },
    {},
    {
      metadata: document => ({ ...document, id_token_signing_alg_values_supported: ['RS256', 'ES256'] }),
      jwks: set => ({ keys: [...set.keys, { ...key.publicJwk }] }),
    },
  );
});

test('the document is asked for again before an hour is over, in the background', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  await rp.metadata();
  op.advance(2_879);
  await rp.metadata();
  expect(op.asked('/openid-configuration')).toBe(1);
  op.advance(1);
  op.faults.metadata = () => new Response('down', { status: 500 });
  expect((await rp.metadata()).issuer).toBe(op.issuer);
  await expect.poll(() => op.asked('/openid-configuration')).toBe(2);
});

test('metadata may be given instead, and is checked as well', async () => {
  const op = await FakeOp.start();
  const metadata = op.metadata() as never;
  const { signInAt } = await import('../support/expect-refused.ts');
  expect((await signInAt(op, { options: { metadata } })).identity.subject).toBe('sub-1');
  expect(op.asked('/openid-configuration')).toBe(0);
  expect(() => op.relyingParty({ metadata: { ...op.metadata(), issuer: 'https://evil.example' } as never })).toThrow(
    expect.objectContaining({ code: 'OIDC_DISCOVERY_ISSUER' }),
  );
});
