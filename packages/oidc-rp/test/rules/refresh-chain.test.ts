import { expect, test } from 'vitest';
import { errorOf, signInAt, without } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

/** Signs in with a time of authentication, then refreshes once with an ID Token that says nothing of the sign-in. */
async function onceRefreshed() {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  op.faults.idTokenClaims = claims => ({ ...claims, auth_time: Number(claims.iat) - 10 });
  const signIn = await signInAt(op, {}, rp);
  op.faults.idTokenClaims = claims => without({ ...claims, nonce: undefined, auth_time: undefined, sid: undefined });
  const refreshed = await rp.refresh(signIn);
  const again = (changes: Record<string, unknown>) => {
    op.faults.idTokenClaims = claims => without({ ...claims, ...changes });
    return rp.refresh(refreshed);
  };
  return { op, rp, signIn, refreshed, again };
}

test('keeps what the first ID Token said about the sign-in if a refresh does not repeat it', async () => {
  const { signIn, refreshed } = await onceRefreshed();
  const { nonce, auth_time } = signIn.claims;
  expect(nonce).toBeTypeOf('string');
  expect(refreshed.claims).toMatchObject({ nonce, auth_time, sid: 'session-1' });
});

test.each([
  ['nonce', { nonce: 'of another' }, 'OIDC_CLAIM_NONCE'],
  ['time of authentication', { auth_time: 1 }, 'OIDC_REFRESH_IDENTITY'],
  ['session', { sid: 'session-2' }, 'OIDC_REFRESH_IDENTITY'],
] as const)('at the second link of the chain another %s than at sign-in is refused', async (_claim, changes, code) => {
  const { again } = await onceRefreshed();
  expect((await errorOf(again(changes))).code).toBe(code);
});

test('does not keep the expiry of the old access token for a new one without expiry', async () => {
  const { op, rp, refreshed } = await onceRefreshed();
  expect(refreshed.tokens.expiresAt).toBe(op.now + 300);
  op.faults.token = ({ expires_in: _, ...response }) => response;
  const renewed = await rp.refresh(refreshed);
  expect('expiresAt' in renewed.tokens).toBe(false);
  op.faults.token = ({ id_token: _, expires_in: __, ...response }) => response;
  expect('expiresAt' in (await rp.refresh({ ...refreshed, tokens: { ...refreshed.tokens, refreshToken: 'rt-9' } })).tokens).toBe(
    false,
  );
});

test.each([
  ['with a new ID Token', true],
  ['without one, keeping the old claims', false],
])('gives each caller that shares a request its own copy of the tokens, %s', async (_case, isNew) => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = { ...(await signInAt(op, {}, rp)), note: 'mine' };
  if (!isNew) op.faults.token = ({ id_token: _, ...response }) => response;
  const [one, two] = await Promise.all([rp.refresh(signIn), rp.refresh({ ...signIn, note: 'yours' })]);
  expect(op.asked('/token')).toBe(2);
  expect([one.note, two.note]).toEqual(['mine', 'yours']);
  expect(one.tokens).toEqual(two.tokens);
  expect(one.tokens).not.toBe(two.tokens);
  one.claims.email = 'changed@example.org';
  expect(two.claims.email).toBeUndefined();
  expect(signIn.claims.email).toBeUndefined();
});

test('checks each caller that shares a request against its own sign-in', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  const stranger = { ...signIn, identity: { ...signIn.identity, subject: 'sub-2' }, claims: { ...signIn.claims, sub: 'sub-2' } };
  const [mine, theirs] = await Promise.allSettled([rp.refresh(signIn), rp.refresh(stranger)]);
  expect(mine.status).toBe('fulfilled');
  expect(theirs).toMatchObject({ status: 'rejected', reason: { code: 'OIDC_REFRESH_IDENTITY' } });
  expect(op.asked('/token')).toBe(2);
});

test('sends a separate request for fewer scopes', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  await Promise.all([
    rp.refresh(signIn),
    rp.refresh(signIn, { scopes: ['email'], resource: ['https://a.example/', 'https://b.example/'] }),
  ]);
  expect(op.asked('/token')).toBe(3);
  expect(op.bodies.at(-1)!.get('scope')).toBe('email');
  expect(op.bodies.at(-1)!.getAll('resource')).toEqual(['https://a.example/', 'https://b.example/']);
});

/** The scopes after each of these refreshes, the first being those of the sign-in; `named` is what the provider's answer says. */
async function scopesAfter(named: unknown, ...refreshes: { asked?: string[]; named?: unknown }[]) {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const say = (scope: unknown) => {
    op.faults.token = response => without({ ...response, scope });
  };
  say(named);
  let signIn = await signInAt(op, {}, rp);
  const found = [signIn.tokens.scopes];
  for (const { asked, named: next } of refreshes) {
    say(next);
    // As it comes back from a store.
    signIn = JSON.parse(JSON.stringify(await rp.refresh(signIn, asked === undefined ? {} : { scopes: asked })));
    found.push(signIn.tokens.scopes);
  }
  return found.map(scopes => scopes?.join(' '));
}

test('an answer that names no scopes granted those that the refresh asked for (RFC 6749 §5.1)', async () => {
  expect(await scopesAfter('openid email', { asked: ['openid'] })).toEqual(['openid email', 'openid']);
  expect(await scopesAfter(undefined, { asked: ['openid'] })).toEqual([undefined, 'openid']);
  expect(await scopesAfter('openid email', { asked: ['openid', 'email'], named: 'openid' })).toEqual(['openid email', 'openid']);
});

test('an answer that names no scope at all granted none (CVE-2022-31690)', async () => {
  expect(await scopesAfter('openid email', { named: '' }, { asked: ['openid'], named: '' })).toEqual(['openid email', '', '']);
});

test('a refresh that asks for none gets all that were granted, also after one that asked for fewer (RFC 6749 §6)', async () => {
  const few = { asked: ['openid'] };
  expect(await scopesAfter('openid email', {}, few, {}, {})).toEqual([
    ...['openid email', 'openid email', 'openid', 'openid email', 'openid email'],
  ]);
  expect(await scopesAfter('openid email', few, { asked: ['email'], named: 'email' }, { asked: [] })).toEqual([
    ...['openid email', 'openid', 'email', 'openid email'],
  ]);
  // The sign-in was granted what it asked for, which nobody named.
  expect(await scopesAfter(undefined, few, few, {})).toEqual([undefined, 'openid', 'openid', undefined]);
  expect(await scopesAfter('openid email', few, { named: 'openid profile' }, {})).toEqual([
    ...['openid email', 'openid', 'openid profile', 'openid profile'],
  ]);
});

async function refreshedFrom(first: Record<string, unknown>, next: Record<string, unknown>) {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  op.faults.idTokenClaims = claims => without({ ...claims, ...first });
  const signIn = await signInAt(op, {}, rp);
  op.faults.idTokenClaims = claims => without({ ...claims, ...next });
  return { signIn, outcome: rp.refresh(signIn) };
}

const two = { aud: ['notes', 'other'], azp: 'notes' };

test.each([
  ['the same audiences in another order', two, { aud: ['other', 'notes'], azp: 'notes' }],
  ['the same audience as a list', {}, { aud: ['notes'] }],
  ['no azp where there was one', { azp: 'notes' }, {}],
  ['a time of authentication where there was none', {}, { auth_time: 1 }],
  ['a session where there was none', { sid: undefined }, { sid: 'session-9' }],
  ['no session where there was none', { sid: undefined }, { sid: undefined }],
])('accepts a refresh with %s', async (_what, first, next) => {
  const { signIn, outcome } = await refreshedFrom(first, next);
  const { claims } = await outcome;
  expect(claims.sub).toBe(signIn.claims.sub);
  // What nobody said is not there, rather than there and undefined: stores keep the one and lose the other.
  expect(Object.values(claims)).not.toContain(undefined);
});

test.each([
  ['aud', two, { aud: ['notes', 'third'], azp: 'notes' }],
  ['aud', two, { aud: 'notes', azp: 'notes' }],
  ['azp', {}, { azp: 'notes' }],
  ['auth_time', { auth_time: 5 }, { auth_time: 6 }],
  ['sid', {}, { sid: 'session-9' }],
])('refuses a refresh with another %s and names it', async (claim, first, next) => {
  const { outcome } = await refreshedFrom(first, next);
  expect(await errorOf(outcome)).toMatchObject({
    code: 'OIDC_REFRESH_IDENTITY',
    check: `id_token.${claim}`,
    expected: 'the same value as at sign-in',
    status: 401,
  });
});

test('names the token and the grant in the request, and refuses a stored sign-in without a refresh token', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  await rp.refresh(signIn, { tokenParameters: { audience: 'api' } });
  expect(Object.fromEntries(op.bodies.at(-1)!)).toMatchObject({
    grant_type: 'refresh_token',
    refresh_token: signIn.tokens.refreshToken,
    audience: 'api',
  });
  const { refreshToken: _, ...tokens } = signIn.tokens;
  expect(await errorOf(rp.refresh({ ...signIn, tokens }))).toMatchObject({
    check: 'refresh_token',
    expected: 'a refresh token',
    received: 'none',
  });
  for (const tokenType of ['Basic', undefined, 'bearer'])
    expect((await errorOf(rp.refresh({ ...signIn, tokens: { ...signIn.tokens, tokenType: tokenType as 'Bearer' } }))).check).toBe(
      'signIn.tokens.tokenType',
    );
  expect((await errorOf(rp.refresh({ ...signIn, tokens: { ...signIn.tokens, expiresAt: Number.NaN } }))).check).toBe(
    'signIn.tokens.expiresAt',
  );
});
