import { expect, test } from 'vitest';
import { expectRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test('at the very second of its expiry a token is expired', async () => {
  await expectRefused('OIDC_TOKEN_EXPIRED', { idTokenClaims: claims => ({ ...claims, exp: claims.iat }) });
});

test('a configured tolerance covers so many seconds and not one more', async () => {
  const op = await FakeOp.start();
  op.faults.idTokenClaims = claims => ({ ...claims, exp: Number(claims.iat) - 29 });
  expect((await signInAt(op, { options: { clockToleranceSeconds: 30 } })).identity.subject).toBe('sub-1');
  await expectRefused(
    'OIDC_TOKEN_EXPIRED',
    { idTokenClaims: claims => ({ ...claims, exp: Number(claims.iat) - 30 }) },
    { options: { clockToleranceSeconds: 30 } },
  );
});
