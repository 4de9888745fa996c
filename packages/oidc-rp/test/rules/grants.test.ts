import { expect, test } from 'vitest';
import type { TokenExchangeRequest } from '../../src/index.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
const plain = { access_token: 'at', token_type: 'Bearer', expires_in: 60 };

async function granting(response: object = plain) {
  const op = await FakeOp.start();
  op.more['/token'] = () => Response.json(response);
  return { op, rp: op.relyingParty() };
}

test('client credentials: a token for this client, with scopes, resources and parameters of the provider', async () => {
  const { op, rp } = await granting();
  const tokens = await rp.requestClientCredentials({
    scopes: ['read', 'write'],
    resource: ['https://a.example/', 'https://b.example/'],
    tokenParameters: { audience: 'api' },
  });
  expect(tokens).toEqual({ accessToken: 'at', tokenType: 'Bearer', expiresAt: op.now + 60 });
  const sent = op.bodies.at(-1)!;
  expect([sent.get('grant_type'), sent.get('scope'), sent.getAll('resource'), sent.get('audience')]).toEqual([
    'client_credentials',
    'read write',
    ['https://a.example/', 'https://b.example/'],
    'api',
  ]);
  await rp.requestClientCredentials();
  expect(op.bodies.at(-1)!.has('scope')).toBe(false);
});

test('a public client has no credentials of its own', async () => {
  const { op } = await granting();
  const rp = op.relyingParty({ clientAuthentication: { method: 'none' } });
  expect(await errorOf(rp.requestClientCredentials())).toMatchObject({
    code: 'OIDC_CONFIG_INVALID',
    check: 'options.clientAuthentication',
  });
  expect(op.asked('/token')).toBe(0);
});

test('token exchange: what goes out and what comes back', async () => {
  const { op, rp } = await granting({ ...plain, issued_token_type: accessToken });
  const exchanged = await rp.exchangeToken({
    subjectToken: 'subject',
    subjectTokenType: accessToken,
    actorToken: 'actor',
    actorTokenType: 'urn:ietf:params:oauth:token-type:jwt',
    requestedTokenType: accessToken,
    audience: ['one', 'two'],
    scopes: ['read'],
  });
  expect(exchanged.issuedTokenType).toBe(accessToken);
  expect([...op.bodies.at(-1)!].filter(([name]) => name !== 'client_id')).toEqual([
    ['scope', 'read'],
    ['grant_type', 'urn:ietf:params:oauth:grant-type:token-exchange'],
    ['subject_token', 'subject'],
    ['subject_token_type', accessToken],
    ['actor_token', 'actor'],
    ['actor_token_type', 'urn:ietf:params:oauth:token-type:jwt'],
    ['requested_token_type', accessToken],
    ['audience', 'one'],
    ['audience', 'two'],
  ]);
});

test.each([
  ['request.subjectToken', { subjectTokenType: accessToken }],
  ['request.subjectTokenType', { subjectToken: 'x' }],
  ['request.actorTokenType', { subjectToken: 'x', subjectTokenType: accessToken, actorToken: 'y' }],
  ['request.actorTokenType', { subjectToken: 'x', subjectTokenType: accessToken, actorTokenType: accessToken }],
  ['request.tokenParameters', { subjectToken: 'x', subjectTokenType: accessToken, tokenParameters: { grant_type: 'password' } }],
  ['request.audiences', { subjectToken: 'x', subjectTokenType: accessToken, audiences: ['a'] }],
])('%s of an exchange is refused by its path', async (path, request) => {
  const { op, rp } = await granting();
  expect((await errorOf(rp.exchangeToken(request as TokenExchangeRequest))).check).toBe(path);
  expect(op.asked('/token')).toBe(0);
});

test('an exchange that does not say what it issued is refused, and so is a refusal', async () => {
  const { op, rp } = await granting();
  const request = { subjectToken: 'x', subjectTokenType: accessToken };
  expect(await errorOf(rp.exchangeToken(request))).toMatchObject({
    code: 'OIDC_TOKEN_RESPONSE',
    check: 'token.issued_token_type',
  });
  op.more['/token'] = () => Response.json({ error: 'invalid_target' }, { status: 400 });
  expect(await errorOf(rp.exchangeToken(request))).toMatchObject({ code: 'OIDC_TOKEN_ERROR', providerError: 'invalid_target' });
});

test.each(['N_A', 'n_a'])('what is no access token comes with the type %s (RFC 8693 §2.2.1)', async type => {
  const idToken = 'urn:ietf:params:oauth:token-type:id_token';
  const { op, rp } = await granting({ access_token: 'an-id-token', token_type: type, issued_token_type: idToken });
  const exchanged = await rp.exchangeToken({ subjectToken: 'x', subjectTokenType: accessToken, requestedTokenType: idToken });
  expect(exchanged).toEqual({ accessToken: 'an-id-token', tokenType: 'N_A', issuedTokenType: idToken });
  // This type is refused for an access token, and by the other grants, which ask for nothing else.
  op.more['/token'] = () => Response.json({ ...plain, token_type: type, issued_token_type: accessToken });
  expect((await errorOf(rp.exchangeToken({ subjectToken: 'x', subjectTokenType: accessToken }))).code).toBe('OIDC_TOKEN_TYPE');
  op.more['/token'] = () => Response.json({ ...plain, token_type: type, issued_token_type: idToken });
  expect((await errorOf(rp.requestClientCredentials())).code).toBe('OIDC_TOKEN_TYPE');
});
