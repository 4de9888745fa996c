import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { comeBack, finishSignIn, startSignIn } from '../support/small-sign-in.ts';

// A provider that answers 429 or 503 and says when to come again.

const page = { accept: 'text/html' };
const discovery = '/.well-known/openid-configuration';
let provider: SmallProvider;
let gate: TestGate;

beforeAll(async () => {
  provider = await startSmallProvider();
});
afterAll(() => provider[Symbol.asyncDispose]());

/** A gate that knows nothing of its provider yet. */
beforeEach(async () => {
  provider.answers.busy = undefined;
  provider.requests.length = 0;
  gate = await startGate({ providers: [corpProvider(provider)], rules: [{ paths: ['/**'], allow: 'signed-in' }] });
  return () => gate[Symbol.asyncDispose]();
});

const asked = (path: string) => provider.requests.filter(one => one === path).length;
const outage = [503, '17', expect.stringContaining('The provider is unavailable')];
const shown = async (answer: Response) => [answer.status, answer.headers.get('retry-after'), await answer.text()];

test.each([429, 503])('at discovery with %s: people hear when, and the provider is not asked for each of them', async status => {
  provider.answers.busy = { path: discovery, status, retryAfter: '17' };
  const begin = () => gate.fetch('/gate/sign-in?provider=corp', { headers: page });
  for (let at = 0; at < 20; at += 1) expect(await shown(await begin())).toEqual(outage);
  expect(asked(discovery)).toBeLessThanOrEqual(3);
});

test.each([429, 503])('at the token endpoint with %s: the person hears when, and signs in then', async status => {
  const started = await startSignIn(gate);
  provider.answers.busy = { path: '/token', status, retryAfter: '17' };
  expect(await shown(await comeBack(gate, started))).toEqual(outage);
  expect(asked('/token')).toBe(1);
  provider.answers.busy = undefined;
  expect((await finishSignIn({ gate, provider }, await startSignIn(gate))).status).toBe(303);
});

test('at its key set: the person hears when, and signs in then', async () => {
  provider.answers.busy = { path: '/jwks', status: 429, retryAfter: '17' };
  expect(await shown(await finishSignIn({ gate, provider }, await startSignIn(gate)))).toEqual(outage);
  provider.answers.busy = undefined;
  expect((await finishSignIn({ gate, provider }, await startSignIn(gate))).status).toBe(303);
});

test('at its key set, when it has a key that is not known yet', async () => {
  expect((await finishSignIn({ gate, provider }, await startSignIn(gate))).status).toBe(303);
  await provider.rotate();
  provider.answers.busy = { path: '/jwks', status: 503, retryAfter: '17' };
  expect(await shown(await finishSignIn({ gate, provider }, await startSignIn(gate)))).toEqual(outage);
});
