import { expect, test } from 'vitest';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test('revokes a token with an authenticated request', async () => {
  const op = await FakeOp.start();
  await op.relyingParty().revoke('rt-1', 'refresh_token');
  expect(op.requests.at(-1)).toBe(`POST ${op.issuer}/revoke`);
  expect(Object.fromEntries(op.bodies.at(-1)!)).toEqual({ token: 'rt-1', token_type_hint: 'refresh_token', client_id: 'notes' });
  expect(op.headers.at(-1)!.get('authorization')).toMatch(/^Basic /);
});

test('a provider without the endpoint is told apart', async () => {
  const op = await FakeOp.start();
  op.faults.metadata = ({ revocation_endpoint: _, ...document }) => document;
  expect((await errorOf(op.relyingParty().revoke('rt-1', 'refresh_token'))).code).toBe('OIDC_ENDPOINT_MISSING');
});
