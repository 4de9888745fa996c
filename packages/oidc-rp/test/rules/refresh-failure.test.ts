import { expect, test } from 'vitest';
import { endsSession } from '../../src/index.ts';
import { errorOf, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { createKey } from '../support/forge.ts';

async function failingWith(answer: () => Response) {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  op.faults.token = answer;
  return { op, rp, signIn, error: await errorOf(rp.refresh(signIn)) };
}

test('ends the session on invalid_grant', async () => {
  const { error } = await failingWith(() => Response.json({ error: 'invalid_grant' }, { status: 400 }));
  expect([error.code, error.providerError, endsSession(error)]).toEqual(['OIDC_REFRESH_REFUSED', 'invalid_grant', true]);
});

test.each([
  ['Auth0', 403, { error: 'invalid_grant', error_description: 'Unknown or invalid refresh token.' }],
  ['Entra ID, revoked', 400, { error: 'invalid_grant', error_description: 'AADSTS700082: The refresh token has expired.' }],
  [
    'Entra ID, more is needed',
    400,
    { error: 'interaction_required', error_description: 'AADSTS50076: Due to a configuration change' },
  ],
  ['a provider of the standard', 401, { error: 'invalid_grant' }],
  ['a provider that says 404', 404, { error: 'invalid_grant' }],
  ['a provider that wants a sign-in', 400, { error: 'login_required' }],
  ['Keycloak', 400, { error: 'invalid_grant', error_description: 'Session not active' }],
  ['Salesforce', 400, { error: 'inactive_user', error_description: 'user is inactive' }],
])('ends the session after a refusal by %s', async (_provider, status, body) => {
  const { error } = await failingWith(() => Response.json(body, { status }));
  expect([error.code, error.providerError, endsSession(error), error.status]).toEqual([
    'OIDC_REFRESH_REFUSED',
    body.error,
    true,
    401,
  ]);
});

test.each([
  ['too many requests', 429, { error: 'invalid_grant' }],
  ['an outage that speaks JSON', 503, { error: 'invalid_grant' }],
  ['a gateway', 502, { error: 'server_error' }],
  ['a temporary refusal', 400, { error: 'temporarily_unavailable' }],
  ['a client that may not', 400, { error: 'unauthorized_client' }],
  ['a wrong request', 400, { error: 'invalid_request' }],
])('keeps the session after %s', async (_provider, status, body) => {
  const { error } = await failingWith(() => Response.json(body, { status }));
  expect([error.code === 'OIDC_REFRESH_REFUSED', endsSession(error)]).toEqual([false, false]);
});

test.each([
  ['a provider that is down', () => new Response('', { status: 503 }), 'OIDC_HTTP_STATUS'],
  ['a client that is refused', () => Response.json({ error: 'invalid_client' }, { status: 401 }), 'OIDC_TOKEN_ERROR'],
  [
    'a network that fails',
    () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) });
    },
    'OIDC_HTTP_NETWORK',
  ],
] as const)('%s keeps the session, and the next try is a new one', async (_fault, answer, code) => {
  const { op, rp, signIn, error } = await failingWith(answer);
  expect([error.code, endsSession(error)]).toEqual([code, false]);
  op.faults = {};
  expect((await rp.refresh(signIn)).identity).toEqual(signIn.identity);
});

test('does not refresh a session without a refresh token', async () => {
  const { rp, signIn, op } = await failingWith(() => new Response('', { status: 503 }));
  const { refreshToken: _, ...tokens } = signIn.tokens;
  const before = op.requests.length;
  expect(endsSession(await errorOf(rp.refresh({ ...signIn, tokens })))).toBe(true);
  expect(op.requests).toHaveLength(before);
});

test.each([
  ['fails', () => new Response('', { status: 500 })],
  ['is not there', () => new Response('', { status: 404 })],
  ['is a web page', () => new Response('<p>Soon back', { headers: { 'content-type': 'text/html' } })],
])('checks rotated tokens later if the key set %s, without sending the old refresh token again', async (_, answer) => {
  const op = await FakeOp.start();
  const signIn = await signInAt(op);
  for (const rp of [op.relyingParty(), await warm(op)]) {
    op.keys = [await createKey()];
    op.faults.jwks = answer;
    const before = op.asked('/token');
    await expect(rp.refresh(signIn)).rejects.toSatisfy(error => !endsSession(error));
    op.advance(30);
    await expect(rp.refresh(signIn)).rejects.toSatisfy(error => !endsSession(error));
    op.advance(30);
    delete op.faults.jwks;
    const renewed = await rp.refresh(signIn);
    expect(renewed.tokens.refreshToken).not.toBe(signIn.tokens.refreshToken);
    expect(op.asked('/token') - before).toBe(1);
  }
});

test('reports an unknown key as an outage while the key set is down', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  op.keys = [await createKey()];
  op.faults.jwks = () => new Response('', { status: 500 });
  await expect(rp.refresh(signIn)).rejects.toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 503 });
  delete op.faults.jwks;
  op.advance(30);
  expect((await rp.refresh(signIn)).tokens.refreshToken).not.toBe(signIn.tokens.refreshToken);
  expect(op.asked('/token')).toBe(2);
});

test('a session outlives a key set that is down for longer than an ID Token lives', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  let valid = signIn.tokens.refreshToken;
  op.faults.token = (response, body) => {
    // As providers that rotate do: a token that was used before ends the session.
    if (body.get('refresh_token') !== valid) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    valid = response.refresh_token as string;
    return response;
  };
  op.keys = [await createKey()];
  op.faults.jwks = () => new Response('', { status: 500 });
  for (let minute = 0; minute < 8; minute += 1) {
    await expect(rp.refresh(signIn)).rejects.toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 503 });
    op.advance(50);
  }
  expect(op.asked('/token')).toBe(2);
  delete op.faults.jwks;
  // What the provider answered first has expired. Only the refresh token in it is still good.
  const [one, two] = await Promise.all([rp.refresh(signIn), rp.refresh(signIn)]);
  expect(one.tokens.refreshToken).toBe(valid);
  expect(two.tokens).toEqual(one.tokens);
  expect(op.asked('/token')).toBe(3);
  expect((await rp.refresh(one)).tokens.refreshToken).toBe(valid);
});

test('an answer that was expired when it came is refused, and not asked for again', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  op.faults.idTokenClaims = claims => ({ ...claims, exp: Number(claims.iat) - 100, iat: Number(claims.iat) - 200 });
  await expect(rp.refresh(signIn)).rejects.toMatchObject({ code: 'OIDC_TOKEN_EXPIRED' });
  op.keys = [await createKey()];
  op.faults.jwks = () => new Response('', { status: 500 });
  op.advance(11);
  await expect(rp.refresh(signIn)).rejects.toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 503 });
  delete op.faults.jwks;
  op.advance(20);
  await expect(rp.refresh(signIn)).rejects.toMatchObject({ code: 'OIDC_TOKEN_EXPIRED' });
  expect(op.asked('/token')).toBe(4);
});

async function warm(op: FakeOp) {
  const rp = op.relyingParty();
  await rp.validateIdToken(await op.sign(op.claims()), { nonce: undefined });
  return rp;
}
