import { expect, test } from 'vitest';
import type { PendingSignIn, PendingSignOut } from '../../src/index.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const op = await FakeOp.start();
const request = { returnTo: '/n/1', maxAgeSeconds: 60, acrValues: ['gold'], requireAcr: true, resource: 'https://api.example/' };

async function finishedWith(change: (kept: Record<string, unknown>) => unknown) {
  const rp = op.relyingParty();
  op.faults.idTokenClaims = claims => ({ ...claims, acr: 'gold', auth_time: claims.iat });
  const { url, pending } = await rp.startSignIn(request);
  const kept = change(JSON.parse(JSON.stringify(pending))) as PendingSignIn;
  return { rp, outcome: rp.finishSignIn(op.authorize(url), kept) };
}

test('survives a store as JSON', async () => {
  const { outcome } = await finishedWith(kept => kept);
  expect((await outcome).returnTo).toBe('/n/1');
});

const names = Object.keys((await op.relyingParty().startSignIn(request)).pending);

test.each(names)('refuses a sign-in that lost its %s in the store', async name => {
  const { outcome } = await finishedWith(({ [name]: _, ...rest }) => rest);
  const error = await errorOf(outcome);
  expect([error.code, error.check, error.status]).toEqual(['OIDC_PENDING_INVALID', `pending.${name}`, 400]);
});

test.each([
  ['state', 7],
  ['nonce', ''],
  ['nonce', null],
  ['codeVerifier', {}],
  ['redirectUri', null],
  ['responseMode', 'fragment'],
  ['startedAt', '1798761600'],
  ['expiresAt', '9999999999'],
  ['expiresAt', Number.NaN],
  ['expiresAt', null],
  ['maxAgeSeconds', '60'],
  ['acrValues', []],
  ['acrValues', 'gold'],
  ['resource', [7]],
  ['tokenParameters', { a: 1 }],
] as const)('refuses a sign-in whose %s became %j', async (name, value) => {
  const { outcome } = await finishedWith(kept => ({ ...kept, [name]: value }));
  expect(await errorOf(outcome)).toMatchObject({ code: 'OIDC_PENDING_INVALID' });
});

test('refuses an unknown member', async () => {
  const { outcome } = await finishedWith(kept => ({ ...kept, maxAge: 5 }));
  expect(await errorOf(outcome)).toMatchObject({ code: 'OIDC_PENDING_INVALID', check: 'pending.maxAge' });
});

test.each([undefined, null])('%s, where nothing was kept, is refused as a callback of nobody', async kept => {
  const { outcome } = await finishedWith(() => kept);
  expect(await errorOf(outcome)).toMatchObject({ code: 'OIDC_CALLBACK_STATE' });
});

test.each(['text', 7, true, []])('refuses %j as the pending sign-in', async kept => {
  const { outcome } = await finishedWith(() => kept);
  expect(await errorOf(outcome)).toMatchObject({ code: 'OIDC_PENDING_INVALID', check: 'pending' });
});

test.each([null, undefined, 7, {}, { state: 7, returnTo: null }, { state: 'x' }])(
  'a sign-out for which %j was kept is not ours, and nobody meets an error',
  async kept => {
    const rp = op.relyingParty();
    const { pending } = await rp.startSignOut();
    expect(await rp.finishSignOut(`https://rp.example/bye?state=${pending.state}`, kept as unknown as PendingSignOut)).toEqual({
      state: 'different',
      returnTo: undefined,
    });
  },
);
