import { decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import type { RelyingPartyOptions } from '../../src/index.ts';
import { signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { createKey } from '../support/forge.ts';

async function tokenRequest(clientAuthentication: RelyingPartyOptions['clientAuthentication'], clientId = 'notes') {
  const op = await FakeOp.start();
  op.clientId = clientId;
  await signInAt(op, { options: { clientAuthentication } });
  const at = op.requests.findIndex(request => request.endsWith('/token'));
  return {
    op,
    body: op.bodies[at]!,
    authorization: op.headers[at]!.get('authorization'),
    type: op.headers[at]!.get('content-type'),
  };
}

test('client_secret_basic form-encodes id and secret before joining them', async () => {
  const { authorization, body, type } = await tokenRequest({ method: 'client_secret_basic', secret: 'p%s: +ü&' }, 'a:b c');
  expect(Buffer.from(authorization!.slice(6), 'base64').toString()).toBe('a%3Ab+c:p%25s%3A+%2B%C3%BC%26');
  expect(body.has('client_secret')).toBe(false);
  expect(type).toBe('application/x-www-form-urlencoded');
});

test('client_secret_post sends the secret in the body', async () => {
  const { authorization, body } = await tokenRequest({ method: 'client_secret_post', secret: 's&=' });
  expect([authorization, body.get('client_id'), body.get('client_secret')]).toEqual([null, 'notes', 's&=']);
});

test('private_key_jwt sends a fresh assertion for this issuer, valid for a minute', async () => {
  const key = await createKey('ES256');
  const { op, authorization, body } = await tokenRequest({
    method: 'private_key_jwt',
    key: key.privateKey,
    algorithm: 'ES256',
    keyId: 'mine',
  });
  expect(authorization).toBeNull();
  expect(body.get('client_assertion_type')).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
  const assertion = body.get('client_assertion')!;
  expect(decodeProtectedHeader(assertion)).toEqual({ alg: 'ES256', kid: 'mine' });
  const checks = { issuer: 'notes', subject: 'notes', audience: op.issuer, currentDate: new Date(op.nowMs) };
  const { payload } = await jwtVerify(assertion, key.publicKey, checks);
  expect(payload.exp! - payload.iat!).toBe(60);
  expect(payload.jti).toMatch(/^[\w-]{43}$/);
});

test('a public client sends only its id and its PKCE verifier', async () => {
  const { authorization, body } = await tokenRequest({ method: 'none' });
  expect(authorization).toBeNull();
  expect([...body.keys()].sort()).toEqual(['client_id', 'code', 'code_verifier', 'grant_type', 'redirect_uri']);
});

test.each([
  [undefined],
  [{ method: 'client_secret_jwt', secret: 'x' }],
  [{ method: 'client_secret_basic', secret: '' }],
  [{ method: 'client_secret_post' }],
  [{ method: 'private_key_jwt', algorithm: 'ES256' }],
  [{ method: 'private_key_jwt', algorithm: 'HS256', key: {} }],
])('refuses the setting %j', async clientAuthentication => {
  const op = await FakeOp.start();
  const refused = expect.objectContaining({ code: 'OIDC_CONFIG_INVALID' });
  expect(() => op.relyingParty({ clientAuthentication: clientAuthentication as never })).toThrow(refused);
});
