import { decodeJwt, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { DpopProver } from '../../src/client/dpop.ts';
import { platformEnvironment } from '../../src/environment.ts';
import { errorOf, signInAt, without } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const dpop = { algorithm: 'ES256', ...(await generateKeyPair('ES256')) } as const;
const nonceAnswer = (nonce: string) => new Headers({ 'dpop-nonce': nonce });

describe('nonces for proofs of the DPoP key', () => {
  const url = new URL('https://op.example/token');
  const nonceOf = async (prover: DpopProver, at = url) => decodeJwt((await prover.proof('POST', at)).text).nonce;

  test('are new if they differ from the one sent and have at most 1,024 characters', async () => {
    const prover = new DpopProver(dpop, platformEnvironment);
    expect(prover.remember(url, new Headers())).toBe(false);
    expect(prover.remember(url, nonceAnswer('n'.repeat(1_025)))).toBe(false);
    expect(await nonceOf(prover)).toBeUndefined();
    const longest = 'n'.repeat(1_024);
    expect(prover.remember(url, nonceAnswer(longest))).toBe(true);
    // News for a request whose proof had none yet, though another request has learned it meanwhile.
    expect(prover.remember(url, nonceAnswer(longest))).toBe(true);
    expect(prover.remember(url, nonceAnswer(longest), longest)).toBe(false);
    expect((await prover.proof('POST', url)).nonce).toBe(longest);
    expect(await nonceOf(prover)).toBe(longest);
  });

  test('are kept for a hundred origins; one more clears them', async () => {
    const prover = new DpopProver(dpop, platformEnvironment);
    const origin = (index: number) => new URL(`https://api-${index}.example/`);
    for (let index = 1; index <= 100; index += 1) prover.remember(origin(index), nonceAnswer(`n${index}`));
    expect([await nonceOf(prover, origin(1)), await nonceOf(prover, origin(100))]).toEqual(['n1', 'n100']);
    prover.remember(origin(101), nonceAnswer('n101'));
    expect([await nonceOf(prover, origin(1)), await nonceOf(prover, origin(101))]).toEqual([undefined, 'n101']);
  });

  async function asked(...answers: [status: number, body: object, nonce?: string][]) {
    const op = await FakeOp.start();
    const rp = op.relyingParty({ dpop });
    const rest = [...answers];
    op.more['/token'] = () => {
      const [status, body, nonce] = rest.shift() ?? [200, {}];
      return Response.json(body, { status, headers: nonce === undefined ? {} : { 'dpop-nonce': nonce } });
    };
    const error = await errorOf(signInAt(op, {}, rp));
    const nonces = () =>
      op.requests.flatMap((request, at) => (request.endsWith('/token') ? [decodeJwt(op.headers[at]!.get('dpop')!).nonce] : []));
    return { op, rp, error, nonces };
  }

  test('are remembered from any answer without repeating the request', async () => {
    for (const [status, body, code] of [
      [200, { token_type: 'DPoP' }, 'OIDC_TOKEN_RESPONSE'],
      [200, { error: 'use_dpop_nonce' }, 'OIDC_TOKEN_RESPONSE'],
      [400, { error: 'invalid_grant' }, 'OIDC_TOKEN_ERROR'],
      [503, { error: 'use_dpop_nonce' }, 'OIDC_HTTP_STATUS'],
    ] as const) {
      const { op, rp, error, nonces } = await asked([status, body, 'fresh']);
      expect([error.code, nonces()]).toEqual([code, [undefined]]);
      await errorOf(signInAt(op, {}, rp));
      expect(nonces()).toEqual([undefined, 'fresh']);
    }
  });

  test('are remembered from the second answer too', async () => {
    const wants = { error: 'use_dpop_nonce' };
    const { op, rp, nonces } = await asked([401, wants, 'first'], [200, {}, 'second']);
    await errorOf(signInAt(op, {}, rp));
    expect(nonces()).toEqual([undefined, 'first', 'second']);
  });

  test('are ignored by a client without a key', async () => {
    const op = await FakeOp.start();
    op.faults.token = () => Response.json({ error: 'use_dpop_nonce' }, { status: 400, headers: { 'dpop-nonce': 'n' } });
    expect((await errorOf(signInAt(op))).providerError).toBe('use_dpop_nonce');
    expect(op.asked('/token')).toBe(1);
  });

  test.each([
    [null, 'options.dpop'],
    [{ ...dpop, algorithm: 'HS256' }, 'options.dpop.algorithm'],
    [{ ...dpop, publicKey: dpop.privateKey }, 'options.dpop.publicKey'],
    [{ ...dpop, publicKey: {} }, 'options.dpop.publicKey'],
    [{ ...dpop, privateKey: dpop.publicKey }, 'options.dpop.privateKey'],
  ])('refuses the setting %j by name', async (setting, check) => {
    const op = await FakeOp.start();
    const refused = expect.objectContaining({ code: 'OIDC_CONFIG_INVALID', check, expected: expect.stringMatching(/\w/) });
    expect(() => op.relyingParty({ dpop: setting as never })).toThrow(refused);
  });
});

test('redeems the code with what the start kept for it', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn({ tokenParameters: { tenant: '7' }, resource: 'https://a.example/' });
  const callback = op.authorize(url);
  await rp.finishSignIn(callback, pending);
  const at = op.requests.findIndex(request => request.endsWith('/token'));
  expect(Object.fromEntries(op.bodies[at]!)).toEqual({
    tenant: '7',
    grant_type: 'authorization_code',
    code: new URL(callback).searchParams.get('code'),
    redirect_uri: 'https://rp.example/callback',
    code_verifier: pending.codeVerifier,
    resource: 'https://a.example/',
    client_id: 'notes',
  });
});

describe('an answer of the token endpoint', () => {
  const answerOf = async (answer: Response | Record<string, unknown>) => {
    const op = await FakeOp.start();
    op.faults.token = () => answer;
    return errorOf(signInAt(op));
  };

  test.each([402, 403, 404, 422, 499])('with status %i is a refusal if it names an error', async status => {
    const { code, received, check } = await answerOf(Response.json({ error: 'invalid_grant' }, { status }));
    expect([code, received, check]).toEqual(['OIDC_TOKEN_ERROR', `${status}`, 'token.error']);
    for (const other of [Response.json({ error: 7 }, { status }), new Response('<p>no</p>', { status })])
      expect(await answerOf(other)).toMatchObject({ code: 'OIDC_HTTP_STATUS', check: 'token', expected: '200' });
  });

  test.each([408, 429, 500, 503])('with status %i is an outage, whatever it says', async status => {
    expect((await answerOf(Response.json({ error: 'invalid_grant' }, { status }))).code).toBe('OIDC_HTTP_STATUS');
  });

  test('with status 200 that names an error has no tokens', async () => {
    expect(await answerOf({ error: 'bad_verification_code' })).toMatchObject({
      code: 'OIDC_TOKEN_RESPONSE',
      check: 'token.access_token',
      expected: 'text',
    });
  });

  test('has an empty description if the error has none or an invalid one', async () => {
    for (const error_description of [undefined, 7]) {
      const { providerDescription } = await answerOf(Response.json({ error: 'x', error_description }, { status: 400 }));
      expect(providerDescription).toBe('');
    }
  });

  test('that is not JSON is refused and names the endpoint', async () => {
    const page = new Response('<p>', { headers: { 'content-type': 'text/html' } });
    expect(await answerOf(page)).toMatchObject({ code: 'OIDC_HTTP_CONTENT_TYPE', check: 'token', expected: 'application/json' });
  });

  test.each([
    ['expires_in', '12345678901', 'seconds', '12345678901'],
    ['expires_in', -1, 'seconds', '-1'],
    ['expires_in', '', 'seconds', ''],
    ['expires_in', '5 ', 'seconds', '5 '],
    ['scope', 7, 'text', undefined],
    ['scope', ['openid', 7], 'text', undefined],
    ['refresh_token', 'a b', 'printable ASCII text', undefined],
    ['refresh_token', 'ä', 'printable ASCII text', undefined],
    ['issued_token_type', 7, 'printable ASCII text', undefined],
    ['id_token', 'x'.repeat(65_537), 'printable ASCII text', undefined],
  ])('with %s as %j is refused and named', async (member, value, expected, received) => {
    const honest = { access_token: 'at', token_type: 'Bearer', id_token: 'a.b.c' };
    const error = await answerOf({ ...honest, [member]: value });
    expect(error).toMatchObject({ code: 'OIDC_TOKEN_RESPONSE', check: `token.${member}`, expected });
    expect(error.received).toEqual(received);
  });

  test('with another token type is refused and names both types', async () => {
    for (const token_type of ['mac', undefined, 7])
      expect(await answerOf({ access_token: 'at', token_type })).toMatchObject({
        code: 'OIDC_TOKEN_TYPE',
        check: 'token.token_type',
        expected: 'Bearer',
        received: String(token_type ?? 'none'),
      });
  });

  test('sets only the members that it has; null counts as absent', async () => {
    const op = await FakeOp.start();
    const tokensOf = async (changes: object) => {
      op.faults.token = response => without({ ...response, ...changes });
      return (await signInAt(op)).tokens;
    };
    const absent = { expires_in: null, scope: null, refresh_token: null, issued_token_type: null };
    expect(Object.keys(await tokensOf(absent)).sort()).toEqual(['accessToken', 'idToken', 'signedIdToken', 'tokenType']);
    const full = { expires_in: '0', scope: ' openid  email ', refresh_token: 'x'.repeat(65_536), issued_token_type: 'urn:x' };
    const tokens = await tokensOf(full);
    expect(tokens).toMatchObject({ expiresAt: op.now, scopes: ['openid', 'email'], issuedTokenType: 'urn:x' });
    expect(tokens.refreshToken).toHaveLength(65_536);
    expect((await tokensOf({ expires_in: 1.5 })).expiresAt).toBe(Math.floor(op.now + 1.5));
    expect((await tokensOf({ expires_in: '9999999999' })).expiresAt).toBe(op.now + 9_999_999_999);
    expect((await tokensOf({ scope: ['openid', '', 'email'] })).scopes).toEqual(['openid', 'email']);
  });
});

test.each(['[5]', '1e400', '"5 "'])('refuses a lifetime of %s', async lifetime => {
  const op = await FakeOp.start();
  const body = `{"access_token":"a","token_type":"Bearer","expires_in":${lifetime}}`;
  op.faults.token = () => new Response(body, { headers: { 'content-type': 'application/json' } });
  expect(await errorOf(signInAt(op))).toMatchObject({ code: 'OIDC_TOKEN_RESPONSE', check: 'token.expires_in' });
});

test('puts a given nonce into a proof for an API, and needs a key', async () => {
  const op = await FakeOp.start();
  const request = { method: 'GET', url: new URL('https://api.example/'), accessToken: 'at' };
  expect(decodeJwt(await op.relyingParty({ dpop }).createDpopProof(request))).not.toHaveProperty('nonce');
  expect(() => op.relyingParty().createDpopProof(request)).toThrow(
    expect.objectContaining({ code: 'OIDC_CONFIG_INVALID', check: 'options.dpop' }),
  );
});
