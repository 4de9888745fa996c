import { expect, test } from 'vitest';
import { signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { createKey } from '../support/forge.ts';

test('fetches a key at once if it was rotated just after the last fetch', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  await signInAt(op, {}, rp);
  op.keys = [await createKey()];
  op.advance(1);
  expect((await signInAt(op, {}, rp)).identity.subject).toBe('sub-1');
  expect(op.asked('/jwks')).toBe(2);
});

test('finds published keys for other kinds of tokens by the same rules', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { kid } = op.keys[0]!;
  const [key] = await rp.findPublishedKeys({ alg: 'RS256', kid });
  expect(await crypto.subtle.exportKey('jwk', key!)).toMatchObject({ n: op.keys[0]!.publicJwk.n });
  expect(await rp.findPublishedKeys({ alg: 'RS256' })).toEqual([key]);
  op.keys = [await createKey()];
  expect(await rp.findPublishedKeys({ alg: 'RS256', kid: op.keys[0]!.kid })).toHaveLength(1);
  // Refused for good only once the set could be asked for again.
  await expect(rp.findPublishedKeys({ alg: 'RS256', kid })).rejects.toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 503 });
  op.advance(5);
  await expect(rp.findPublishedKeys({ alg: 'RS256', kid })).rejects.toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 403 });
  await expect(rp.findPublishedKeys({ alg: 'ES256', kid: op.keys[0]!.kid })).rejects.toMatchObject({ code: 'OIDC_KEY_UNUSABLE' });
  for (const header of [{}, { alg: 7 }, { alg: 'RS256', kid: 7 }, { alg: 'RS256', kid: null }])
    await expect(rp.findPublishedKeys(header as never)).rejects.toMatchObject({ code: 'OIDC_JWT_HEADER' });
});

test('refuses a token by a withdrawn key once the new set is known', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const old = op.keys[0]!;
  await signInAt(op, {}, rp);
  op.keys = [await createKey()];
  await signInAt(op, {}, rp);
  op.keys = [old];
  op.faults.jwks = set => ({ keys: set.keys.filter(key => key.kid !== old.kid) });
  await expect(signInAt(op, {}, rp)).rejects.toMatchObject({ code: 'OIDC_KEY_UNKNOWN' });
});

test('notices a rotation while the set is being fetched', async () => {
  const op = await FakeOp.start();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const inner = op.fetch;
  let jwksAsked = 0;
  const fetch = async (url: string, init: RequestInit) => {
    const answer = await inner(url, init);
    jwksAsked += url.endsWith('/jwks') ? 1 : 0;
    if (url.endsWith('/jwks') && jwksAsked === 1) await held;
    return answer;
  };
  const rp = op.relyingParty({ fetch, now: () => new Date(op.nowMs) });
  const first = signInAt(op, {}, rp);
  await expect.poll(() => jwksAsked, { interval: 1 }).toBe(1);
  op.keys = [await createKey()];
  const second = signInAt(op, {}, rp);
  await expect.poll(() => op.asked('/token'), { interval: 1 }).toBe(2);
  release();
  expect((await first).identity).toEqual((await second).identity);
  expect(jwksAsked).toBe(2);
});

test('refreshes keys in the background before they are old', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  await signInAt(op, {}, rp);
  op.advance(601);
  await signInAt(op, {}, rp);
  expect(op.asked('/jwks')).toBe(2);
});

test('serves the cached keys for a day while the provider is down', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const validate = async () => rp.validateIdToken(await op.sign(op.claims()), { nonce: undefined });
  await validate();
  op.faults.jwks = () => new Response('down', { status: 503 });
  op.advance(86_000);
  expect((await validate()).sub).toBe('sub-1');
  op.advance(1_000);
  await expect(validate()).rejects.toMatchObject({ code: 'OIDC_HTTP_STATUS' });
});
