import { CompactEncrypt, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { readIssuerRule } from '../../src/issuer/issuer-rule.ts';
import { checkIssuedAt } from '../../src/tokens/claim-checks.ts';
import type { IdTokenExpectations } from '../../src/tokens/id-token.ts';
import { errorOf, expectRefused } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

// Found by mutation testing: each of these could be lost without another test noticing.

const op = await FakeOp.start();
const rp = op.relyingParty();
const validate = async (claims: Record<string, unknown>, more: Partial<IdTokenExpectations> = {}) =>
  rp.validateIdToken(await op.sign(op.claims(claims)), { nonce: undefined, ...more });

describe('the error for a refused claim', () => {
  const later = op.now + 1;
  test.each([
    [{ iss: 'https://evil.example' }, {}, 'OIDC_CLAIM_ISS', 'iss', 'https://op.example', 'https://evil.example'],
    [{ aud: 'another' }, {}, 'OIDC_CLAIM_AUD', 'aud', 'notes', 'another'],
    [{ azp: 'another' }, {}, 'OIDC_CLAIM_AZP', 'azp', 'notes', 'another'],
    [{ iat: later }, {}, 'OIDC_CLAIM_IAT', 'iat', `not after ${op.now}`, String(later)],
    [{ nbf: later }, {}, 'OIDC_CLAIM_NBF', 'nbf', `not after ${op.now}`, String(later)],
    [{ auth_time: later }, {}, 'OIDC_CLAIM_AUTH_TIME', 'auth_time', `not after ${op.now}`, String(later)],
    [{ auth_time: op.now - 6 }, { maxAgeSeconds: 5 }, 'OIDC_CLAIM_AUTH_TIME', 'auth_time', 'at most 5 s ago', String(op.now - 6)],
    [{ acr: 7 }, {}, 'OIDC_CLAIM_ACR', 'acr', 'text', '7'],
    [{ acr: 'low' }, { acrValues: ['high', 'gold'] }, 'OIDC_CLAIM_ACR', 'acr', 'high, gold', 'low'],
    [{ nonce: 'x' }, { nonce: { value: 'y', when: 'always' } }, 'OIDC_CLAIM_NONCE', 'nonce', undefined, undefined],
    [{ at_hash: 'x' }, { accessToken: 'y' }, 'OIDC_CLAIM_AT_HASH', 'at_hash', undefined, undefined],
    [{ c_hash: 'x' }, { code: 'y' }, 'OIDC_CLAIM_C_HASH', 'c_hash', undefined, undefined],
  ] as const)('%j with %j: %s', async (claims, expectations, code, claim, expected, received) => {
    const error = await errorOf(validate(claims, expectations as Partial<IdTokenExpectations>));
    expect(error).toMatchObject({ code, check: `id_token.${claim}` });
    expect([error.expected, error.received]).toEqual([expected, received]);
  });

  test('names a claim that is too old', () => {
    const context = { subject: 'logout_token', claims: { iat: 100 }, now: 111, toleranceSeconds: 1 };
    expect(checkIssuedAt({ ...context, now: 106 }, 5)).toBe(100);
    expect(() => checkIssuedAt(context, 5)).toThrow(
      expect.objectContaining({ code: 'OIDC_CLAIM_IAT', check: 'logout_token.iat', expected: 'at most 5 s ago' }),
    );
  });
});

test('refuses a wrong nonce even if it is optional', async () => {
  const nonce = { value: 'sent', when: 'if-present' } as const;
  expect((await validate({}, { nonce })).sub).toBe('sub-1');
  expect((await validate({ nonce: 'sent' }, { nonce })).sub).toBe('sub-1');
  expect((await errorOf(validate({ nonce: 'another' }, { nonce }))).code).toBe('OIDC_CLAIM_NONCE');
  expect((await errorOf(validate({}, { nonce: { ...nonce, when: 'always' } }))).code).toBe('OIDC_CLAIM_NONCE');
});

test('ignores hashes of tokens that were not given', async () => {
  expect((await validate({ at_hash: 'x', c_hash: 'x' })).at_hash).toBe('x');
});

test('refuses a token response without an ID Token', async () => {
  const error = await expectRefused('OIDC_ID_TOKEN_MISSING', { token: ({ id_token: _, ...rest }) => rest });
  expect(error.check).toBe('token.id_token');
});

test('decrypts an encrypted token and refuses one that is only signed', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES');
  const keys = [{ key: privateKey }];
  const strict = op.relyingParty({ idTokenDecryption: { algorithm: 'ECDH-ES', encryption: 'A256GCM', keys } });
  const signed = await op.sign(op.claims());
  const sealed = await new CompactEncrypt(new TextEncoder().encode(signed))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
    .encrypt(publicKey);
  expect((await strict.validateIdToken(sealed, { nonce: undefined })).sub).toBe('sub-1');
  expect((await errorOf(strict.validateIdToken(signed, { nonce: undefined }))).code).toBe('OIDC_JWE_REQUIRED');
});

describe('the rule of many tenants', () => {
  const host = 'https://login.microsoftonline.com';
  const tenant = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
  const rule = readIssuerRule(`${host}/common/v2.0`, 'any');

  test('reads the tenant only from an issuer with the same host and version', () => {
    expect(rule.acceptsBare(`${host}/${tenant}/v2.0`)).toBe(true);
    const elsewhere = [
      `https://login.microsoftonline.net/${tenant}/v2.0`,
      `${host}/${tenant}/v1.0`,
      `https://evil.example/${tenant}/v2.0`,
      `${host}/${tenant}`,
      tenant,
      '',
      7,
      undefined,
      [`${host}/${tenant}/v2.0`],
    ];
    for (const wrong of [...elsewhere, `${host}/x${tenant}/v2.0`, `${host}/${tenant}x/v2.0`]) {
      expect(rule.acceptsBare(wrong), String(wrong)).toBe(false);
    }
    for (const wrong of elsewhere) expect(rule.acceptsKey(`${host}/{tenantid}/v2.0`, wrong), String(wrong)).toBe(false);
    expect(rule.acceptsKey(`${host}/{tenantid}/v2.0`, `${host}/${tenant}/v2.0`)).toBe(true);
    expect(rule.documentIssuer).toBe(`${host}/{tenantid}/v2.0`);
  });

  test('applies only to addresses with tenants', () => {
    for (const issuer of ['https://op.example', `${host}/${tenant}/v2.0`, `${host}/common`, `x${host}/common/v2.0`]) {
      expect(() => readIssuerRule(issuer, 'any'), issuer).toThrow(
        expect.objectContaining({
          code: 'OIDC_CONFIG_INVALID',
          check: 'options.entraTenants',
          expected: 'an issuer that ends in /common/v2.0 or /organizations/v2.0',
          received: issuer,
        }),
      );
    }
  });
});
