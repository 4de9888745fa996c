import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import type { DpopSetting } from '../../src/index.ts';
import { errorOf, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const dpop: DpopSetting = { algorithm: 'ES256', ...(await generateKeyPair('ES256')) };
const jkt = await calculateJwkThumbprint(await exportJWK(dpop.publicKey));
const bound = (response: Record<string, unknown>) => ({ ...response, token_type: 'DPoP' });

async function binding() {
  const op = await FakeOp.start();
  op.faults.token = bound;
  return { op, rp: op.relyingParty({ dpop }) };
}

const proofsOf = (op: FakeOp, ending: string) =>
  op.requests.flatMap((request, at) => (request.endsWith(ending) ? [op.headers[at]!.get('dpop')!] : []));

test('sends a new proof with each token request and binds the code to the key', async () => {
  const { op, rp } = await binding();
  const { url, pending } = await rp.startSignIn();
  expect(url.searchParams.get('dpop_jkt')).toBe(jkt);
  const signIn = await rp.finishSignIn(op.authorize(url), pending);
  expect(signIn.tokens.tokenType).toBe('DPoP');
  await rp.refresh(signIn);
  const proofs = proofsOf(op, '/token');
  for (const proof of proofs) {
    const { payload, protectedHeader } = await jwtVerify(proof, dpop.publicKey, {
      typ: 'dpop+jwt',
      currentDate: new Date(op.nowMs),
    });
    expect(protectedHeader.alg).toBe('ES256');
    expect(await calculateJwkThumbprint(protectedHeader.jwk!)).toBe(jkt);
    expect(Object.keys(protectedHeader.jwk!).sort()).toEqual(['crv', 'kty', 'x', 'y']);
    expect(payload).toMatchObject({ htm: 'POST', htu: `${op.issuer}/token`, iat: Math.floor(op.now) });
    expect('ath' in payload).toBe(false);
  }
  expect(new Set(proofs.map(proof => decodeJwt(proof).jti)).size).toBe(2);
});

test('sends an access token with the DPoP scheme and a proof that names it', async () => {
  const { op, rp } = await binding();
  const signIn = await signInAt(op, {}, rp);
  await rp.fetchUserInfo(signIn);
  const headers = op.headers.at(-1)!;
  expect(headers.get('authorization')).toBe(`DPoP ${signIn.tokens.accessToken}`);
  const { createHash } = await import('node:crypto');
  const ath = createHash('sha256').update(signIn.tokens.accessToken).digest('base64url');
  expect(decodeJwt(headers.get('dpop')!)).toMatchObject({ htm: 'GET', htu: `${op.issuer}/userinfo`, ath });
});

test.each(['Bearer', 'bearer', 'N_A', undefined])('refuses a token of type %s in place of one bound to the key', async type => {
  const { op, rp } = await binding();
  op.faults.token = response => ({ ...response, token_type: type });
  expect((await errorOf(signInAt(op, {}, rp))).code).toBe('OIDC_TOKEN_TYPE');
});

test('repeats a request once with the nonce of the server, and remembers it for its origin', async () => {
  const { op, rp } = await binding();
  const wanted = 'nonce-1';
  let asked = 0;
  op.faults.token = response => {
    asked += 1;
    const nonce = decodeJwt(op.headers.at(-1)!.get('dpop')!).nonce;
    if (nonce === wanted) return bound(response);
    return Response.json({ error: 'use_dpop_nonce' }, { status: 400, headers: { 'dpop-nonce': wanted } });
  };
  op.faults.userInfo = claims => {
    const nonce = decodeJwt(op.headers.at(-1)!.get('dpop')!).nonce;
    return nonce === 'nonce-2' ? claims : new Response('', { status: 401, headers: { 'dpop-nonce': 'nonce-2' } });
  };
  const { url, pending } = await rp.startSignIn();
  // The code was taken by the first try at this provider: what is looked at here is the second request.
  await errorOf(rp.finishSignIn(op.authorize(url), pending));
  expect(asked).toBe(1);
  expect(proofsOf(op, '/token').map(proof => decodeJwt(proof).nonce)).toEqual([undefined, wanted]);
  const signIn = await signInAt(op, {}, rp);
  expect(asked).toBe(2);
  expect((await rp.fetchUserInfo(signIn)).sub).toBe('sub-1');
});

test('repeats each of several requests at once that learn the same nonce', async () => {
  const { op, rp } = await binding();
  const nonceOf = (headers: Headers) => decodeJwt(headers.get('dpop')!).nonce;
  const refusal = (status: number) =>
    Response.json({ error: 'use_dpop_nonce' }, { status, headers: { 'dpop-nonce': 'of this minute' } });
  op.more['/token'] = (_body, headers) =>
    nonceOf(headers) === undefined ? refusal(400) : { access_token: 'at', token_type: 'DPoP' };
  op.more['/userinfo'] = (_body, headers) => (nonceOf(headers) === undefined ? refusal(401) : { sub: op.subject });
  const both = await Promise.all([rp.requestClientCredentials(), rp.requestClientCredentials()]);
  expect(both.map(tokens => tokens.accessToken)).toEqual(['at', 'at']);
  const other = op.relyingParty({ dpop });
  const signIn = { identity: { issuer: op.issuer, subject: op.subject }, tokens: { accessToken: 'at' } };
  expect(await Promise.all([other.fetchUserInfo(signIn), other.fetchUserInfo(signIn)])).toEqual([
    { sub: op.subject },
    { sub: op.subject },
  ]);
});

test('stops after one repeat if the server keeps asking for a nonce', async () => {
  const { op, rp } = await binding();
  let asked = 0;
  op.more['/token'] = () => {
    asked += 1;
    return Response.json({ error: 'use_dpop_nonce' }, { status: 400, headers: { 'dpop-nonce': `nonce-${asked}` } });
  };
  const error = await errorOf(signInAt(op, {}, rp));
  expect([error.code, error.providerError, asked]).toEqual(['OIDC_TOKEN_ERROR', 'use_dpop_nonce', 2]);
});

test('uses the nonce of the second answer for the next request (RFC 9449 §8.2)', async () => {
  const { op, rp } = await binding();
  op.faults.userInfo = claims => {
    if (decodeJwt(op.headers.at(-1)!.get('dpop')!).nonce === undefined)
      return new Response('', { status: 401, headers: { 'dpop-nonce': 'one' } });
    return Response.json(claims, { headers: { 'dpop-nonce': 'two' } });
  };
  const signIn = await signInAt(op, {}, rp);
  for (let turn = 0; turn < 2; turn += 1) await rp.fetchUserInfo(signIn);
  expect(proofsOf(op, '/userinfo').map(proof => decodeJwt(proof).nonce)).toEqual([undefined, 'one', 'two']);
});

test('creates a proof for your own API', async () => {
  const { op, rp } = await binding();
  const url = new URL('https://api.example/orders?page=2#x');
  const proof = await rp.createDpopProof({ method: 'PUT', url, accessToken: 'at', nonce: 'n' });
  expect(decodeJwt(proof)).toMatchObject({ htm: 'PUT', htu: 'https://api.example/orders', nonce: 'n' });
  expect(decodeProtectedHeader(proof).typ).toBe('dpop+jwt');
  expect(() => op.relyingParty().createDpopProof({ method: 'GET', url, accessToken: 'at' })).toThrow(
    expect.objectContaining({ check: 'options.dpop' }),
  );
});

test('refuses a public key that cannot be put into a proof at the start', async () => {
  const op = await FakeOp.start();
  const jwk = await exportJWK(dpop.publicKey);
  const curve = { name: 'ECDSA', namedCurve: 'P-256' };
  const publicKey = await crypto.subtle.importKey('jwk', jwk as JsonWebKey, curve, false, ['verify']);
  const { publicKey: others } = await generateKeyPair('ES384');
  for (const wrong of [publicKey, others, dpop.privateKey])
    expect(() => op.relyingParty({ dpop: { ...dpop, publicKey: wrong } })).toThrow(
      expect.objectContaining({ code: 'OIDC_CONFIG_INVALID', check: 'options.dpop.publicKey' }),
    );
});
