import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { limits } from '../../src/limits.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// Anybody may send any number of opaque tokens: what they cost the providers is bounded.

const audience = 'https://notes.example.org/api';
let upstream: Upstream;
let provider: SmallProvider;
let other: SmallProvider;
let gate: TestGate;
/** The gate's clock stands: no test depends on how fast it runs. */
let time = Date.now();
let made = 0;

beforeAll(async () => {
  [upstream, provider, other] = await Promise.all([startUpstream(), startSmallProvider(), startSmallProvider()]);
  const accessTokens = { audience, introspection: true, cache: '1h' };
  gate = await startGate(
    {
      upstream: upstream.origin,
      providers: [corpProvider(provider, { accessTokens }), corpProvider(other, { id: 'other', accessTokens })],
      rules: [
        { paths: ['/api/**'], allow: { provider: 'corp' }, accessTokens: [{ provider: 'corp' }] },
        { paths: ['/either/**'], allow: 'signed-in', accessTokens: [{ provider: 'corp' }, { provider: 'other' }] },
      ],
    },
    { overrides: { now: () => new Date(time) } },
  );
});

afterAll(async () => {
  for (const one of [gate, other, provider, upstream]) await one?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  provider.answers.introspection = { active: false };
  time += 3_600_000;
});

const good = (more: object = {}) => ({ active: true, sub: 'robot', aud: audience, exp: Math.floor(time / 1000) + 600, ...more });
const asked = (of = provider) => of.requests.filter(path => path === '/introspect').length;
/** A token that nobody knows yet. */
const fresh = () => `opaque-${++made}`;

async function ask(token: string, { from = '192.0.2.1', path = '/api/x' } = {}) {
  const answer = await gate.fetch(path, { headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': from } });
  const text = await answer.text();
  return {
    status: answer.status,
    error: answer.ok ? undefined : JSON.parse(text).error,
    retryAfter: answer.headers.get('retry-after'),
  };
}

/** Answers of introspection wait until it is called. */
function holdAnswers(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  provider.answers.introspectionWaitsFor = promise;
  return () => {
    provider.answers.introspectionWaitsFor = undefined;
    resolve();
  };
}

test.each([200, 401])('asks once for many requests at once with one token (%i)', async status => {
  provider.answers.introspection = status === 200 ? good() : { active: false };
  const release = holdAnswers();
  const before = asked();
  const token = fresh();
  const answers = Promise.all(Array.from({ length: 40 }, () => ask(token)));
  await expect.poll(() => asked()).toBe(before + 1);
  // A request that comes while it is asked waits for the same answer.
  const late = ask(token);
  release();
  expect(new Set((await answers).map(one => one.status))).toEqual(new Set([status]));
  expect([(await late).status, (await ask(token)).status, asked() - before]).toEqual([status, status, 1]);
});

test('limits introspections at once, and says when to come back', async () => {
  provider.answers.introspection = good();
  const release = holdAnswers();
  const before = asked();
  const answers = Promise.all(
    Array.from({ length: limits.maxIntrospectionsAtOnce }, (_, at) => ask(fresh(), { from: `198.51.100.${at % 4}` })),
  );
  await expect.poll(() => asked()).toBe(before + limits.maxIntrospectionsAtOnce);
  const refused = fresh();
  expect(await ask(refused)).toEqual({ status: 503, error: 'TOKENS_BUSY', retryAfter: '5' });
  release();
  expect(new Set((await answers).map(one => one.status))).toEqual(new Set([200]));
  // It was neither accepted nor refused.
  expect((await ask(refused)).status).toBe(200);
});

test('limits introspections of unknown tokens per address, for a while', async () => {
  const before = asked();
  for (let at = 0; at < limits.maxUnknownTokensOfASource; at += 1) expect((await ask(fresh())).status).toBe(401);
  const token = fresh();
  expect(await ask(token)).toEqual({ status: 429, error: 'TOO_MANY_TOKENS', retryAfter: '2' });
  expect(asked() - before).toBe(limits.maxUnknownTokensOfASource);
  expect((await ask(fresh(), { from: '192.0.2.2' })).status).toBe(401);
  time += limits.unknownTokenEveryMs;
  provider.answers.introspection = good();
  // What was turned away is not remembered as refused.
  expect((await ask(token)).status).toBe(200);
  expect((await ask(token)).status).toBe(200);
});

test('counts an IPv6 /64 network as one address', async () => {
  for (let at = 0; at < limits.maxUnknownTokensOfASource; at += 1)
    expect((await ask(fresh(), { from: `2001:db8:1:2::${at.toString(16)}` })).status).toBe(401);
  expect((await ask(fresh(), { from: '2001:db8:1:2:ffff::1' })).status).toBe(429);
  expect((await ask(fresh(), { from: '2001:db8:1:3::1' })).status).toBe(401);
});

test('does not count accepted tokens', async () => {
  provider.answers.introspection = good();
  for (let at = 0; at <= limits.maxUnknownTokensOfASource; at += 1) expect((await ask(fresh())).status).toBe(200);
});

test('refuses an accepted token after its expiry, whatever the cache holds', async () => {
  provider.answers.introspection = good();
  const token = fresh();
  expect((await ask(token)).status).toBe(200);
  time += 599_000;
  expect((await ask(token)).status).toBe(200);
  time += 2_000;
  expect((await ask(token)).status).toBe(401);
});

test('accepts a token of one provider while another is down', async () => {
  other.answers.introspection = good();
  provider.answers.isDown = true;
  expect((await ask(fresh(), { path: '/either/x' })).status).toBe(200);
  other.answers.introspection = { active: false };
  expect(await ask(fresh(), { path: '/either/x' })).toMatchObject({ status: 503, error: 'PROVIDER_DOWN' });
  provider.answers.isDown = false;
});
