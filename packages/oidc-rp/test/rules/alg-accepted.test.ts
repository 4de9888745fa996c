import { expect, test } from 'vitest';
import { signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { forgeHmac } from '../support/forge.ts';

test.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const)(
  'accepts %s if it is registered',
  async alg => {
    const op = await FakeOp.start(alg);
    op.faults.idTokenClaims = ({ at_hash: _, ...claims }) => claims;
    expect((await signInAt(op, { options: { idTokenAlgorithms: [alg] } })).identity.subject).toBe('sub-1');
  },
);

test('accepts HS256 with the client secret if it alone is registered, without fetching keys', async () => {
  const op = await FakeOp.start();
  op.faults.idToken = ({ claims }) => forgeHmac({ alg: 'HS256' }, claims, new TextEncoder().encode(op.secret));
  expect((await signInAt(op, { options: { idTokenAlgorithms: ['HS256'] } })).identity.subject).toBe('sub-1');
  expect(op.asked('/jwks')).toBe(0);
});
