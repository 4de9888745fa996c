import { expect, test } from 'vitest';
import { signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test('sends one request for ten refreshes at once', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  const results = await Promise.all(Array.from({ length: 10 }, () => rp.refresh(signIn)));
  expect(op.asked('/token')).toBe(2);
  expect(new Set(results.map(result => result.tokens.refreshToken)).size).toBe(1);
});

test('gives a tab with the old refresh token the same result a moment later', async () => {
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

test('refreshes different sessions at the same time', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const sessions = [await signInAt(op, {}, rp), await signInAt(op, {}, rp)];
  await Promise.all(sessions.map(session => rp.refresh(session)));
  expect(op.asked('/token')).toBe(4);
});

test('forgets the result of a refresh token when it is revoked', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  await rp.refresh(signIn);
  await rp.revoke(signIn.tokens.refreshToken!, 'refresh_token');
  op.faults.token = () => Response.json({ error: 'invalid_grant' }, { status: 400 });
  await expect(rp.refresh(signIn)).rejects.toMatchObject({ code: 'OIDC_REFRESH_REFUSED' });
});

/** A provider that accepts each refresh token once and treats a second use as theft (RFC 9700 §4.14.2). */
async function strict() {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  const used: string[] = [];
  op.faults.token = response => {
    const token = op.bodies.at(-1)!.get('refresh_token') ?? '';
    if (used.includes(token)) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    used.push(token);
    return response;
  };
  return { op, rp, signIn, used };
}

test('refreshes for different APIs in turn, each with the refresh token of the one before', async () => {
  const { rp, signIn, used } = await strict();
  const wishes = [{}, { resource: 'https://a.example/' }, { resource: 'https://b.example/' }];
  const results = await Promise.all(wishes.map(wish => rp.refresh(signIn, wish)));
  const brought = results.map(({ tokens }) => tokens.refreshToken);
  expect(used).toEqual([signIn.tokens.refreshToken, brought[0], brought[1]]);
  // A caller that kept an earlier result continues from the last one, too.
  const later = await rp.refresh(results[0]!);
  expect(used.at(-1)).toBe(brought[2]);
  expect(brought).not.toContain(later.tokens.refreshToken);
});

test('reuses the refresh token after a failed turn, and without rotation', async () => {
  const { op, rp, signIn, used } = await strict();
  const { token } = op.faults;
  op.faults.token = () => new Response('', { status: 503 });
  const failing = rp.refresh(signIn).catch(error => {
    op.faults.token = (response, request) => token!({ ...response, refresh_token: undefined }, request);
    return error.code;
  });
  expect(await Promise.all([failing, rp.refresh(signIn, { scopes: ['openid'] })])).toMatchObject([
    'OIDC_HTTP_STATUS',
    { tokens: { refreshToken: signIn.tokens.refreshToken } },
  ]);
  expect(used).toEqual([signIn.tokens.refreshToken]);
});

test('does not wait forever if the provider returns a used refresh token', async () => {
  const { op, rp, signIn } = await strict();
  const [one, two] = [signIn.tokens.refreshToken!, 'the-other-one'];
  op.faults.token = (response, request) => ({ ...response, refresh_token: request.get('refresh_token') === one ? two : one });
  const first = await rp.refresh(signIn);
  expect(first.tokens.refreshToken).toBe(two);
  expect((await rp.refresh(first)).tokens.refreshToken).toBe(one);
  expect((await rp.refresh(first, { scopes: ['openid'] })).tokens.refreshToken).toBeDefined();
  expect((await rp.refresh(signIn, { scopes: ['openid'] })).tokens.refreshToken).toBeDefined();
});
