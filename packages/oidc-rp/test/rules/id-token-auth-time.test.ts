import { expect, test } from 'vitest';
import { expectRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const request = { maxAgeSeconds: 60 };
const authenticated = (ago: unknown) => ({ idTokenClaims: (claims: Record<string, unknown>) => ({ ...claims, auth_time: ago }) });
const honest = { idTokenClaims: (claims: Record<string, unknown>) => ({ ...claims, auth_time: Number(claims.iat) - 60 }) };

test('a time of authentication is required when an age was asked for', async () => {
  await expectRefused('OIDC_CLAIM_AUTH_TIME', { idTokenClaims: claims => claims }, { request }, honest);
});

test('an authentication that is too long ago is refused', async () => {
  await expectRefused(
    'OIDC_CLAIM_AUTH_TIME',
    { idTokenClaims: claims => ({ ...claims, auth_time: Number(claims.iat) - 61 }) },
    { request },
    honest,
  );
});

test('an authentication in the future or at no time is refused, asked for or not', async () => {
  await expectRefused('OIDC_CLAIM_AUTH_TIME', { idTokenClaims: claims => ({ ...claims, auth_time: Number(claims.iat) + 1 }) });
  await expectRefused('OIDC_CLAIM_AUTH_TIME', authenticated('yesterday'));
});

test('max_age 0 asks for an authentication now', async () => {
  const op = await FakeOp.start();
  op.faults.idTokenClaims = claims => ({ ...claims, auth_time: claims.iat });
  expect((await signInAt(op, { request: { maxAgeSeconds: 0 } })).claims.auth_time).toBe(op.now);
});
