import { expect, test } from 'vitest';
import { errorOf, signInAt } from '../support/expect-refused.ts';
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

test.each([
  ['that was just used is revoked with the one that replaced it', (claims: Record<string, unknown>) => claims, 'ok'],
  [
    'whose answer was refused, too: nobody else knows the new one',
    (claims: Record<string, unknown>) => ({ ...claims, sub: 'sub-2' }),
    'OIDC_REFRESH_IDENTITY',
  ],
])('a refresh token %s', async (_name, change, outcome) => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  op.faults.idTokenClaims = change;
  const refreshed = await rp.refresh(signIn).then(
    () => 'ok',
    error => error.code,
  );
  expect(refreshed).toBe(outcome);
  const before = signIn.tokens.refreshToken!;
  await rp.revoke(before, 'refresh_token');
  const revoked = op.bodies.flatMap(body => body.get('token') ?? []);
  expect(revoked).toEqual([expect.not.stringContaining(before), before]);
  await rp.revoke(before, 'refresh_token');
  expect(op.bodies.flatMap(body => body.get('token') ?? []).slice(2)).toEqual([before]);
});
