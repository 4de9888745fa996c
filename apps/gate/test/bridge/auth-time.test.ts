import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Application,
  applicationSecret,
  clientFor,
  follow,
  Jar,
  signInAt,
  startApplication,
} from '../support/application.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { freePort } from '../support/servers.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// An application that asks when a person last authenticated must not get the time of a sign-in at which the provider did not ask them.

let provider: SmallProvider;
let application: Application;
let gate: TestGate;

beforeAll(async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  [provider, application] = await Promise.all([startSmallProvider(), startApplication(`${origin}/gate/oidc`, 'wiki')]);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  gate = await startGate(
    {
      providers: [
        corpProvider(provider),
        corpProvider(provider, { id: 'slow', name: 'Slow', clientId: 'slow', clockToleranceSeconds: 120 }),
      ],
      rules: [{ paths: ['/**'], allow: 'signed-in' }],
      bridge: { keys: [{ env: 'RSA_KEY' }], clients: [clientFor(application, 'wiki')] },
    },
    {
      port,
      env: {
        RSA_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
        APPLICATION_SECRET: applicationSecret,
      },
    },
  );
});

afterAll(async () => {
  for (const one of [gate, application, provider]) await one?.[Symbol.asyncDispose]();
});

/** Signs a person in at the gate, with these claims from the provider. */
async function browserOf(claims: object, id = 'corp'): Promise<Jar> {
  const jar = new Jar();
  const get = async (path: string) => {
    const answer = await gate.fetch(path, { headers: { accept: 'text/html', cookie: jar.header } });
    jar.take(answer);
    return answer;
  };
  const started = await get(`/gate/sign-in?provider=${id}`);
  const asked = new URL(started.headers.get('location') ?? '').searchParams;
  const now = Math.floor(Date.now() / 1000);
  const about = { iss: provider.issuer, aud: id === 'corp' ? 'gate' : id, sub: 'ada', iat: now, exp: now + 300 };
  const idToken = await provider.sign({ ...about, nonce: asked.get('nonce') ?? '', ...claims });
  provider.answers.token = async () => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token: idToken } });
  provider.answers.userInfo = { sub: 'ada' };
  expect((await get(`/gate/${id}/callback?code=c&state=${asked.get('state')}`)).status).toBe(303);
  return jar;
}

test('makes the provider ask the person again if it gives no auth_time and an application needs it', async () => {
  const jar = await browserOf({});
  const { url } = await application.relyingParty.startSignIn({ maxAgeSeconds: 3600 });
  const stopped = await follow(url.href, jar, `${gate.origin}/gate/sign-in`);
  expect(new URL(stopped.url).searchParams.get('fresh')).toBe('1');
  const again = await gate.fetch(`${stopped.url.slice(gate.origin.length)}&provider=corp`, {
    headers: { accept: 'text/html', cookie: jar.header },
  });
  expect(new URL(again.headers.get('location') ?? '').searchParams.get('max_age')).toBe('0');
  // Without `max_age` nothing changes: as far as the gate knows, it was long ago.
  expect((await signInAt(application, jar)).claims.auth_time).toBe(0);
});

test("passes on the provider's auth_time", async () => {
  const authTime = Math.floor(Date.now() / 1000) - 600;
  const jar = await browserOf({ auth_time: authTime });
  expect((await signInAt(application, jar, { maxAgeSeconds: 3600 })).claims.auth_time).toBe(authTime);
});

test.each([
  ['prompt=login', { prompt: 'login' }],
  ['prompt=select_account', { prompt: 'select_account' }],
  ['max_age=60', { maxAgeSeconds: 60 }],
])('%s: a new session is not enough unless the provider asked the person', async (_name, more) => {
  const ago = (seconds: number) => ({ auth_time: Math.floor(Date.now() / 1000) - seconds });
  const jar = await browserOf(ago(600));
  const { url, pending } = await application.relyingParty.startSignIn(more);
  const stopped = await follow(url.href, jar, `${gate.origin}/gate/sign-in`);
  const returnTo = new URL(stopped.url).searchParams.get('returnTo') ?? '';
  const withSessionOf = async (claims: object) => {
    for (const [name, value] of (await browserOf(claims)).cookies) jar.cookies.set(name, value);
    return follow(`${gate.origin}${returnTo}`, jar, `${application.origin}/callback`);
  };
  // The person went to the sign-in page on their own, and the provider let them through without asking.
  for (const claims of [ago(600), ago(120), {}]) expect((await withSessionOf(claims)).response).toBeDefined();
  const end = await withSessionOf(ago(20));
  expect(end.response).toBeUndefined();
  const signIn = await application.relyingParty.finishSignIn({ method: 'GET', url: end.url }, pending);
  expect(signIn.identity.issuer).toBe(`${gate.origin}/gate/oidc`);
});

test.each([
  ['prompt=login', { prompt: 'login' }, 130],
  ['max_age=5', { maxAgeSeconds: 5 }, 135],
])(
  '%s: a provider whose clock may be far behind is believed as far as its tolerance, and asked no more',
  async (_name, more, tooLong) => {
    const ago = (seconds: number) => ({ auth_time: Math.floor(Date.now() / 1000) - seconds });
    const jar = await browserOf(ago(600), 'slow');
    const { url } = await application.relyingParty.startSignIn(more);
    const stopped = await follow(url.href, jar, `${gate.origin}/gate/sign-in`);
    const returnTo = new URL(stopped.url).searchParams.get('returnTo') ?? '';
    const isAskedAgain = async (claims: object) => {
      for (const [name, value] of (await browserOf(claims, 'slow')).cookies) jar.cookies.set(name, value);
      return (await follow(`${gate.origin}${returnTo}`, jar, `${application.origin}/callback`)).response !== undefined;
    };
    expect([await isAskedAgain(ago(tooLong)), await isAskedAgain(ago(60))]).toEqual([true, false]);
  },
);
