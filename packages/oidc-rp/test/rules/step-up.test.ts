import { expect, test } from 'vitest';
import { readStepUpChallenge } from '../../src/index.ts';
import { errorOf, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test.each([
  [
    'Bearer error="insufficient_user_authentication", error_description="More", acr_values="gold silver", max_age="5"',
    { acrValues: ['gold', 'silver'], requireAcr: true, maxAgeSeconds: 5 },
  ],
  ['DPoP algs="ES256", error="insufficient_user_authentication", max_age=0', { maxAgeSeconds: 0 }],
  ['Bearer realm="a \\"b\\"", error=insufficient_user_authentication, scope="pay"', { scopes: ['pay'] }],
  ['bearer ERROR="insufficient_user_authentication"', {}],
  // Several challenges, in one header or in several, which fetch and Node join with commas (RFC 9110 §11.6.1).
  [
    'DPoP algs="ES256", error="insufficient_user_authentication", acr_values="gold", Bearer error="invalid_token", scope="read"',
    { acrValues: ['gold'], requireAcr: true },
  ],
  [
    'Bearer error="invalid_token", max_age=1, DPoP error="insufficient_user_authentication", acr_values="gold"',
    { acrValues: ['gold'], requireAcr: true },
  ],
  ['Bearer error="insufficient_user_authentication", max_age=5, DPoP algs="ES256"', { maxAgeSeconds: 5 }],
  ['Basic YWxpY2U6eA==, Bearer error="insufficient_user_authentication"', {}],
  ['Negotiate, ,Basic realm="a, Bearer b=c",Bearer error=insufficient_user_authentication , max_age = "5"', { maxAgeSeconds: 5 }],
  ['Bearer realm="x" error="insufficient_user_authentication" max_age=5', { maxAgeSeconds: 5 }],
])('reads the demand for a stronger sign-in: %s', (header, expected) => {
  expect(readStepUpChallenge(header)).toEqual(expected);
});

test.each([
  null,
  undefined,
  '',
  'Basic realm="x"',
  'Bearer',
  'Bearer error="invalid_token"',
  'Bearer error_description="insufficient_user_authentication"',
  'Bearer realm="x", Digest error="insufficient_user_authentication"',
  'Digest error="insufficient_user_authentication", Bearer realm="x"',
  'Digest realm="Bearer, error=insufficient_user_authentication"',
  'Bearer error="insufficient_user_authentication", acr_values="gold',
  'Bearer error="insufficient_user_authentication", @, acr_values="gold"',
  'error="insufficient_user_authentication", Bearer realm="x"',
  `Bearer ${'a'.repeat(9000)}, error="insufficient_user_authentication"`,
])('finds no demand in: %s', header => {
  expect(readStepUpChallenge(header)).toBeUndefined();
});

test('refuses a max_age that is not a number', async () => {
  const wrong = () => readStepUpChallenge('Bearer error="insufficient_user_authentication", max_age="soon"');
  expect(await errorOf(Promise.resolve().then(wrong))).toMatchObject({ code: 'OIDC_STEP_UP', check: 'challenge.max_age' });
});

test('checks the stronger sign-in for what was demanded', async () => {
  const op = await FakeOp.start();
  const request = readStepUpChallenge('Bearer error="insufficient_user_authentication", acr_values="gold", max_age="5"')!;
  op.faults.idTokenClaims = claims => ({ ...claims, acr: 'silver', auth_time: claims.iat });
  expect((await errorOf(signInAt(op, { request }))).code).toBe('OIDC_CLAIM_ACR');
  op.faults.idTokenClaims = claims => ({ ...claims, acr: 'gold', auth_time: Number(claims.iat) - 6 });
  expect((await errorOf(signInAt(op, { request }))).code).toBe('OIDC_CLAIM_AUTH_TIME');
  op.faults.idTokenClaims = claims => ({ ...claims, acr: 'gold', auth_time: claims.iat });
  expect((await signInAt(op, { request })).claims.acr).toBe('gold');
});
