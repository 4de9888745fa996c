import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { cookiesOf, finishSignIn, startSignIn } from '../support/small-sign-in.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// If a provider turns out to let people set their own address, the operator can end the trust at once, before they sign in again.

let provider: SmallProvider;
let upstream: Upstream;
let gate: TestGate;

beforeAll(async () => {
  [provider, upstream] = await Promise.all([startSmallProvider(), startUpstream()]);
  gate = await startGate({
    upstream: upstream.origin,
    providers: [corpProvider(provider, { trustedEmailDomains: ['example.org'] })],
    rules: [
      { paths: ['/staff/**', '/events'], allow: { provider: 'corp', emailDomains: ['example.org'] } },
      { paths: ['/**'], allow: 'signed-in' },
    ],
  });
});

afterAll(async () => {
  for (const one of [gate, upstream, provider]) await one?.[Symbol.asyncDispose]();
});

async function signIn(claims: object): Promise<string> {
  const back = await finishSignIn({ gate, provider }, await startSignIn(gate), { claims, userInfo: claims });
  expect(back.status).toBe(303);
  return cookiesOf(back);
}

/** The status that the rule leads to, and the address that the application gets. */
async function seen(cookie: string): Promise<[number, string | undefined]> {
  const { status } = await gate.fetch('/staff/list', { headers: { cookie } });
  await gate.fetch('/x', { headers: { cookie } });
  return [status, upstream.seen.at(-1)?.headers['x-auth-email'] as string | undefined];
}

const trust = (domains: string[] | undefined) =>
  gate.app.reload(
    gate.readConfig({ providers: [corpProvider(provider, domains === undefined ? {} : { trustedEmailDomains: domains })] }),
  );

test('stops counting a domain that is no longer trusted, but keeps a verified address', async () => {
  const ada = await signIn({ sub: 'ada', email: 'ada@example.org' });
  const bob = await signIn({ sub: 'bob', email: 'bob@example.org', email_verified: true });
  expect([await seen(ada), await seen(bob)]).toEqual([
    [200, 'ada@example.org'],
    [200, 'bob@example.org'],
  ]);
  const [hers, his] = await Promise.all([ada, bob].map(cookie => gate.fetch('/events', { headers: { cookie } })));
  expect([hers?.status, his?.status]).toEqual([200, 200]);
  await trust(undefined);
  expect([await seen(ada), await seen(bob)]).toEqual([
    [403, undefined],
    [200, 'bob@example.org'],
  ]);
  // Her open stream is cut, his is not.
  await expect(hers?.text()).rejects.toThrow();
  const reader = his?.body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  // The gate would wait for it when it is closed.
  await reader?.cancel();
  await trust(['example.org']);
  expect(await seen(ada)).toEqual([200, 'ada@example.org']);
});
