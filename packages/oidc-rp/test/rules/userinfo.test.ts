import { expect, test } from 'vitest';
import { withUserInfo } from '../../src/index.ts';
import { errorOf, expectUserInfoRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test.each([[undefined], ['sub-2'], [''], [7], [['sub-1']], ['SUB-1'], ['sub-1 ']])(
  'UserInfo about %j is discarded',
  async sub => {
    await expectUserInfoRefused('OIDC_USERINFO_SUB', claims => ({ ...claims, sub }));
  },
);

test('the access token travels in the header, never in the address', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ scopes: ['profile', 'email'] });
  const signIn = await signInAt(op, {}, rp);
  op.faults.userInfo = claims => ({ ...claims, email: 'a@b.example', nickname: 'x' });
  expect(await rp.fetchUserInfo(signIn)).toEqual({ sub: 'sub-1', name: 'Reader', email: 'a@b.example', nickname: 'x' });
  expect(op.requests.at(-1)).toBe(`GET ${op.issuer}/userinfo`);
  expect(op.headers.at(-1)!.get('authorization')).toBe(`Bearer ${signIn.tokens.accessToken}`);
});

test('UserInfo has no say in what the sign-in established', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  const lies = {
    iss: 'https://evil.example',
    aud: 'other',
    exp: 9e9,
    iat: 0,
    nonce: 'x',
    acr: 'gold',
    auth_time: 0,
    azp: 'other',
    amr: ['pwd'],
    sid: 'other',
  };
  op.faults.userInfo = claims => ({ ...claims, ...lies });
  const userInfo = await rp.fetchUserInfo(signIn);
  expect(userInfo).toEqual({ sub: 'sub-1', name: 'Reader' });
  expect(withUserInfo(signIn.claims, { ...userInfo, ...lies })).toEqual({ ...signIn.claims, name: 'Reader' });
});

test.each([
  ['another address', { email: 'a@b.example', email_verified: true }, { email: 'c@d.example' }, undefined],
  ['the same address', { email: 'a@b.example', email_verified: true }, { email: 'a@b.example' }, true],
  ['a word without an address', { email: 'a@b.example' }, { email_verified: true }, undefined],
  ['a word against it', { email: 'a@b.example', email_verified: false }, { email_verified: true }, false],
  [
    'an address and a word',
    { email: 'a@b.example', email_verified: false },
    { email: 'c@d.example', email_verified: true },
    true,
  ],
  ['an address where there was none', { email_verified: true }, { email: 'c@d.example' }, undefined],
  ['nothing', { email: 'a@b.example', email_verified: true }, {}, true],
])('UserInfo tells %s: it is verified by the word of the party that names it', async (_name, inToken, inUserInfo, expected) => {
  const claims = { iss: 'i', sub: 'sub-1', aud: 'a', exp: 2, iat: 1 };
  const joined = withUserInfo({ ...claims, ...inToken }, { sub: 'sub-1', ...inUserInfo });
  expect([Object.hasOwn(joined, 'email_verified'), joined.email_verified]).toEqual([expected !== undefined, expected]);
  const phones = (from: { email?: string; email_verified?: boolean }) => ({
    ...(from.email === undefined ? {} : { phone_number: from.email }),
    ...(from.email_verified === undefined ? {} : { phone_number_verified: from.email_verified }),
  });
  const dialed = withUserInfo({ ...claims, ...phones(inToken) }, { sub: 'sub-1', ...phones(inUserInfo) });
  expect(dialed.phone_number_verified).toBe(expected);
});

test.each([401, 403])('status %i says that the access token is refused, and why', async status => {
  const error = await expectUserInfoRefused(
    'OIDC_USERINFO_UNAUTHORIZED',
    () =>
      new Response(null, {
        status,
        headers: { 'www-authenticate': 'Bearer realm="op", error="invalid_token", error_description="gone"' },
      }),
  );
  expect(error.providerError).toBe('invalid_token');
});

test('a refusal without a reason is one', async () => {
  expect(
    (await expectUserInfoRefused('OIDC_USERINFO_UNAUTHORIZED', () => new Response(null, { status: 401 }))).providerError,
  ).toBe('unknown');
});

test.each([
  ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } }), 'OIDC_HTTP_REDIRECT'],
  ['an error', () => Response.json({ sub: 'sub-1' }, { status: 500 }), 'OIDC_HTTP_STATUS'],
  ['a web page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'OIDC_HTTP_CONTENT_TYPE'],
  [
    'a JWT that nobody registered',
    () => new Response('a.b.c', { headers: { 'content-type': 'application/jwt' } }),
    'OIDC_HTTP_CONTENT_TYPE',
  ],
  [
    'a person twice',
    () => new Response('{"sub":"sub-2","sub":"sub-1"}', { headers: { 'content-type': 'application/json' } }),
    'OIDC_JSON_DUPLICATE_MEMBER',
  ],
] as const)('%s is no UserInfo', async (_fault, answer, code) => {
  await expectUserInfoRefused(code, answer);
});

test('a provider without the endpoint is told apart', async () => {
  const op = await FakeOp.start();
  op.faults.metadata = ({ userinfo_endpoint: _, ...document }) => document;
  const rp = op.relyingParty();
  expect((await errorOf(rp.fetchUserInfo(await signInAt(op, {}, rp)))).code).toBe('OIDC_ENDPOINT_MISSING');
});
