import { request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { type LoopbackOptions, signInWithLoopback } from '../src/native.ts';
import { errorOf } from './support/expect-refused.ts';
import { FakeOp } from './support/fake-op.ts';
import { hasIpv6 } from './support/has-ipv6.ts';
import { PersonAtBrowser } from './support/person-at-browser.ts';
import { startRealOp } from './support/real-op.ts';

const honest = async (changes: Partial<LoopbackOptions> & Pick<LoopbackOptions, 'openBrowser'>) => {
  const provider = await FakeOp.start();
  const { redirectUri: _, clientAuthentication: __, ...options } = provider.options();
  return { provider, outcome: signInWithLoopback({ ...options, ...changes }) };
};

/** A request to the loopback address as any program of this machine could make it. */
function knock(address: string, method = 'GET', host?: string): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const url = new URL(address);
  const sent = httpRequest(
    {
      host: url.hostname.replace(/[[\]]/g, ''),
      port: url.port,
      path: url.pathname + url.search,
      method,
      headers: { host: host ?? url.host },
    },
    async response => {
      resolve({ status: response.statusCode!, text: Buffer.concat(await response.toArray()).toString() });
    },
  );
  sent.on('error', reject).end();
  return promise;
}

test.for(['127.0.0.1', '::1'] as const)('signs a person in through the browser and back to %s', async (host, context) => {
  if (host === '::1' && !hasIpv6) context.skip('this machine has no IPv6');
  const pages: { status: number; text: string }[] = [];
  let redirectUri = '';
  const provider = await FakeOp.start();
  const { redirectUri: _, clientAuthentication: __, ...options } = provider.options();
  const { signIn, relyingParty } = await signInWithLoopback({
    ...options,
    host,
    openBrowser: async url => {
      redirectUri = url.searchParams.get('redirect_uri')!;
      pages.push(await knock(provider.authorize(url)));
    },
  });
  expect(signIn.identity.subject).toBe('sub-1');
  expect(redirectUri).toMatch(/^http:\/\/(127\.0\.0\.1|\[::1\]):\d+\/[\w-]{43}$/);
  await expect.poll(() => pages).toEqual([{ status: 200, text: 'You are signed in. You can close this window.\n' }]);
  await expect(knock(redirectUri)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  const body = provider.bodies.find(sent => sent.has('code_verifier'))!;
  expect([body.has('client_secret'), body.has('client_assertion')]).toEqual([false, false]);
  expect((await relyingParty.refresh(signIn)).identity).toEqual(signIn.identity);
});

test.each([
  ['in a code before the state', (code: string, rest: string) => `code=${code}?&${rest}`],
  ['in a code after the state', (code: string, rest: string) => `${rest}&code=${code}?`],
])('a question mark that the provider leaves bare in the query (RFC 3986 §3.4), %s, arrives', async (_where, query) => {
  const codes: (string | null)[] = [];
  const provider = await FakeOp.start();
  const { redirectUri: _, clientAuthentication: __, ...options } = provider.options();
  const outcome = signInWithLoopback({
    ...options,
    timeoutMs: 20_000,
    fetch: (url, init) => {
      if (!url.endsWith('/token')) return provider.fetch(url, init);
      const body = new URLSearchParams(String(init.body));
      codes.push(body.get('code'));
      body.set('code', body.get('code')!.replace('?', ''));
      return provider.fetch(url, { ...init, body });
    },
    openBrowser: async url => {
      const back = new URL(provider.authorize(url));
      const code = back.searchParams.get('code')!;
      back.searchParams.delete('code');
      await knock(`${back.origin}${back.pathname}?${query(code, String(back.searchParams))}`);
    },
  });
  expect((await outcome).signIn.identity.subject).toBe('sub-1');
  expect(codes).toEqual([expect.stringMatching(/\?$/)]);
});

test('signs in end to end at a real provider', async () => {
  const native = {
    client_id: 'native',
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    redirect_uris: ['http://127.0.0.1/callback'],
  };
  await using real = await startRealOp([{ ...native, grant_types: ['authorization_code'], response_types: ['code'] }]);
  const { signIn } = await signInWithLoopback({
    issuer: real.issuer,
    clientId: 'native',
    path: '/callback',
    clockToleranceSeconds: 2,
    dangerouslyAllowLoopbackHttp: true,
    openBrowser: async url => {
      const backTo = url.searchParams.get('redirect_uri')!;
      await knock(await new PersonAtBrowser().signIn(url, 'reader', backTo));
    },
  });
  expect(signIn.identity).toEqual({ issuer: real.issuer, subject: 'reader' });
});

test('answers 404 to a request with a wrong path, state or host, and keeps waiting', async () => {
  const statuses: Record<string, number> = {};
  const { outcome } = await honest({
    openBrowser: async url => {
      const address = url.searchParams.get('redirect_uri')!;
      const state = url.searchParams.get('state')!;
      const good = `${address}?code=x&state=${state}`;
      const origin = new URL(address).origin;
      statuses['another path'] = (await knock(`${origin}/?code=x&state=${state}`)).status;
      statuses.favicon = (await knock(`${origin}/favicon.ico`)).status;
      statuses['no state'] = (await knock(`${address}?code=x`)).status;
      statuses['another state'] = (await knock(`${address}?code=x&state=y`)).status;
      statuses['two states'] = (await knock(`${good}&state=${state}`)).status;
      statuses.POST = (await knock(good, 'POST')).status;
      statuses.HEAD = (await knock(good, 'HEAD')).status;
      statuses['the name localhost'] = (await knock(good, 'GET', `localhost:${new URL(address).port}`)).status;
      statuses['a name that was rebound'] = (await knock(good, 'GET', 'evil.example')).status;
      throw new Error('closed by the person');
    },
  });
  await expect(outcome).rejects.toThrow('closed by the person');
  expect(Object.keys(statuses)).toHaveLength(9);
  expect(new Set(Object.values(statuses))).toEqual(new Set([404]));
});

test('accepts only the first answer', async () => {
  const pages: number[] = [];
  const provider = await FakeOp.start();
  const { redirectUri: _, clientAuthentication: __, ...options } = provider.options();
  await signInWithLoopback({
    ...options,
    openBrowser: async url => {
      const address = provider.authorize(url);
      const answers = await Promise.allSettled([knock(address), knock(address)]);
      pages.push(...answers.filter(answer => answer.status === 'fulfilled').map(answer => answer.value.status));
    },
  });
  await expect.poll(() => pages.filter(status => status === 200)).toHaveLength(1);
});

test('shows neither code nor reason on the failure page', async () => {
  const pages: string[] = [];
  const provider = await FakeOp.start();
  provider.faults.callback = parameters => {
    parameters.delete('code');
    parameters.set('error', 'access_denied');
    parameters.set('error_description', '<script>');
  };
  const { redirectUri: _, clientAuthentication: __, ...options } = provider.options();
  const outcome = signInWithLoopback({
    ...options,
    openBrowser: async url => void pages.push((await knock(provider.authorize(url))).text),
  });
  expect(await errorOf(outcome)).toMatchObject({ code: 'OIDC_PROVIDER_ERROR', providerError: 'access_denied' });
  await expect.poll(() => pages).toEqual(['The sign-in did not succeed. Please return to the app.\n']);
});

test('stops waiting and frees the port if no one comes', async () => {
  let address = '';
  const { outcome } = await honest({
    // A busy machine must open the browser before.
    timeoutMs: 2_000,
    openBrowser: url => {
      address = url.searchParams.get('redirect_uri')!;
    },
  });
  expect((await errorOf(outcome)).code).toBe('OIDC_NATIVE_TIMEOUT');
  await expect(knock(address)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('reports that the machine has no browser', async () => {
  const path = process.env.PATH;
  process.env.PATH = '/nonexistent';
  try {
    const { openSystemBrowser } = await import('../src/native.ts');
    expect((await errorOf(openSystemBrowser(new URL('https://op.example/')))).code).toBe('OIDC_NATIVE_BROWSER');
  } finally {
    process.env.PATH = path;
  }
});
