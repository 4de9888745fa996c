import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { errorOf, expectRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { createKey, forge, keptKey } from '../support/forge.ts';

const noKid = ({ kid: _, ...header }: Record<string, unknown>) => header;

async function opWithKeys(count: number): Promise<FakeOp> {
  const op = await FakeOp.start('ES256');
  const others = Array.from({ length: count - 1 }, (_, at) => keptKey(`other-${at}`, 'ES256'));
  op.keys.push(...(await Promise.all(others)));
  op.keys.reverse();
  op.faults.idTokenHeader = noKid;
  return op;
}

const options = { idTokenAlgorithms: ['ES256'] as const };

test('verifies a token without a key id with the only key', async () => {
  expect((await signInAt(await opWithKeys(1), { options })).identity.subject).toBe('sub-1');
});

test('verifies a token without a key id with one of four keys', async () => {
  const op = await opWithKeys(4);
  op.faults.idToken = async ({ header, claims }) => forge(noKid(header), claims, op.keys[3]!);
  expect((await signInAt(op, { options })).identity.subject).toBe('sub-1');
});

test('refuses a token without a key id if five keys fit', async () => {
  await expect(signInAt(await opWithKeys(5), { options })).rejects.toMatchObject({ code: 'OIDC_KEY_AMBIGUOUS' });
});

test('tries only keys of the right kind', async () => {
  const stranger = await keptKey('stranger', 'RS256');
  await expectRefused(
    'OIDC_KEY_UNKNOWN',
    { jwks: () => ({ keys: [{ ...stranger.publicJwk }] }) },
    { alg: 'ES256', options },
    { idTokenHeader: noKid },
  );
});

test('notices a rotation from a token without a key id', async () => {
  const op = await opWithKeys(1);
  const rp = op.relyingParty(options);
  await signInAt(op, {}, rp);
  op.keys = [await createKey('ES256')];
  expect((await signInAt(op, {}, rp)).identity.subject).toBe('sub-1');
  expect(op.asked('/jwks')).toBe(2);
});

test('a set that was being fetched when the token came does not decide about a token without a key id', async () => {
  const op = await opWithKeys(1);
  const inner = op.fetch;
  let held: Promise<void> | undefined;
  const fetch = async (url: string, init: RequestInit) => {
    const answer = await inner(url, init);
    if (url.endsWith('/jwks')) await held;
    return answer;
  };
  const rp = op.relyingParty({ ...options, fetch, now: () => new Date(op.nowMs) });
  await signInAt(op, {}, rp);
  op.advance(20);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  held = promise;
  const stranger = await forge({ alg: 'ES256', kid: 'unknown' }, op.claims(), op.keys[0]!);
  const unknown = errorOf(rp.validateIdToken(stranger, { nonce: undefined }));
  await expect.poll(() => op.asked('/jwks'), { interval: 1 }).toBe(2);
  op.keys = [await createKey('ES256')];
  const signIns = [signInAt(op, {}, rp), signInAt(op, {}, rp)];
  await expect.poll(() => op.asked('/token'), { interval: 1 }).toBe(3);
  // Until both wait for the set.
  await setTimeout(100);
  release();
  expect((await Promise.all(signIns)).map(({ identity }) => identity.subject)).toEqual(['sub-1', 'sub-1']);
  expect((await unknown).code).toBe('OIDC_KEY_UNKNOWN');
  expect(op.asked('/jwks')).toBe(3);
});

test('refuses a forged token without a key id after one fetch', async () => {
  const op = await opWithKeys(1);
  const rp = op.relyingParty(options);
  await signInAt(op, {}, rp);
  const stranger = await keptKey('stranger', 'ES256');
  op.faults.idToken = ({ header, claims }) => forge(noKid(header), claims, stranger);
  await expect(signInAt(op, {}, rp)).rejects.toMatchObject({ code: 'OIDC_JWT_SIGNATURE' });
  expect(op.asked('/jwks')).toBe(2);
});

describe('while forged tokens without a key id use up the fetches', () => {
  async function flooded() {
    const op = await FakeOp.start('ES256');
    const rp = op.relyingParty(options);
    await rp.validateIdToken(await op.sign(op.claims()), { nonce: undefined });
    const stranger = await keptKey('stranger', 'ES256');
    const forged = async () =>
      errorOf(rp.validateIdToken(await forge({ alg: 'ES256' }, op.claims(), stranger), { nonce: undefined }));
    for (let at = 0; at < 10; at += 1) await forged();
    return { op, rp, forged };
  }

  test('a token by a new key may be tried again, and is accepted once a fetch is allowed', async () => {
    const { op, rp } = await flooded();
    op.keys = [await createKey('ES256')];
    const token = await op.sign(op.claims(), { kid: undefined });
    const validate = () => rp.validateIdToken(token, { nonce: undefined });
    expect(await errorOf(validate())).toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 503, retryAfterSeconds: 5 });
    op.advance(5);
    expect((await validate()).sub).toBe('sub-1');
  });

  test('a logout by a new key is answered 503, so that the provider sends it again', async () => {
    const { op, rp } = await flooded();
    op.keys = [await createKey('ES256')];
    const body = new URLSearchParams({ logout_token: await op.logoutToken({}, { kid: undefined }) });
    const post = () => rp.answerBackChannelLogout(new Request('https://rp.example/logout', { method: 'POST', body }), () => {});
    expect((await post()).status).toBe(503);
    op.advance(5);
    expect((await post()).status).toBe(200);
  });

  test('a forged one is refused for good when the keys were fetched for it', async () => {
    const { op, forged } = await flooded();
    expect(await forged()).toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 503 });
    op.advance(5);
    expect(await forged()).toMatchObject({ code: 'OIDC_JWT_SIGNATURE', status: 403 });
  });
});
