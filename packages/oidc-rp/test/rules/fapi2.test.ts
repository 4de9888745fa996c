import { generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import type { DpopSetting, RelyingPartyOptions } from '../../src/index.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

// FAPI 2.0 Security Profile, Final, what it asks of clients; the same lines stand in docs/oidc/fapi2.md.
const { privateKey: key } = await generateKeyPair('ES256');
const dpop: DpopSetting = { algorithm: 'ES256', ...(await generateKeyPair('ES256')) };
const clientAuthentication = { method: 'private_key_jwt', algorithm: 'ES256', key } as const;
const reference = 'urn:ietf:params:oauth:request_uri:abc';

async function bank(changes: Partial<RelyingPartyOptions> = {}) {
  const op = await FakeOp.start('ES256');
  const pushed: URLSearchParams[] = [];
  op.faults.metadata = document => ({ ...document, pushed_authorization_request_endpoint: `${op.issuer}/par` });
  op.faults.token = response => ({ ...response, token_type: 'DPoP' });
  op.more['/par'] = body => {
    pushed.push(body);
    return Response.json({ request_uri: reference, expires_in: 60 }, { status: 201 });
  };
  const options = { securityProfile: 'fapi2', clientAuthentication, dpop, idTokenAlgorithms: ['ES256'], ...changes } as const;
  const rp = () => op.relyingParty(options);
  /** The person signs in; the provider knows the parameters from the pushed request alone. */
  const signIn = async (change: (parameters: URLSearchParams) => void = () => undefined) => {
    const party = rp();
    const { url, pending } = await party.startSignIn();
    const address = new URL(op.authorize(new URL(`${url.origin}${url.pathname}?${pushed.at(-1)}`)));
    change(address.searchParams);
    return { url, signIn: party.finishSignIn(address.href, pending), party };
  };
  return { op, pushed, rp, signIn };
}

const refusedAt = (check: string) => expect.objectContaining({ code: 'OIDC_CONFIG_INVALID', check });

describe('general requirements for clients', () => {
  test('binds access tokens to the client by DPoP', async () => {
    const { rp } = await bank({ dpop: undefined });
    expect(rp).toThrow(refusedAt('options.dpop'));
    const { op, signIn } = await bank();
    op.faults.token = response => response;
    expect((await errorOf((await signIn()).signIn)).code).toBe('OIDC_TOKEN_TYPE');
  });

  test.each([
    { method: 'client_secret_basic', secret: 'x' },
    { method: 'client_secret_post', secret: 'x' },
    { method: 'none' },
  ] as const)('the client authenticates with private_key_jwt, not with %j', async other => {
    const { rp } = await bank({ clientAuthentication: other });
    expect(rp).toThrow(refusedAt('options.clientAuthentication.method'));
  });

  test('sends access tokens in the header', async () => {
    const { op, signIn } = await bank();
    const { signIn: done, party } = await signIn();
    await party.fetchUserInfo(await done);
    expect(op.requests.at(-1)).toBe(`GET ${op.issuer}/userinfo`);
    expect(op.headers.at(-1)!.get('authorization')).toMatch(/^DPoP /);
  });

  test('has no open redirector', async () => {
    const { rp } = await bank();
    expect(await errorOf(rp().startSignIn({ returnTo: 'https://evil.example' }))).toMatchObject({ check: 'request.returnTo' });
  });

  test('names only the issuer, as text, as audience of the client assertion', async () => {
    const { op, pushed, signIn } = await bank();
    await (await signIn()).signIn;
    const { decodeJwt } = await import('jose');
    const sent = [pushed[0]!, op.bodies.find(body => body.has('code'))!].map(body => decodeJwt(body.get('client_assertion')!));
    expect(sent.map(({ aud }) => aud)).toEqual([op.issuer, op.issuer]);
    expect(sent[0]!.jti).not.toBe(sent[1]!.jti);
    const elsewhere = await bank({ clientAuthentication: { ...clientAuthentication, audience: `${op.issuer}/token` } });
    expect(elsewhere.rp).toThrow(refusedAt('options.clientAuthentication.audience'));
  });

  test('supports refresh tokens and their rotation', async () => {
    const { signIn } = await bank();
    const { signIn: done, party } = await signIn();
    const before = await done;
    const after = await party.refresh(before);
    expect(after.tokens.refreshToken).not.toBe(before.tokens.refreshToken);
  });

  test('uses the nonce that the server wants in DPoP proofs', async () => {
    const { op, rp } = await bank();
    const { decodeJwt } = await import('jose');
    const nonces: unknown[] = [];
    op.more['/par'] = (_body, headers) => {
      const { nonce } = decodeJwt(headers.get('dpop')!);
      nonces.push(nonce);
      if (nonce === 'n1') return Response.json({ request_uri: reference }, { status: 201 });
      return Response.json({ error: 'use_dpop_nonce' }, { status: 400, headers: { 'dpop-nonce': 'n1' } });
    };
    await rp().startSignIn();
    expect(nonces).toEqual([undefined, 'n1']);
  });

  test('takes endpoints only from the metadata of the configured issuer, over https', async () => {
    const { op, rp } = await bank();
    op.faults.metadata = document => ({ ...document, issuer: 'https://evil.example' });
    expect((await errorOf(rp().metadata())).code).toBe('OIDC_DISCOVERY_ISSUER');
    const open = await bank({ issuer: 'http://op.example' });
    expect(open.rp).toThrow(refusedAt('options.issuer'));
  });
});

describe('the authorization code flow', () => {
  test('pushes a code flow request with PKCE S256; the address has only client and reference', async () => {
    const { pushed, signIn } = await bank();
    const { url, signIn: done } = await signIn();
    expect(Object.fromEntries(url.searchParams)).toEqual({ client_id: 'notes', request_uri: reference });
    expect(Object.fromEntries(pushed[0]!)).toMatchObject({ response_type: 'code', code_challenge_method: 'S256' });
    expect(pushed[0]!.get('nonce')!.length).toBeLessThanOrEqual(64);
    expect((await done).identity.subject).toBe('sub-1');
  });

  test('uses a new challenge for each request, bound to the browser that started it', async () => {
    const { pushed, rp } = await bank();
    const party = rp();
    const [one, two] = [await party.startSignIn(), await party.startSignIn()];
    expect(pushed[0]!.get('code_challenge')).not.toBe(pushed[1]!.get('code_challenge'));
    const address = `https://rp.example/callback?code=x&state=${one.pending.state}&iss=https://op.example`;
    expect((await errorOf(party.finishSignIn(address, two.pending))).code).toBe('OIDC_CALLBACK_STATE');
  });

  test.each([
    ['another', (parameters: URLSearchParams) => parameters.set('iss', 'https://evil.example')],
    ['none, although the metadata does not promise one', (parameters: URLSearchParams) => parameters.delete('iss')],
  ])('refuses an answer that names as issuer: %s', async (_which, change) => {
    const { op, signIn } = await bank();
    const { metadata } = op.faults;
    op.faults.metadata = document => ({
      ...(metadata!(document) as object),
      authorization_response_iss_parameter_supported: undefined,
    });
    expect((await errorOf((await signIn(change)).signIn)).code).toBe('OIDC_CALLBACK_ISS');
  });

  test('refuses to start a sign-in if the provider takes no pushed requests', async () => {
    const { op, rp } = await bank();
    op.faults.metadata = document => document;
    expect((await errorOf(rp().startSignIn())).code).toBe('OIDC_ENDPOINT_MISSING');
  });
});

describe('cryptography', () => {
  test.each(['RS256', 'PS384', 'ES384'] as const)('refuses %s for ID Tokens, UserInfo and signed responses', async algorithm => {
    expect((await bank({ idTokenAlgorithms: [algorithm] })).rp).toThrow(refusedAt('options.idTokenAlgorithms'));
    expect((await bank({ userInfoAlgorithms: [algorithm] })).rp).toThrow(refusedAt('options.userInfoAlgorithms'));
    const signed = await bank({ responseMode: 'query.jwt', authorizationResponseAlgorithms: [algorithm] });
    expect(signed.rp).toThrow(refusedAt('options.authorizationResponseAlgorithms'));
  });

  test('refuses RS256 for client assertions and DPoP proofs', async () => {
    const rsa = await generateKeyPair('RS256');
    const proof = await bank({ clientAuthentication: { method: 'private_key_jwt', algorithm: 'RS256', key: rsa.privateKey } });
    expect(proof.rp).toThrow(refusedAt('options.clientAuthentication.algorithm'));
    const bound = await bank({ dpop: { algorithm: 'RS256', ...rsa } });
    expect(bound.rp).toThrow(refusedAt('options.dpop.algorithm'));
  });

  test('accepts PS256 and EdDSA', async () => {
    for (const algorithm of ['PS256', 'EdDSA'] as const) {
      const pair = await generateKeyPair(algorithm);
      const { rp } = await bank({
        idTokenAlgorithms: [algorithm],
        userInfoAlgorithms: [algorithm],
        clientAuthentication: { method: 'private_key_jwt', algorithm, key: pair.privateKey },
        dpop: { algorithm, ...pair },
      });
      expect(rp).not.toThrow();
    }
  });
});
