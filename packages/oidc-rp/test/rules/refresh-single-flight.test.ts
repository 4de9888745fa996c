import { expect, test } from 'vitest';
import { signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test('ten refreshes at once with one refresh token are one request with one result', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  const results = await Promise.all(Array.from({ length: 10 }, () => rp.refresh(signIn)));
  expect(op.asked('/token')).toBe(2);
  expect(new Set(results.map(result => result.tokens.refreshToken)).size).toBe(1);
});

test('a tab that comes a moment later with the old refresh token gets the same result: no false alarm of theft', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  const first = await rp.refresh(signIn);
  op.advance(9);
  expect((await rp.refresh(signIn)).tokens).toEqual(first.tokens);
  expect(op.asked('/token')).toBe(2);
  op.advance(2);
  await rp.refresh(signIn);
  expect(op.asked('/token')).toBe(3);
});

test('different sessions refresh side by side', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const sessions = [await signInAt(op, {}, rp), await signInAt(op, {}, rp)];
  await Promise.all(sessions.map(session => rp.refresh(session)));
  expect(op.asked('/token')).toBe(4);
});

test('what a refresh token brought is forgotten when it is revoked', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  await rp.refresh(signIn);
  await rp.revoke(signIn.tokens.refreshToken!, 'refresh_token');
  op.faults.token = () => Response.json({ error: 'invalid_grant' }, { status: 400 });
  await expect(rp.refresh(signIn)).rejects.toMatchObject({ code: 'OIDC_REFRESH_REFUSED' });
});
