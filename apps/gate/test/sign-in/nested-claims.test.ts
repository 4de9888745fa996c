import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { cookiesOf, finishSignIn, startSignIn } from '../support/small-sign-in.ts';

// Keycloak says roles in objects, and others name claims by address: rules can ask for both.

let provider: SmallProvider;
let gate: TestGate;
let aheadMs = 0;

beforeAll(async () => {
  provider = await startSmallProvider();
  gate = await startGate(
    {
      providers: [
        corpProvider(provider, {
          refresh: '1m',
          groupsClaim: 'realm_access.roles',
          claims: ['resource_access.my.app.roles', 'https://example.com/unit'],
        }),
      ],
      rules: [
        { paths: ['/realm'], allow: { provider: 'corp', groups: ['staff'] } },
        { paths: ['/client'], allow: { provider: 'corp', claims: { 'resource_access.my.app.roles': ['editor'] } } },
        { paths: ['/unit'], allow: { provider: 'corp', claims: { 'https://example.com/unit': ['lab'] } } },
      ],
    },
    { overrides: { now: () => new Date(Date.now() + aheadMs) } },
  );
});

afterAll(async () => {
  for (const one of [gate, provider]) await one?.[Symbol.asyncDispose]();
});

async function signIn(inToken: Record<string, unknown>, inUserInfo: Record<string, unknown> = {}): Promise<string> {
  const told = { claims: inToken, userInfo: inUserInfo, tokens: { refresh_token: crypto.randomUUID() }, aheadMs };
  const back = await finishSignIn({ gate, provider }, await startSignIn(gate), told);
  expect(back.status).toBe(303);
  return cookiesOf(back);
}

/** Which paths a person may open: 404 comes from behind the gate, where there is no application. */
const opened = async (cookie: string) => {
  const paths = ['/realm', '/client', '/unit'];
  const statuses = await Promise.all(paths.map(async path => (await gate.fetch(path, { headers: { cookie } })).status));
  return paths.filter((_, at) => statuses[at] === 404);
};

test('roles of a realm, roles of a client whose id has a dot, and a claim named by an address', async () => {
  const whole = {
    realm_access: { roles: ['staff'] },
    resource_access: { 'my.app': { roles: ['editor'] }, account: { roles: ['view-profile'] } },
    'https://example.com/unit': 'lab',
  };
  expect(await opened(await signIn(whole))).toEqual(['/realm', '/client', '/unit']);
  expect(await opened(await signIn({}, whole))).toEqual(['/realm', '/client', '/unit']);
});

test.each([
  ['nothing', {}],
  ['the roles of another client', { resource_access: { wiki: { roles: ['editor'] } }, realm_access: { roles: ['editor'] } }],
  ['an object in place of the list', { realm_access: { roles: { staff: true } }, resource_access: ['my.app'] }],
  ['the names of members', { realm_access: 'roles', roles: ['staff'], unit: 'lab' }],
])('%s opens nothing', async (_name, claims) => {
  expect(await opened(await signIn(claims))).toEqual([]);
});

test('a renewal without an ID Token takes back what only the UserInfo endpoint said', async () => {
  const cookie = await signIn({ realm_access: { roles: ['staff'] } }, { realm_access: { roles: ['staff'] } });
  expect(await opened(cookie)).toEqual(['/realm']);
  aheadMs += 61_000;
  provider.answers.token = async () => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer' } });
  provider.answers.userInfo = { sub: 'ada' };
  expect(await opened(cookie)).toEqual([]);
});
