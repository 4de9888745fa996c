import { decodeJwt, decodeProtectedHeader, exportJWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { type FapiFacts, requireFapi2 } from '../../src/client/fapi.ts';
import type { RelyingPartyOptions, SignInRequest } from '../../src/index.ts';
import { errorOf, signInAt, without } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { keptKey } from '../support/forge.ts';

const { privateKey: key } = await keptKey('proof', 'ES256');

describe('a sign-in request', () => {
  const startAt = async (request: SignInRequest, options: Partial<RelyingPartyOptions> = {}) => {
    const op = await FakeOp.start();
    const { url, pending } = await op.relyingParty(options).startSignIn(request);
    return { parameters: url.searchParams, pending };
  };
  const refusal = async (request: SignInRequest) => errorOf(startAt(request));

  test('asks for each word and each scope once', async () => {
    const { parameters } = await startAt({ prompt: ' login  select_account login ', scopes: ['openid', 'email', 'email'] });
    expect(parameters.get('prompt')).toBe('login select_account');
    expect(parameters.get('scope')).toBe('openid email');
  });

  test('sends only the parameters that it needs', async () => {
    const { parameters, pending } = await startAt({ acrValues: [] });
    expect([...parameters.keys()].sort()).toEqual([
      'client_id',
      'code_challenge',
      'code_challenge_method',
      'nonce',
      'redirect_uri',
      'response_type',
      'scope',
      'state',
    ]);
    expect(pending).toMatchObject({
      returnTo: null,
      maxAgeSeconds: null,
      acrValues: null,
      resource: null,
      tokenParameters: null,
      responseMode: 'query',
    });
    expect(pending.expiresAt - pending.startedAt).toBe(600);
  });

  test('keeps what the callback is checked against', async () => {
    const request = {
      returnTo: '/n/1?x=1',
      maxAgeSeconds: 0,
      acrValues: ['gold', 'silver'],
      requireAcr: true,
      redirectUri: 'https://rp.example/other',
      resource: ['https://a.example/', 'urn:b'],
      tokenParameters: { tenant: '7' },
    };
    const { parameters, pending } = await startAt(request);
    const { requireAcr: _, ...kept } = request;
    expect(pending).toMatchObject(kept);
    expect(parameters.getAll('resource')).toEqual(request.resource);
    expect(parameters.get('max_age')).toBe('0');
    expect(parameters.get('redirect_uri')).toBe(request.redirectUri);
    expect((await startAt({ acrValues: ['gold'] })).pending.acrValues).toBeNull();
  });

  test('asks for consent with offline access, but not with prompt "none" or if switched off', async () => {
    const scopes = ['offline_access'];
    expect((await startAt({ scopes, prompt: 'none' })).parameters.get('prompt')).toBe('none');
    expect((await startAt({ scopes })).parameters.get('prompt')).toBe('consent');
    expect((await startAt({ scopes }, { consentForOfflineAccess: false })).parameters.has('prompt')).toBe(false);
  });

  test.each([
    [{ prompt: 'none login' }, 'request.prompt', '"none" alone', undefined],
    [{ requireAcr: true }, 'request.acrValues', 'at least one value when requireAcr is set', undefined],
    [{ requireAcr: true, acrValues: [] }, 'request.acrValues', 'at least one value when requireAcr is set', undefined],
    [{ returnTo: '//evil.example' }, 'request.returnTo', undefined, undefined],
    [{ redirectUri: 'http://rp.example/' }, 'request.redirectUri', undefined, undefined],
    [{ resource: 'https://a.example/#x' }, 'request.resource', 'an absolute URI without a fragment', undefined],
    [{ resource: '/a' }, 'request.resource', 'an absolute URI without a fragment', undefined],
    [{ resource: `urn:${'x'.repeat(2_045)}` }, 'request.resource', 'an absolute URI without a fragment', undefined],
    [{ loginHint: 'x'.repeat(2_049) }, 'request.loginHint', '2048', undefined],
    [{ prompt: 'x'.repeat(201) }, 'request.prompt', '200', undefined],
    ...[
      ...['response_type', 'response_mode', 'client_id', 'redirect_uri', 'scope', 'state', 'nonce', 'code_challenge'],
      ...['code_challenge_method', 'prompt', 'max_age', 'login_hint', 'acr_values', 'resource', 'dpop_jkt', 'request'],
      ...['request_uri', 'client_secret'],
    ].map(name => [{ extraParameters: { [name]: 'x' } }, 'request.extraParameters', 'does not set itself', name]),
    ...[
      ...['grant_type', 'code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope', 'resource', 'client_id'],
      ...['client_secret', 'client_assertion', 'client_assertion_type'],
    ].map(name => [{ tokenParameters: { [name]: 'x' } }, 'request.tokenParameters', 'does not set itself', name]),
  ] as [SignInRequest, string, string | undefined, string | undefined][])(
    'refuses %j by name',
    async (request, check, expected, received) => {
      const error = await refusal(request);
      expect([error.code, error.check]).toEqual(['OIDC_CONFIG_INVALID', check]);
      expect(error.expected).toContain(expected ?? '');
      if (received !== undefined) expect(error.received).toBe(received);
    },
  );

  test('accepts values at their limits', async () => {
    const resource = `urn:${'x'.repeat(2_044)}`;
    const { parameters } = await startAt({ resource, loginHint: 'x'.repeat(2_048), prompt: 'x'.repeat(200) });
    expect([parameters.get('resource'), parameters.get('login_hint')?.length]).toEqual([resource, 2_048]);
  });

  test.each([
    ['x'.repeat(4_096), true],
    ['x'.repeat(4_097), false],
    ['', false],
    ['urn:a b', false],
    ['urn:ä', false],
  ])('when pushed, needs a reference of 1 to 4,096 printable characters', async (reference, accepted) => {
    const op = await FakeOp.start();
    op.faults.metadata = document => ({
      ...document,
      authorization_endpoint: `${op.issuer}/authorize?client_id=x&request_uri=y&tenant=7`,
      pushed_authorization_request_endpoint: `${op.issuer}/par`,
    });
    op.more['/par'] = () => Response.json({ request_uri: reference }, { status: 200 });
    const started = op.relyingParty({ pushedAuthorizationRequests: 'always' }).startSignIn();
    if (accepted)
      expect([...(await started).url.searchParams].sort()).toEqual([
        ['client_id', 'notes'],
        ['request_uri', reference],
        ['tenant', '7'],
      ]);
    else
      expect(await errorOf(started)).toMatchObject({
        code: 'OIDC_TOKEN_RESPONSE',
        check: 'pushed_request.request_uri',
        expected: '1 to 4096 printable ASCII characters',
      });
  });
});

describe('the client authentication', () => {
  const tokenRequest = async (clientAuthentication: RelyingPartyOptions['clientAuthentication']) => {
    const op = await FakeOp.start();
    await signInAt(op, { options: { clientAuthentication } });
    return { op, body: op.bodies[op.requests.findIndex(request => request.endsWith('/token'))]! };
  };
  const failing = (clientAuthentication: RelyingPartyOptions['clientAuthentication']) =>
    errorOf(tokenRequest(clientAuthentication));

  test('reports a missing or failing secret without showing it', async () => {
    const sealed = new Error('the vault is sealed');
    const secretOf = (secret: () => string) => failing({ method: 'client_secret_post', secret });
    const facts = { code: 'OIDC_CLIENT_CREDENTIAL', check: 'options.clientAuthentication.secret', expected: 'a secret' };
    const thrown = await secretOf(() => {
      throw sealed;
    });
    expect(thrown).toMatchObject({ ...facts, cause: sealed });
    expect(thrown.received).toBeUndefined();
    expect(await secretOf(() => '')).toMatchObject({ ...facts, received: 'string' });
    expect(await secretOf(() => 7 as never)).toMatchObject({ ...facts, received: 'number' });
  });

  test('reports a missing or failing signature with its cause', async () => {
    const facts = { code: 'OIDC_CLIENT_CREDENTIAL', check: 'options.clientAuthentication.sign', expected: 'a signature' };
    const signOf = (sign: () => Uint8Array) => failing({ method: 'private_key_jwt', algorithm: 'ES256', sign });
    for (const none of [new Uint8Array(), 'text' as never, undefined as never])
      expect(await signOf(() => none)).toMatchObject({ ...facts, cause: { message: 'sign() did not return a signature' } });
    const cause = new Error('no such key');
    expect(
      await signOf(() => {
        throw cause;
      }),
    ).toMatchObject({ ...facts, cause });
  });

  test('signs the assertion elsewhere, for the configured audience', async () => {
    const inputs: string[] = [];
    const sign = (input: Uint8Array) => {
      inputs.push(new TextDecoder().decode(input));
      return new Uint8Array([1, 2, 3]);
    };
    const audience = 'https://op.example/token';
    const { op, body } = await tokenRequest({ method: 'private_key_jwt', algorithm: 'PS256', keyId: 'mine', audience, sign });
    const proof = body.get('client_assertion')!;
    expect(proof).toBe(`${inputs[0]}.AQID`);
    expect(decodeProtectedHeader(proof)).toEqual({ alg: 'PS256', kid: 'mine' });
    const { exp, iat, jti, ...claims } = decodeJwt(proof);
    expect(claims).toEqual({ iss: 'notes', sub: 'notes', aud: audience });
    expect([iat, exp]).toEqual([op.now, op.now + 60]);
    expect(jti).toMatch(/^[\w-]{43}$/);
  });

  test('signs with a JWK as with its key, and sends no key id without one', async () => {
    const { body } = await tokenRequest({ method: 'private_key_jwt', algorithm: 'ES256', key: await exportJWK(key) });
    expect(decodeProtectedHeader(body.get('client_assertion')!)).toEqual({ alg: 'ES256' });
  });

  const noSignature = (): null => null;

  test.each([
    [null, 'options.clientAuthentication'],
    ['none', 'options.clientAuthentication'],
    [{}, 'options.clientAuthentication.method'],
    [{ method: 'private_key_jwt', algorithm: 'none', sign: noSignature }, 'options.clientAuthentication.algorithm'],
    [{ method: 'private_key_jwt', algorithm: 'HS256', sign: noSignature }, 'options.clientAuthentication.algorithm'],
    [{ method: 'private_key_jwt', algorithm: 'ES256', sign: 'me' }, 'options.clientAuthentication.sign'],
    [{ method: 'private_key_jwt', algorithm: 'ES256', key: 'pem' }, 'options.clientAuthentication.key'],
    [{ method: 'private_key_jwt', algorithm: 'ES256', sign: noSignature, keyId: '' }, 'options.clientAuthentication.keyId'],
    [{ method: 'private_key_jwt', algorithm: 'ES256', sign: noSignature, audience: 7 }, 'options.clientAuthentication.audience'],
    [{ method: 'client_secret_basic', secret: 'x'.repeat(8_193) }, 'options.clientAuthentication.secret'],
    [{ method: 'client_secret_basic', secret: 'x', key: 'y' }, 'options.clientAuthentication.key'],
    [{ method: 'none', secret: 'x' }, 'options.clientAuthentication.secret'],
  ])('refuses the setting %j by name', async (setting, check) => {
    const op = await FakeOp.start();
    const refused = expect.objectContaining({ code: 'OIDC_CONFIG_INVALID', check });
    expect(() => op.relyingParty({ clientAuthentication: setting as never })).toThrow(refused);
  });
});

describe('FAPI 2.0 refuses by name, with what it accepts', () => {
  const algorithms = 'PS256, ES256, EdDSA, Ed25519 (FAPI 2.0)';
  const honest: FapiFacts = {
    issuer: 'https://op.example',
    clientAuthentication: { method: 'private_key_jwt', algorithm: 'ES256', key },
    idTokenAlgorithms: ['ES256', 'PS256'],
    userInfoAlgorithms: undefined,
    authorizationResponseAlgorithms: ['RS256'],
    dpop: { algorithm: 'EdDSA' },
    responseMode: 'query',
  };
  const proof = { method: 'private_key_jwt', algorithm: 'Ed25519', key } as const;

  test.each([
    {},
    { clientAuthentication: { ...proof, audience: undefined } },
    { clientAuthentication: { ...proof, audience: 'https://op.example' } },
    { userInfoAlgorithms: ['PS256'] },
    { responseMode: 'query.jwt', authorizationResponseAlgorithms: ['ES256'] },
  ] as Partial<FapiFacts>[])('and accepts %j', changes => expect(requireFapi2({ ...honest, ...changes })).toBeUndefined());

  test.each([
    ['clientAuthentication.method', { clientAuthentication: { method: 'none' } }, 'private_key_jwt (FAPI 2.0)'],
    ['clientAuthentication.algorithm', { clientAuthentication: { ...proof, algorithm: 'RS256' } }, algorithms],
    ['clientAuthentication.audience', { clientAuthentication: { ...proof, audience: 'x' } }, 'the issuer (FAPI 2.0)'],
    ['dpop', { dpop: undefined }, 'a key, so that access tokens are sender-constrained (FAPI 2.0)'],
    ['dpop.algorithm', { dpop: { algorithm: 'RS256' } }, algorithms],
    ['idTokenAlgorithms', { idTokenAlgorithms: ['ES256', 'RS256'] }, algorithms],
    ['userInfoAlgorithms', { userInfoAlgorithms: ['ES256', 'RS256'] }, algorithms],
    [
      'authorizationResponseAlgorithms',
      { responseMode: 'form_post.jwt', authorizationResponseAlgorithms: ['ES256', 'RS256'] },
      algorithms,
    ],
  ] as [string, Partial<FapiFacts>, string][])('%s', (option, changes, expected) => {
    const refused = expect.objectContaining({ code: 'OIDC_CONFIG_INVALID', check: `options.${option}`, expected });
    expect(() => requireFapi2({ ...honest, ...changes })).toThrow(refused);
  });
});

describe('a signed authorization response', () => {
  const responseMode = 'query.jwt';
  async function answering(header: Record<string, unknown>, changes: Record<string, unknown> = {}) {
    const op = await FakeOp.start();
    const rp = op.relyingParty({ responseMode });
    const { url, pending } = await rp.startSignIn();
    const honest = Object.fromEntries(new URL(op.authorize(url)).searchParams);
    const claims = { ...honest, iss: op.issuer, aud: 'notes', exp: op.now + 60, ...changes };
    return rp.finishSignIn(`https://rp.example/callback?response=${await op.sign(claims, header)}`, pending);
  }

  test('may have the type JWT, in any case, and no other', async () => {
    for (const typ of ['JWT', 'jwt', undefined]) expect((await answering(without({ typ }))).identity.subject).toBe('sub-1');
    for (const typ of ['logout+jwt', '', 7]) expect((await errorOf(answering({ typ }))).code).toMatch(/^OIDC_JWT/);
  });

  test('must be the only parameter', async () => {
    const op = await FakeOp.start();
    const rp = op.relyingParty({ responseMode });
    const { pending } = await rp.startSignIn();
    for (const query of ['', `state=${pending.state}`, 'response=x&response_mode=y'])
      expect(await errorOf(rp.finishSignIn(`https://rp.example/callback?${query}`, pending))).toMatchObject({
        code: 'OIDC_CALLBACK_MALFORMED',
        check: 'callback.response',
        expected: 'only a signed response',
      });
  });

  test('names a member that is not text when refused', async () => {
    for (const name of ['code', 'state', 'error_description'])
      expect(await errorOf(answering({}, { [name]: 7 }))).toMatchObject({
        code: 'OIDC_CALLBACK_MALFORMED',
        check: `authorization_response.${name}`,
        expected: 'text',
      });
    expect((await errorOf(answering({}, { exp: 1 }))).check).toMatch(/^authorization_response\./);
  });
});

test('refuses null, or a list in a list, as a resource', async () => {
  const rp = (await FakeOp.start()).relyingParty();
  for (const resource of [null, [null], [['https://a.example/']]]) {
    const error = await errorOf(rp.startSignIn({ resource } as never));
    expect(error.code, JSON.stringify(resource)).toBe('OIDC_CONFIG_INVALID');
  }
});
