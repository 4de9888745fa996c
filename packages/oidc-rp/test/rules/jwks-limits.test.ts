import { describe, expect, test } from 'vitest';
import { cacheSeconds } from '../../src/http/cache-control.ts';
import { CachedDocument, type Loaded } from '../../src/http/cached-document.ts';
import { TokenBucket } from '../../src/http/token-bucket.ts';
import { readIssuerRule } from '../../src/issuer/issuer-rule.ts';
import { type PublishedKey, readPublishedKey } from '../../src/keys/jwk.ts';
import { type KeyHint, publishedKeySource } from '../../src/keys/jwks.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { createKey, keptKey } from '../support/forge.ts';

// Found by mutation testing: each of these could be lost without another test noticing.

const nonce = { nonce: undefined };

describe('the key set', () => {
  async function source(keys: object[], issuer = 'https://op.example') {
    let now = 0;
    let published = keys;
    const bucket = () => new TokenBucket(100, 1, () => now);
    const load = async () => ({ value: published.map(readPublishedKey), maxAgeSeconds: 1000 });
    const document = new CachedDocument<PublishedKey[]>({ load, maxStaleSeconds: 2000, bucket: bucket(), now: () => now });
    const made = publishedKeySource({ document, issuerRule: readIssuerRule(issuer, undefined), suspicion: bucket() });
    return {
      ...made,
      publish: async (next: object[]) => {
        published = next;
        now += 1000;
        await document.reload();
      },
    };
  }

  test('returns a chosen key at once until a new set arrives', async () => {
    const [one, two, next] = [await keptKey('one'), await keptKey('two'), await createKey('RS256', 'one')];
    const keys = await source([one.publicJwk, two.publicJwk]);
    const hint = { alg: 'RS256', kid: 'one' };
    const [first] = await keys.find(hint);
    await keys.find({ alg: 'RS256', kid: 'two' });
    expect(keys.find(hint)).toEqual([first]);
    await keys.publish([next.publicJwk]);
    const [second] = await keys.find(hint);
    expect(await crypto.subtle.exportKey('jwk', second!)).toMatchObject({ n: next.publicJwk.n });
    expect(keys.find(hint)).toEqual([second]);
  });

  test('offers only untried keys after a failed signature', async () => {
    const [one, next] = [await keptKey('one'), await createKey('RS256', 'one')];
    const keys = await source([one.publicJwk]);
    const newerThan = async (hint: KeyHint, tried: CryptoKey[]) => {
      const found: CryptoKey[][] = [];
      for await (const newer of keys.findNewer!(hint, tried)) found.push(newer);
      return found;
    };
    for (const hint of [
      { alg: 'RS256', kid: 'one' },
      { alg: 'RS256', kid: undefined },
    ]) {
      await keys.publish([one.publicJwk]);
      const tried = await keys.find(hint);
      expect(await newerThan(hint, tried)).toEqual([]);
      // One that came meanwhile, without a request for this token, is as new to it.
      await keys.publish([next.publicJwk]);
      const newer = await newerThan(hint, tried);
      expect(newer).toEqual([await keys.find(hint)]);
      expect(await newerThan(hint, newer.flat())).toEqual([]);
    }
  });

  test('says why none of its keys can be used', async () => {
    const { alg: _, ...bare } = (await keptKey('one', 'ES256')).publicJwk;
    const offCurve = { ...bare, kid: 'one', x: bare.y, y: bare.x };
    const fiveKeys = await Promise.all([1, 2, 3, 4, 5].map(async at => (await createKey('ES256', `k${at}`)).publicJwk));
    const refusal = async (keys: object[], alg: string, kid?: string) =>
      errorOf(Promise.resolve((await source(keys)).find({ alg, kid })));
    expect(await refusal([bare], 'RS256', 'one')).toMatchObject({
      code: 'OIDC_KEY_UNUSABLE',
      check: 'jwks.key',
      expected: 'a key for RS256',
      received: 'kty, crv or alg does not fit',
    });
    expect(await refusal([{ ...bare, use: 'enc' }], 'ES256', 'one')).toMatchObject({ received: 'use is not "sig"' });
    expect(await refusal([offCurve], 'ES256', 'one')).toMatchObject({
      code: 'OIDC_KEY_UNUSABLE',
      check: 'jwks.key',
      expected: 'a key for ES256',
      cause: expect.anything(),
    });
    expect(await refusal(fiveKeys, 'ES256')).toMatchObject({
      code: 'OIDC_KEY_AMBIGUOUS',
      check: 'jwks.keys',
      expected: 'at most 4 keys',
      received: '5',
    });
    expect(await refusal([], 'ES256')).toMatchObject({ code: 'OIDC_KEY_UNKNOWN', received: 'no key id' });
    expect(await refusal([], 'ES256', 'gone')).toMatchObject({ code: 'OIDC_KEY_UNKNOWN', received: 'gone' });
  });

  test('offers a token without a key id only keys that may verify', async () => {
    const keys = await source([{ ...(await keptKey('one')).publicJwk, use: 'enc' }]);
    await expect(keys.find({ alg: 'RS256', kid: undefined })).rejects.toMatchObject({ code: 'OIDC_KEY_UNKNOWN' });
  });

  test('is requested as JSON and read up to its limit', async () => {
    const op = await FakeOp.start();
    const outcome = async (maxJwksKeys: number) =>
      op.relyingParty({ limits: { maxJwksKeys } }).validateIdToken(await op.sign(op.claims()), nonce);
    op.faults.jwks = ({ keys: [key] }) => ({ keys: [key!, { kty: 'oct' }] });
    expect((await outcome(2)).sub).toBe('sub-1');
    expect(op.headers.at(-1)?.get('accept')).toBe('application/json, application/jwk-set+json');
    expect(await errorOf(outcome(1))).toMatchObject({ code: 'OIDC_JWKS_INVALID', expected: 'at most 1 keys', received: '2' });
  });

  test('decides about a key id if it was requested after the token arrived', async () => {
    const op = await FakeOp.start();
    const token = await op.sign(op.claims(), { kid: 'gone' });
    expect((await errorOf(op.relyingParty().validateIdToken(token, nonce))).code).toBe('OIDC_KEY_UNKNOWN');
    expect(op.asked('/jwks')).toBe(1);
  });
});

describe('signatures that do not verify', () => {
  async function primed() {
    const op = await FakeOp.start();
    const rp = op.relyingParty();
    await rp.validateIdToken(await op.sign(op.claims()), nonce);
    const forged = async (kid?: string) => {
      const token = (await op.sign(op.claims(), { kid })).replace(/[^.]{8}$/, 'AAAAAAAA');
      return (await errorOf(rp.validateIdToken(token, nonce))).code;
    };
    return { op, forged };
  }

  test('cause a fetch a minute under a known id, and one per bucket token without an id', async () => {
    const { op, forged } = await primed();
    for (const seconds of [0, 10, 10, 10]) {
      op.advance(seconds);
      expect(await forged(op.keys[0]!.kid)).toBe('OIDC_JWT_SIGNATURE');
    }
    expect(op.asked('/jwks')).toBe(2);
    op.advance(10);
    expect(await forged()).toBe('OIDC_JWT_SIGNATURE');
    expect(op.asked('/jwks')).toBe(3);
  });

  test('are refused while the provider is down if their key id is known, and undecided without one', async () => {
    const { op, forged } = await primed();
    op.faults.jwks = () => new Response('', { status: 500 });
    expect([await forged(op.keys[0]!.kid), await forged()]).toEqual(['OIDC_JWT_SIGNATURE', 'OIDC_KEY_UNKNOWN']);
  });
});

describe('keys that Entra publishes for single tenants', () => {
  const host = 'https://login.microsoftonline.com';
  const [tenant, other] = ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'];
  const issuerOf = (tid: string) => `${host}/${tid}/v2.0`;

  async function entra() {
    const op = await FakeOp.start();
    op.issuer = `${host}/common/v2.0`;
    op.faults.metadata = document => ({ ...document, issuer: issuerOf('{tenantid}') });
    const rp = op.relyingParty({ entraTenants: 'any' });
    const validate = async (tid: string, header: object = {}) =>
      rp.validateIdToken(await op.sign(op.claims({ iss: issuerOf(tid), tid }), { ...header }), nonce);
    return { op, rp, validate };
  }

  test('are chosen anew for each token, even beside a key for all tenants', async () => {
    const { op, validate } = await entra();
    const shared = await createKey('RS256', 'shared');
    op.faults.jwks = ({ keys: [key] }) => ({ keys: [{ ...key, issuer: issuerOf(tenant) }, { ...shared.publicJwk }] });
    const nameless = { kid: undefined };
    expect((await validate(tenant, nameless)).tid).toBe(tenant);
    expect((await errorOf(validate(other, nameless))).code).toBe('OIDC_JWT_SIGNATURE');
  });

  test('count as two if one key serves two tenants', async () => {
    const { op, validate } = await entra();
    op.faults.jwks = ({ keys: [key] }) => ({ keys: [tenant, other].map(tid => ({ ...key, issuer: issuerOf(tid) })) });
    const nameless = { kid: undefined };
    expect([(await validate(tenant, nameless)).tid, (await validate(other, nameless)).tid]).toEqual([tenant, other]);
  });

  test('refuse a token whose payload is not JSON', async () => {
    const { op, rp } = await entra();
    op.faults.jwks = ({ keys: [key] }) => ({ keys: [{ ...key, issuer: issuerOf(tenant) }] });
    expect((await errorOf(rp.validateIdToken(await op.sign('no JSON'), nonce))).code).toBe('OIDC_KEY_UNKNOWN');
  });
});

test.each([
  [{}, 600],
  [{ 'cache-control': 'x-max-age=100' }, 600],
  [{ 'cache-control': 'max-age=100x' }, 600],
  [{ 'cache-control': 'max-age=100', age: '40' }, 60],
  [{ 'cache-control': 'max-age=100', age: '40x' }, 100],
  [{ 'cache-control': 'max-age=100', age: 'x40' }, 100],
  [{ 'cache-control': 'max-age=12345678901' }, 600],
] as const)('caches an answer with %j for %i s', (headers, seconds) => {
  expect(cacheSeconds(new Headers(headers), 600, { minCacheSeconds: 10, maxCacheSeconds: 3600 })).toBe(seconds);
});

describe('a cached document', () => {
  /** Good for 10 s; `answer` is what the next load gives. */
  function cached(maxStaleSeconds = 100) {
    const state = {
      nowMs: 0,
      loads: 0,
      answer: async (): Promise<Loaded<number>> => ({ value: state.loads, maxAgeSeconds: 10 }),
    };
    const document = new CachedDocument<number>({
      load: () => {
        state.loads += 1;
        return state.answer();
      },
      maxStaleSeconds,
      bucket: new TokenBucket(100, 1_000, () => state.nowMs),
      now: () => state.nowMs,
    });
    return { state, document };
  }
  const never = () => new Promise<never>(() => undefined);
  const fails = () => Promise.reject(new Error('down'));
  const atOnce = (work: Promise<number>) =>
    Promise.race([work, new Promise(resolve => setImmediate(() => resolve('waits')))]).catch(() => 'fails');

  test('counts its loads from one', async () => {
    const { document } = cached();
    expect([document.startedSerial, document.loadedSerial, document.fresh()]).toEqual([0, 0, undefined]);
    expect(await document.get()).toBe(1);
    expect([document.startedSerial, document.loadedSerial, document.fresh()]).toEqual([1, 1, 1]);
    await document.reload();
    expect([document.startedSerial, document.loadedSerial]).toEqual([2, 2]);
  });

  test('is fresh for four fifths of its maximum age', async () => {
    const { state, document } = cached();
    await document.get();
    state.nowMs = 7_999;
    expect(document.fresh()).toBe(1);
    state.nowMs = 8_000;
    expect(document.fresh()).toBeUndefined();
  });

  test('is returned at once until it is old, then waited for', async () => {
    const { state, document } = cached();
    await document.get();
    state.answer = never;
    state.nowMs = 9_999;
    expect([await atOnce(document.get()), state.loads]).toEqual([1, 2]);
    state.nowMs = 10_000;
    expect(await atOnce(document.get())).toBe('waits');
  });

  test('is returned at once for 10 minutes after a failure, then waited for', async () => {
    const { state, document } = cached(1_000);
    await document.get();
    state.answer = fails;
    state.nowMs = 20_000;
    expect(await document.get()).toBe(1);
    state.answer = never;
    state.nowMs = 619_999;
    expect(await atOnce(document.get())).toBe(1);
    state.nowMs = 620_000;
    expect(await atOnce(document.get())).toBe('waits');
  });

  test('is retried after 1, 2, 4 … 60 s while the provider fails', async () => {
    const { state, document } = cached(1_000);
    await document.get();
    state.answer = fails;
    const triedAt = async (from: number, seconds: number) => {
      const times: number[] = [];
      for (let second = 0; second < seconds; second += 1) {
        state.nowMs = (from + second) * 1_000;
        const before = state.loads;
        await atOnce(document.get());
        if (state.loads > before) times.push(second);
      }
      return times;
    };
    expect(await triedAt(8, 250)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
    state.nowMs = 400_000;
    state.answer = async () => ({ value: 7, maxAgeSeconds: 10 });
    await document.get();
    expect([await document.get(), document.fresh()]).toEqual([7, 7]);
    state.answer = fails;
    expect(await triedAt(410, 20)).toEqual([0, 1, 3, 7, 15]);
  });

  test('is retried in time even if the clock was set back', async () => {
    const { state, document } = cached(1_000);
    state.nowMs = 500_000;
    await document.get();
    state.answer = fails;
    state.nowMs = 600_000;
    await document.get();
    state.nowMs = 520_000;
    await document.get();
    const before = state.loads;
    state.nowMs = 521_000;
    await document.get();
    expect(state.loads - before).toBe(1);
  });

  test('is loaded again once the clock was set back, and is served meanwhile if the provider fails', async () => {
    const { state, document } = cached(1_000);
    state.nowMs = 500_000;
    await document.get();
    state.nowMs = 100_000;
    expect(document.fresh()).toBeUndefined();
    expect([await document.get(), document.fresh()]).toEqual([2, 2]);
    state.answer = fails;
    state.nowMs = 50_000;
    expect(await document.get()).toBe(2);
  });

  test('is loaded without a pause if none is set', async () => {
    const { state, document } = cached();
    state.answer = fails;
    for (let at = 0; at < 5; at += 1) expect(await atOnce(document.get())).toBe('fails');
    expect(state.loads).toBe(5);
  });

  test('is not returned once it is too stale', async () => {
    const { state, document } = cached();
    await document.get();
    state.answer = fails;
    state.nowMs = 99_999;
    expect(await atOnce(document.get())).toBe(1);
    state.nowMs = 100_000;
    expect(await atOnce(document.get())).toBe('fails');
  });

  test('is returned as it is if no more requests are allowed', async () => {
    const { state, document } = cached();
    await document.get();
    for (let at = 0; at < 99; at += 1) await document.reload();
    state.nowMs = 20_000;
    expect(await document.reload()).toBe(false);
    expect(await document.get()).toBe(100);
  });
});

test('tries a reload again right after one that failed', async () => {
  let down = true;
  const load = async () => {
    if (down) throw new Error('down');
    return { value: 'keys', maxAgeSeconds: 100 };
  };
  const now = () => 0;
  const document = new CachedDocument({ load, maxStaleSeconds: 1_000, bucket: new TokenBucket(5, 60, now), now });
  await expect(document.reload()).rejects.toThrow('down');
  down = false;
  expect(await document.reload()).toBe(true);
  expect(await document.get()).toBe('keys');
});

test('does not give a token with the key id "undefined" the keys of one without', async () => {
  const published = readPublishedKey((await keptKey('first', 'ES256')).publicJwk);
  const now = () => 0;
  const load = async () => ({ value: [published], maxAgeSeconds: 100 });
  const document = new CachedDocument({ load, maxStaleSeconds: 1_000, bucket: new TokenBucket(5, 60, now), now });
  const issuerRule = readIssuerRule('https://op.example', undefined);
  const source = publishedKeySource({ document, issuerRule, suspicion: new TokenBucket(1, 60, now) });
  expect(await source.find({ alg: 'ES256', kid: undefined })).toHaveLength(1);
  const found = Promise.resolve().then(() => source.find({ alg: 'ES256', kid: 'undefined' }));
  expect((await errorOf(found)).code).toBe('OIDC_KEY_UNKNOWN');
});
