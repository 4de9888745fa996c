import { generateKeyPairSync } from 'node:crypto';
import type { SignIn } from '@octavo/oidc-rp';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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
import { sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// What an application was given is asked for again at the person's own provider when it is time, though the person is not there.

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
let provider: SmallProvider;
let wiki: Application;
let gate: TestGate;
let issuer: string;
let shiftMs = 0;
let asked = 0;

beforeAll(async () => {
  const port = await freePort();
  issuer = `http://127.0.0.1:${port}/gate/oidc`;
  provider = await startSmallProvider();
  wiki = await startApplication(issuer, 'wiki', { scopes: ['openid', 'groups', 'offline_access'] });
  gate = await startGate(
    {
      providers: [corpProvider(provider, { userInfo: false })],
      rules: [{ paths: ['/**'], allow: 'signed-in' }],
      bridge: {
        keys: [{ env: 'RSA_KEY' }],
        clients: [
          clientFor(wiki, 'wiki', {
            scopes: ['groups', 'offline_access'],
            allow: { provider: 'corp', groups: ['staff', 'guests'] },
          }),
        ],
      },
    },
    {
      port,
      env: { RSA_KEY: key, APPLICATION_SECRET: applicationSecret },
      overrides: { now: () => new Date(Date.now() + shiftMs) },
    },
  );
});

beforeEach(() => {
  shiftMs = 0;
  asked = 0;
});

afterAll(async () => {
  for (const one of [gate, wiki, provider]) await one?.[Symbol.asyncDispose]();
});

const idToken = (groups: readonly string[]) => {
  const now = Math.floor((Date.now() + shiftMs) / 1000);
  return provider.sign({ iss: provider.issuer, sub: 'ada', aud: 'gate', iat: now, exp: now + 300, groups } as never);
};

/** A person signs in at the application; in a minute the gate is to ask their provider again. */
async function signIn(): Promise<{ signIn: SignIn; jar: Jar }> {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: provider.issuer, sub: 'ada', aud: 'gate', iat: now, exp: now + 300 };
  const token = await idToken(['staff']);
  const tokens = { accessToken: 'a', tokenType: 'Bearer', idToken: token, signedIdToken: token };
  const record = {
    signIn: {
      identity: { issuer: provider.issuer, subject: 'ada' },
      claims,
      tokens: { ...tokens, refreshToken: `r-${crypto.randomUUID()}` },
    },
  };
  const jar = new Jar();
  const [name = '', value = ''] = (await sessionCookie(gate, { issuer: provider.issuer }, record, Date.now() + 60_000)).split(
    '=',
  );
  jar.cookies.set(name, value);
  return { signIn: await signInAt(wiki, jar, { prompt: 'consent' }), jar };
}

const say = (groups: readonly string[]) => {
  provider.answers.token = async () => {
    asked += 1;
    return {
      status: 200,
      body: { access_token: 'b', token_type: 'Bearer', id_token: await idToken(groups), refresh_token: crypto.randomUUID() },
    };
  };
};

describe('an application that comes back without the person', () => {
  test("gets the person's current groups once a refresh is due", async () => {
    const { signIn: before } = await signIn();
    say(['guests']);
    expect(await wiki.relyingParty.fetchUserInfo(before)).toMatchObject({ groups: ['staff'] });
    expect(asked).toBe(0);
    shiftMs = 90_000;
    const renewed = await wiki.relyingParty.refresh(before);
    expect(await wiki.relyingParty.fetchUserInfo(renewed)).toMatchObject({ groups: ['guests'] });
    // Both were asked about within the same minutes.
    expect(asked).toBe(1);
  });

  test('gets nothing for a person who lost the required group', async () => {
    const { signIn: before } = await signIn();
    say(['strangers']);
    shiftMs = 90_000;
    await expect(wiki.relyingParty.refresh(before)).rejects.toMatchObject({ providerError: 'invalid_grant' });
    await expect(wiki.relyingParty.fetchUserInfo(before)).rejects.toThrow();
  });

  test('is signed out when the provider ends the sign-in', async () => {
    const { signIn: before, jar } = await signIn();
    provider.answers.token = async () => ({ status: 400, body: { error: 'invalid_grant' } });
    shiftMs = 90_000;
    const told = wiki.signedOut.length;
    await expect(wiki.relyingParty.refresh(before)).rejects.toThrow();
    await expect.poll(() => wiki.signedOut.length).toBe(told + 1);
    expect((await gate.fetch('/gate/me', { headers: { cookie: jar.header } })).status).toBe(401);
  });

  test('keeps everything while the provider is unreachable', async () => {
    const { signIn: before } = await signIn();
    provider.answers.isDown = true;
    shiftMs = 90_000;
    const renewed = await wiki.relyingParty.refresh(before);
    provider.answers.isDown = false;
    expect(await wiki.relyingParty.fetchUserInfo(renewed)).toMatchObject({ groups: ['staff'] });
  });
});

test('does not accept a logout token as id_token_hint', async () => {
  const { signIn: before, jar } = await signIn();
  const payload = { iss: issuer, aud: 'wiki', sub: before.identity.subject };
  const logoutToken = (typ: string) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'RS256', typ }).setIssuedAt().sign(pair.privateKey);
  const end = async (hint: string) =>
    (await follow(`${issuer}/session/end?id_token_hint=${hint}`, jar, 'https://op.example')).response?.status;
  expect(await end(await logoutToken('logout+jwt'))).toBe(400);
  expect((await gate.fetch('/gate/me', { headers: { cookie: jar.header } })).status).toBe(200);
  expect(await end(await logoutToken('JWT'))).toBe(200);
  expect((await gate.fetch('/gate/me', { headers: { cookie: jar.header } })).status).toBe(401);
});
