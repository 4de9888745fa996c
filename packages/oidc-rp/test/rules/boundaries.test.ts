import { expect, test } from 'vitest';
import { MemoryReplayStore, OidcError } from '../../src/index.ts';
import { readIssuerRule } from '../../src/issuer/issuer-rule.ts';
import { readPublishedKey } from '../../src/keys/jwk.ts';
import {
  type ClaimContext,
  checkAcr,
  checkAudience,
  checkAuthTime,
  checkExpiry,
  checkIssuedAt,
  checkNotBefore,
  checkSubject,
  readOptionalText,
} from '../../src/tokens/claim-checks.ts';
import { errorOf, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { keptKey } from '../support/forge.ts';

// To the second and to the letter: what mutation testing found nobody looking at.
const now = 1_000_000;
const context = (claims: object, toleranceSeconds = 30): ClaimContext => ({
  subject: 'id_token',
  claims: { ...claims },
  now,
  toleranceSeconds,
});

function accepts(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(OidcError);
    return false;
  }
}

test.each([
  ['exp, a second before the tolerance ends', () => checkExpiry(context({ exp: now - 29 })), true],
  ['exp, as the tolerance ends', () => checkExpiry(context({ exp: now - 30 })), false],
  ['iat, as far ahead as the clocks may differ', () => checkIssuedAt(context({ iat: now + 30 })), true],
  ['iat, a second further', () => checkIssuedAt(context({ iat: now + 31 })), false],
  ['iat, as old as it may be', () => checkIssuedAt(context({ iat: now - 210 }), 180), true],
  ['iat, a second older', () => checkIssuedAt(context({ iat: now - 211 }), 180), false],
  ['iat of long ago, where no age is asked for', () => checkIssuedAt(context({ iat: 1 })), true],
  ['nbf, as far ahead as the clocks may differ', () => checkNotBefore(context({ nbf: now + 30 })), true],
  ['nbf, a second further', () => checkNotBefore(context({ nbf: now + 31 })), false],
  ['auth_time, as far ahead as the clocks may differ', () => checkAuthTime(context({ auth_time: now + 30 }), undefined), true],
  ['auth_time, a second further', () => checkAuthTime(context({ auth_time: now + 31 }), undefined), false],
  ['auth_time, as old as it may be', () => checkAuthTime(context({ auth_time: now - 90 }), 60, now), true],
  ['auth_time, a second older', () => checkAuthTime(context({ auth_time: now - 91 }), 60, now), false],
  ['auth_time, measured from the start', () => checkAuthTime(context({ auth_time: now - 590 }), 60, now - 500), true],
  ['auth_time of long ago, where no age is asked for', () => checkAuthTime(context({ auth_time: 1 }), undefined), true],
  ['a time of zero', () => checkNotBefore(context({ nbf: 0 })), true],
  ['a time as text', () => checkNotBefore(context({ nbf: '0' })), false],
  ['a subject of 255 characters', () => checkSubject(context({ sub: 'a'.repeat(255) })), true],
  ['a subject of 256 characters', () => checkSubject(context({ sub: 'a'.repeat(256) })), false],
  ['an audience that is us alone, as a list', () => checkAudience(context({ aud: ['notes'] }), 'notes'), true],
  ['the same audience twice', () => checkAudience(context({ aud: ['notes', 'notes'] }), 'notes'), true],
  ['two audiences without azp', () => checkAudience(context({ aud: ['notes', 'other'] }), 'notes'), false],
  ['two audiences with azp', () => checkAudience(context({ aud: ['notes', 'other'], azp: 'notes' }), 'notes'), true],
  ['another azp', () => checkAudience(context({ aud: 'notes', azp: 'other' }), 'notes'), false],
  ['an audience of which one is no text', () => checkAudience(context({ aud: ['notes', 7], azp: 'notes' }), 'notes'), false],
  ['an acr that is no text, though none is asked for', () => checkAcr(context({ acr: 1 }), undefined), false],
  ['no acr, where one is asked for', () => checkAcr(context({}), ['gold']), false],
  ['no acr, where none is asked for', () => checkAcr(context({}), undefined), true],
  ['a sid of 1024 characters', () => readOptionalText(context({ sid: 's'.repeat(1024) }), 'sid', 'OIDC_CLAIM_SID'), true],
  ['a sid of 1025 characters', () => readOptionalText(context({ sid: 's'.repeat(1025) }), 'sid', 'OIDC_CLAIM_SID'), false],
  ['an empty sid', () => readOptionalText(context({ sid: '' }), 'sid', 'OIDC_CLAIM_SID'), false],
])('%s', (_what, check, verdict) => {
  expect(accepts(check)).toBe(verdict);
});

test('names the claim, the expected and the received value in an error', () => {
  const error = (check: () => unknown) => {
    try {
      check();
    } catch (thrown) {
      return thrown as OidcError;
    }
    throw new Error('it was accepted');
  };
  expect(error(() => checkSubject(context({ sub: 'ü'.repeat(3) })))).toMatchObject({
    check: 'id_token.sub',
    expected: '1 to 255 ASCII characters',
    received: '3 characters',
  });
  expect(error(() => checkExpiry(context({ exp: 5 })))).toMatchObject({
    check: 'id_token.exp',
    expected: `later than ${now}`,
    received: '5',
  });
  expect(error(() => checkIssuedAt(context({ iat: 5 }), 60))).toMatchObject({
    check: 'id_token.iat',
    expected: 'at most 60 s ago',
  });
  expect(error(() => checkAcr(context({ acr: 'tin' }), ['gold', 'silver']))).toMatchObject({
    expected: 'gold, silver',
    received: 'tin',
  });
});

test('the rule of one issuer knows no other, in tokens and in messages without a tenant', () => {
  const rule = readIssuerRule('https://op.example', undefined);
  expect([rule.documentIssuer, rule.accepts('https://op.example', 'x'), rule.acceptsBare('https://op.example')]).toEqual([
    'https://op.example',
    true,
    true,
  ]);
  expect([
    rule.accepts('https://op.example/', undefined),
    rule.acceptsBare('https://op.example/'),
    rule.acceptsBare(undefined),
  ]).toEqual([false, false, false]);
  expect(rule.acceptsKey('anything', 'https://op.example')).toBe(true);
});

test.each(['https://login.example/tenant/v2.0', 'https://login.example/common/v1.0', 'https://login.example/common/v2.0/'])(
  'the rule of tenants is for the common addresses, not for %s',
  issuer => {
    expect(() => readIssuerRule(issuer, 'any')).toThrow(expect.objectContaining({ check: 'options.entraTenants' }));
  },
);

test('refuses a sign-in that was started at another provider, even with the right state', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn();
  const error = await errorOf(rp.finishSignIn(op.authorize(url), { ...pending, issuer: 'https://two.example' }));
  expect([error.code, error.check]).toEqual(['OIDC_CALLBACK_ISS', 'pending.issuer']);
});

test('accepts a code of 4,096 characters and refuses one of 4,097', async () => {
  for (const [length, code] of [
    [4096, 'OIDC_TOKEN_ERROR'],
    [4097, 'OIDC_CALLBACK_CODE'],
  ] as const) {
    const op = await FakeOp.start();
    op.faults.callback = parameters => parameters.set('code', 'c'.repeat(length));
    expect((await errorOf(signInAt(op))).code).toBe(code);
  }
});

test('lets a claim expire at its exact time', () => {
  let time = 0;
  const store = new MemoryReplayStore({ now: () => new Date(time) });
  expect(store.claim('a', new Date(1_000))).toBe(true);
  time = 999;
  expect(store.claim('a', new Date(2_000))).toBe(false);
  time = 1_000;
  expect(store.claim('a', new Date(2_000))).toBe(true);
  store.release('a');
  expect(store.claim('a', new Date(2_000))).toBe(true);
});

test('gives the one reason why a published key is unusable', async () => {
  const rsa = (await keptKey('first')).publicJwk;
  const ec = (await keptKey('curve', 'ES256')).publicJwk;
  const ed = (await keptKey('edwards', 'EdDSA')).publicJwk;
  const faultOf = (jwk: object) => readPublishedKey(jwk).fault;
  for (const honest of [rsa, ec, ed, { ...rsa, use: undefined, alg: undefined, kid: undefined }, { ...rsa, key_ops: ['verify'] }])
    expect(faultOf(JSON.parse(JSON.stringify(honest)))).toBeUndefined();
  const e = (bytes: number[]) => Buffer.from(bytes).toString('base64url');
  const faults: [object, string][] = [
    [{ ...rsa, kid: 7 }, 'kid is not text'],
    [{ ...rsa, alg: 7 }, 'alg is not text'],
    [{ ...rsa, use: 'enc' }, 'use is not "sig"'],
    [{ ...rsa, key_ops: ['sign'] }, 'key_ops lacks "verify"'],
    [{ ...rsa, key_ops: 'verify' }, 'key_ops lacks "verify"'],
    [{ ...rsa, d: 'AQ' }, 'contains secret members'],
    [{ ...rsa, e: e([1, 0, 0]) }, 'exponent is even or smaller than 65537'],
    [{ ...rsa, e: e([1, 0, 2]) }, 'exponent is even or smaller than 65537'],
    [{ ...rsa, e: e([1, 0, 0, 0, 1]) }, 'exponent is longer than 32 bits'],
    [{ ...rsa, e: '' }, 'modulus or exponent is malformed'],
    [{ ...rsa, n: undefined }, 'modulus or exponent is malformed'],
    [{ ...rsa, n: e(Array(256).fill(0)) }, 'modulus is shorter than 2048 bits'],
    [{ ...rsa, n: e([0, ...Array(255).fill(255)]) }, 'modulus is shorter than 2048 bits'],
    [{ ...rsa, n: e([127, ...Array(255).fill(255)]) }, 'modulus is shorter than 2048 bits'],
    [{ ...rsa, n: e(Array(1025).fill(255)) }, 'modulus is longer than 8192 bits'],
    [{ ...ec, y: undefined }, 'coordinates are malformed'],
    [{ ...ec, x: undefined }, 'coordinates are malformed'],
    [{ ...ed, x: undefined }, 'coordinate is malformed'],
    [{ kty: 'oct', x: 'AQ' }, 'kty is not RSA, EC or OKP'],
    [{}, 'kty is not RSA, EC or OKP'],
  ];
  for (const [jwk, fault] of faults) expect(faultOf(jwk), JSON.stringify(jwk).slice(0, 80)).toBe(fault);
  expect(faultOf({ ...rsa, n: e(Array(1024).fill(255)) })).toBeUndefined();
  expect(faultOf({ ...rsa, e: e([0, 1, 0, 1]) })).toBeUndefined();
});

async function posted(request: (state: string) => Request | { method: string; url: string; contentType?: string; body: string }) {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ responseMode: 'form_post', limits: { maxRequestBytes: 1_000 } });
  const { pending } = await rp.startSignIn();
  return errorOf(rp.finishSignIn(request(pending.state), pending));
}

const contentType = 'application/x-www-form-urlencoded';
const padded = (state: string, length: number) => `state=${state}&x=`.padEnd(length, 'a');

test('reads a posted callback up to its limit, to the byte', async () => {
  for (const [length, code] of [
    [1_000, 'OIDC_CALLBACK_ISS'],
    [1_001, 'OIDC_CALLBACK_MALFORMED'],
  ] as const) {
    expect((await posted(state => ({ method: 'POST', url: '/callback', body: padded(state, length) }))).code).toBe(code);
    const body = (state: string) =>
      new Request('https://rp.example/callback', {
        method: 'POST',
        headers: { 'content-type': contentType },
        body: padded(state, length),
      });
    expect((await posted(body)).code).toBe(code);
  }
});

test.each([
  [`${contentType}; charset=utf-8`, 'OIDC_CALLBACK_ISS'],
  [`  ${contentType.toUpperCase()} ; a=b`, 'OIDC_CALLBACK_ISS'],
  [undefined, 'OIDC_CALLBACK_ISS'],
  ['application/json', 'OIDC_CALLBACK_MALFORMED'],
  ['multipart/form-data', 'OIDC_CALLBACK_MALFORMED'],
  ['', 'OIDC_CALLBACK_MALFORMED'],
])('a posted callback of the type %s', async (type, code) => {
  const error = await posted(state => ({
    method: 'POST',
    url: '/callback',
    ...(type === undefined ? {} : { contentType: type }),
    body: `state=${state}`,
  }));
  expect(error.code).toBe(code);
  if (code === 'OIDC_CALLBACK_MALFORMED') expect(error).toMatchObject({ check: 'callback.content_type', expected: contentType });
});

test('refuses a posted callback without a type or with bytes that are not text', async () => {
  const request = (body: Uint8Array<ArrayBuffer>, headers = {}) =>
    new Request('https://rp.example/callback', { method: 'POST', body, headers });
  expect(await posted(() => request(new Uint8Array([0x61])))).toMatchObject({ check: 'callback.content_type', received: 'none' });
  expect(await posted(() => request(new Uint8Array([0x61, 0xff]), { 'content-type': contentType }))).toMatchObject({
    check: 'callback.body',
  });
});

test('reads an address up to its limit', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ limits: { maxRequestBytes: 500 } });
  const { pending } = await rp.startSignIn();
  const outcome = (length: number) => errorOf(rp.finishSignIn('https://rp.example/callback?x='.padEnd(length, 'a'), pending));
  expect([(await outcome(500)).code, (await outcome(501)).code]).toEqual(['OIDC_CALLBACK_STATE', 'OIDC_CALLBACK_MALFORMED']);
});

test('serves a fresh document after an outage, and repeats the failure of one that never came', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  let up = false;
  op.faults.metadata = document => (up ? document : new Response('', { status: 500 }));
  const codes = [];
  for (let at = 0; at < 4; at += 1) codes.push((await errorOf(rp.metadata())).code);
  expect([new Set(codes), op.asked('/openid-configuration')]).toEqual([new Set(['OIDC_HTTP_STATUS']), 2]);
  up = true;
  op.advance(5);
  expect((await rp.metadata()).issuer).toBe(op.issuer);
  op.advance(2_879);
  await rp.metadata();
  expect(op.asked('/openid-configuration')).toBe(3);
});
