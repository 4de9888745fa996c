import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// The key set of a provider whose access tokens rules accept. Only the gate's clock is moved.

let upstream: Upstream;
let provider: SmallProvider;
let gate: TestGate;
let time = Date.now();
let made = 0;

beforeEach(async () => {
  [upstream, provider] = await Promise.all([startUpstream(), startSmallProvider()]);
  gate = await startGate(
    {
      upstream: upstream.origin,
      providers: [corpProvider(provider, { accessTokens: { audience: 'notes' } })],
      rules: [{ paths: ['/**'], allow: 'signed-in', accessTokens: [{ provider: 'corp' }] }],
    },
    { overrides: { now: () => new Date(time) } },
  );
});

afterEach(async () => {
  for (const one of [gate, provider, upstream]) await one[Symbol.asyncDispose]();
});

const pass = (seconds: number) => {
  time += seconds * 1000;
};
const asked = () => provider.requests.filter(path => path === '/jwks').length;

/** What the gate answers to a token of the provider, under this key id. */
async function ask(kid?: string): Promise<string> {
  const answer = await send(kid);
  return answer.ok ? 'accepted' : ((await answer.json()) as { error: string }).error;
}

async function send(kid?: string): Promise<Response> {
  const now = Math.floor(time / 1000);
  const claims = { iss: provider.issuer, aud: 'notes', sub: 'robot', client_id: 'script', iat: now, exp: now + 60, jti: 'x' };
  const token = await provider.sign(claims, { typ: 'at+jwt', ...(kid === undefined ? {} : { kid }) });
  return gate.fetch('/x', { headers: { authorization: `Bearer ${token}` } });
}

const invented = () => ask(`invented-${++made}`);

test('uses cached keys for a day while the key set is down, and reports an unknown key as an outage', async () => {
  expect(await ask()).toBe('accepted');
  provider.answers.isKeySetDown = true;
  pass(3_600);
  expect([await ask(), await invented()]).toEqual(['accepted', 'PROVIDER_DOWN']);
  pass(86_400);
  expect(await ask()).toBe('PROVIDER_DOWN');
  provider.answers.isKeySetDown = false;
  const former = `key-1`;
  await provider.rotate();
  pass(60);
  expect([await ask(), await ask(former)]).toEqual(['accepted', 'TOKEN_REFUSED']);
});

test('fetches a failing key set only every few seconds, whatever tokens come', async () => {
  provider.answers.isKeySetDown = true;
  for (let at = 0; at < 10; at += 1) expect(await invented()).toBe('PROVIDER_DOWN');
  expect(asked()).toBe(2);
  pass(5);
  provider.answers.isKeySetDown = false;
  expect([await ask(), asked()]).toEqual(['accepted', 3]);
});

test('invented key ids that never stop cause fewer and fewer fetches, but one at least every 40 s', async () => {
  expect(await ask()).toBe('accepted');
  const times: number[] = [];
  for (let second = 0; second < 120; second += 1) {
    const before = asked();
    const answer = await invented();
    const isAsked = asked() > before;
    // While the provider may not be asked again the key could be a new one: nothing is decided.
    expect(answer).toBe(isAsked ? 'TOKEN_REFUSED' : 'PROVIDER_DOWN');
    if (isAsked) times.push(second);
    pass(1);
  }
  expect(times).toEqual([0, 5, 15, 35, 75, 115]);
  await provider.rotate();
  pass(40);
  expect(await ask()).toBe('accepted');
});

test('says when the keys may be fetched again for an unknown key', async () => {
  expect(await ask()).toBe('accepted');
  expect(await invented()).toBe('TOKEN_REFUSED');
  for (const left of [5, 3]) {
    const answer = await send('another');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, String(left)]);
    pass(2);
  }
});

test('reads an endless key set up to its limit, and reports an outage', async () => {
  provider.answers.endless = '/jwks';
  expect(await ask()).toBe('PROVIDER_DOWN');
  // The limit, and what the two ends of a connection hold.
  expect(provider.endlessBytes()).toBeLessThan(16_777_216);
});
