import { expect, test } from 'vitest';
import { expectRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const request = { acrValues: ['gold', 'silver'], requireAcr: true };
const honest = { idTokenClaims: (claims: Record<string, unknown>) => ({ ...claims, acr: 'silver' }) };

test.each([[undefined], ['bronze'], [['gold']]])('the context %j does not reach what the sign-in requires', async acr => {
  await expectRefused(
    'OIDC_CLAIM_ACR',
    { idTokenClaims: claims => (acr === undefined ? claims : { ...claims, acr }) },
    { request },
    honest,
  );
});

test('a wish is not a requirement', async () => {
  const op = await FakeOp.start();
  expect((await signInAt(op, { request: { acrValues: ['gold'] } })).claims.acr).toBeUndefined();
});
