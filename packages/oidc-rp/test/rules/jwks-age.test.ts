import { expect, test } from 'vitest';
import { errorOf, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { createKey } from '../support/forge.ts';

const nonce = { nonce: undefined };

async function primed(options = {}) {
  const op = await FakeOp.start();
  const rp = op.relyingParty(options);
  await rp.validateIdToken(await op.sign(op.claims()), nonce);
  return { op, rp, validate: async () => rp.validateIdToken(await op.sign(op.claims()), nonce) };
}

test.each([600, 20 * 3_600])('refuses a withdrawn key %i s later, even without requests in between', async seconds => {
  const { op, validate } = await primed();
  op.faults.jwks = () => ({ keys: [] });
  op.advance(seconds);
  expect((await errorOf(validate())).code).toBe('OIDC_KEY_UNKNOWN');
});

test('refreshes keys in the background before they are old, and waits only for old ones', async () => {
  const { op, rp, validate } = await primed();
  const inner = op.fetch;
  let waiting = 0;
  const held = Promise.withResolvers<void>();
  const slow = op.relyingParty({
    fetch: async (url, init) => {
      if (url.endsWith('/jwks') && op.asked('/jwks') >= 2) {
        waiting += 1;
        await held.promise;
      }
      return inner(url, init);
    },
  });
  await slow.validateIdToken(await op.sign(op.claims()), nonce);
  op.advance(481);
  await slow.validateIdToken(await op.sign(op.claims()), nonce);
  await expect.poll(() => waiting).toBe(1);
  op.advance(120);
  const late = slow.validateIdToken(await op.sign(op.claims()), nonce);
  expect(await Promise.race([late.then(() => 'done'), new Promise(resolve => setImmediate(() => resolve('waits')))])).toBe(
    'waits',
  );
  held.resolve();
  expect((await late).sub).toBe('sub-1');
  await validate();
  expect(rp.issuer).toBe(op.issuer);
});

test('while the provider fails, only the first caller waits and the old keys are served', async () => {
  const { op, validate } = await primed();
  let asked = 0;
  op.faults.jwks = () => {
    asked += 1;
    return new Response('', { status: 500 });
  };
  op.advance(3_600);
  expect((await validate()).sub).toBe('sub-1');
  expect((await validate()).sub).toBe('sub-1');
  expect(asked).toBeLessThanOrEqual(2);
});

test('while the key set hangs, waits once for a known key and finds a new key after the outage', async () => {
  const op = await FakeOp.start();
  const hung: { signal: AbortSignal | null | undefined; end: (error: Error) => void }[] = [];
  let hangs = false;
  const rp = op.relyingParty({
    fetch: (url, init) => {
      if (!hangs || !url.endsWith('/jwks')) return op.fetch(url, init);
      return new Promise((_, reject) => hung.push({ signal: init?.signal, end: reject }));
    },
  });
  const validate = async () => rp.validateIdToken(await op.sign(op.claims()), nonce);
  const giveUp = async () => {
    hung.at(-1)!.end(new TypeError('fetch failed'));
    await new Promise(resolve => setImmediate(resolve));
  };
  await validate();
  hangs = true;
  op.advance(601);
  const first = validate();
  await expect.poll(() => hung.length, { interval: 1 }).toBe(1);
  await giveUp();
  expect((await first).sub).toBe('sub-1');
  for (let count = 2; count < 8; count += 1) {
    op.advance(100);
    expect((await validate()).sub).toBe('sub-1');
    // It is asked in the background, and has not even failed yet.
    await expect.poll(() => hung.length, { interval: 1 }).toBe(count);
    expect(hung.at(-1)!.signal!.aborted).toBe(false);
    await giveUp();
  }
  hangs = false;
  op.keys = [await createKey('RS256', 'rotated')];
  op.advance(1);
  expect((await validate()).sub).toBe('sub-1');
});

test("does not serve yesterday's keys because of yesterday's outage", async () => {
  const { op, validate } = await primed();
  op.faults.jwks = () => new Response('', { status: 500 });
  op.advance(601);
  await validate();
  op.faults.jwks = () => ({ keys: [] });
  op.advance(20 * 3_600);
  expect((await errorOf(validate())).code).toBe('OIDC_KEY_UNKNOWN');
});

test.each([
  ['public, max-age=1200', {}, 959, 961],
  ['max-age="1200"', {}, 959, 961],
  ['max-age=1200', { age: '600' }, 479, 481],
  ['max-age=1', {}, 47, 49],
  ['no-store', {}, 47, 49],
  ['no-cache, max-age=1200', {}, 47, 49],
  ['max-age=31536000', {}, 2_879, 2_881],
  ['max-age=a', {}, 479, 481],
  ['', {}, 479, 481],
])('obeys Cache-Control "%s" %j within bounds', async (cacheControl, extra, still, refreshed) => {
  const op = await FakeOp.start();
  op.faults.jwks = set => Response.json(set, { headers: { 'cache-control': cacheControl, ...extra } });
  const rp = op.relyingParty();
  const validate = async () => rp.validateIdToken(await op.sign(op.claims()), nonce);
  await validate();
  op.advance(still);
  await validate();
  expect(op.asked('/jwks')).toBe(1);
  op.advance(refreshed - still);
  await validate();
  await expect.poll(() => op.asked('/jwks')).toBe(2);
});

test("takes the cache's bounds from the limits", async () => {
  const { op, validate } = await primed({ limits: { jwksMaxAgeSeconds: 10, minCacheSeconds: 5 } });
  op.advance(9);
  await validate();
  await expect.poll(() => op.asked('/jwks')).toBe(2);
});

test('treats a key that is published twice as one', async () => {
  const op = await FakeOp.start();
  op.faults.jwks = ({ keys: [key] }) => {
    const { alg: _, use: __, ...bare } = key!;
    return { keys: [key!, bare, { ...bare, key_ops: ['verify'] }, key!, bare, bare] };
  };
  expect((await signInAt(op)).identity.subject).toBe('sub-1');
  const nameless = await op.sign(op.claims(), { kid: undefined });
  expect((await op.relyingParty().validateIdToken(nameless, nonce)).sub).toBe('sub-1');
});

test('refuses two different keys with one id', async () => {
  const op = await FakeOp.start();
  const other = await createKey('RS256', op.keys[0]!.kid);
  op.faults.jwks = set => ({ keys: [...set.keys, { ...other.publicJwk }] });
  expect((await errorOf(signInAt(op))).code).toBe('OIDC_KEY_AMBIGUOUS');
});

test('finds another key under a reused id within a minute', async () => {
  const { op, validate } = await primed();
  op.keys = [await createKey('RS256', op.keys[0]!.kid)];
  expect((await validate()).sub).toBe('sub-1');
  op.keys = [await createKey('RS256', op.keys[0]!.kid)];
  expect((await errorOf(validate())).code).toBe('OIDC_JWT_SIGNATURE');
  op.advance(60);
  expect((await validate()).sub).toBe('sub-1');
});

test('fetches once a minute for 10,000 forged signatures under a known id', async () => {
  const { op, rp, validate } = await primed();
  const forged = (await op.sign(op.claims())).replace(/[^.]{8}$/, 'AAAAAAAA');
  for (let at = 0; at < 10_000; at += 100) {
    const codes = await Promise.all(Array.from({ length: 100 }, () => errorOf(rp.validateIdToken(forged, nonce))));
    expect(new Set(codes.map(error => error.code))).toEqual(new Set(['OIDC_JWT_SIGNATURE']));
  }
  expect(op.asked('/jwks')).toBe(2);
  expect((await validate()).sub).toBe('sub-1');
});

test('reports an unknown key as an outage while the key set is unavailable', async () => {
  const { op, rp } = await primed();
  op.faults.jwks = () => new Response('', { status: 500 });
  const statusOf = async (kid: string) => {
    const error = await errorOf(rp.validateIdToken(await op.sign(op.claims(), { kid }), nonce));
    return [error.code, error.status];
  };
  expect(await statusOf('new')).toEqual(['OIDC_KEY_UNKNOWN', 503]);
  // More of them than may be asked for: a token that is not asked for hears what the last one heard.
  for (let at = 0; at < 10; at += 1) expect(await statusOf('new')).toEqual(['OIDC_KEY_UNKNOWN', 503]);
  delete op.faults.jwks;
  op.advance(60);
  expect(await statusOf('invented')).toEqual(['OIDC_KEY_UNKNOWN', 403]);
});
