import { expect, test } from 'vitest';
import { expectRefused, without } from '../support/expect-refused.ts';

test.each([
  ['no access token', { access_token: undefined }, 'OIDC_TOKEN_RESPONSE'],
  ['an access token that is no text', { access_token: 7 }, 'OIDC_TOKEN_RESPONSE'],
  ['an access token with a line end', { access_token: 'a\r\nb' }, 'OIDC_TOKEN_RESPONSE'],
  ['no token type', { token_type: undefined }, 'OIDC_TOKEN_TYPE'],
  ['another token type', { token_type: 'DPoP' }, 'OIDC_TOKEN_TYPE'],
  ['no ID Token', { id_token: undefined }, 'OIDC_ID_TOKEN_MISSING'],
  ['an ID Token that is no text', { id_token: ['a'] }, 'OIDC_TOKEN_RESPONSE'],
  ['an empty ID Token', { id_token: '' }, 'OIDC_TOKEN_RESPONSE'],
  ['a lifetime that is no number', { expires_in: '300 s' }, 'OIDC_TOKEN_RESPONSE'],
  ['a negative lifetime', { expires_in: -1 }, 'OIDC_TOKEN_RESPONSE'],
  ['a refresh token that is no text', { refresh_token: {} }, 'OIDC_TOKEN_RESPONSE'],
  ['scopes that are a list of numbers', { scope: [7] }, 'OIDC_TOKEN_RESPONSE'],
] as const)('a token response with %s is refused', async (_fault, change, code) => {
  await expectRefused(code, { token: response => without({ ...response, ...change }) });
});

test('an access token is no proof of who signed in, though it be a JWT of the provider', async () => {
  await expectRefused('OIDC_JWT_TYPE', { idTokenHeader: header => ({ ...header, typ: 'at+jwt' }) });
  await expectRefused('OIDC_ID_TOKEN_MISSING', {
    token: ({ id_token, ...response }) => ({ ...response, access_token: id_token }),
  });
});

test('the token type may be written in any case', async () => {
  const { FakeOp } = await import('../support/fake-op.ts');
  const { signInAt } = await import('../support/expect-refused.ts');
  const op = await FakeOp.start();
  op.faults.token = response => ({ ...response, token_type: 'bEARER', scope: 'openid  email' });
  const { tokens } = await signInAt(op);
  expect(tokens).toMatchObject({ tokenType: 'Bearer', expiresAt: op.now + 300, scopes: ['openid', 'email'] });
});
