import { expect, test } from 'vitest';
import { identityKey } from '../../src/index.ts';
import { signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test('another e-mail address is the same person, the same address at another provider another', async () => {
  const op = await FakeOp.start();
  op.faults.idTokenClaims = claims => ({ ...claims, email: 'old@example.org', email_verified: true });
  const before = await signInAt(op);
  op.faults.idTokenClaims = claims => ({ ...claims, email: 'new@example.org', email_verified: true });
  const after = await signInAt(op);
  expect(identityKey(after.identity)).toBe(identityKey(before.identity));
  const other = await FakeOp.start();
  other.issuer = 'https://other.example';
  other.faults.idTokenClaims = claims => ({ ...claims, email: 'new@example.org', email_verified: true });
  expect(identityKey((await signInAt(other)).identity)).not.toBe(identityKey(after.identity));
});

test('gives every pair a key of its own, whatever it is joined by', () => {
  for (const sign of ['', '"', ',', '","', ' ', ':', '|', '/', '#']) {
    const [one, other] = [
      { issuer: `a${sign}b`, subject: 'c' },
      { issuer: 'a', subject: `b${sign}c` },
    ];
    expect(identityKey(one), JSON.stringify(sign)).not.toBe(identityKey(other));
  }
});

test('keeps claims that are not standard, without assuming their types', async () => {
  const op = await FakeOp.start();
  op.faults.idTokenClaims = claims => ({ ...claims, department: 'paper', email_verified: 'true', address: { locality: 'Bern' } });
  const { claims } = await signInAt(op);
  expect(claims).toMatchObject({ department: 'paper', address: { locality: 'Bern' } });
  expect(claims.email_verified === true).toBe(false);
});
