import { afterAll, beforeAll, expect, test } from 'vitest';
import { readClaim } from '../../src/model/claim-path.ts';
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
          claims: ['resource_access.my.app.roles', 'https://example.com/unit', 'urn:zitadel:iam:org:project:roles'],
        }),
      ],
      rules: [
        { paths: ['/realm'], allow: { provider: 'corp', groups: ['staff'] } },
        { paths: ['/client'], allow: { provider: 'corp', claims: { 'resource_access.my.app.roles': ['editor'] } } },
        { paths: ['/zitadel'], allow: { provider: 'corp', claims: { 'urn:zitadel:iam:org:project:roles': ['admin'] } } },
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
  const paths = ['/realm', '/client', '/unit', '/zitadel'];
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

test('roles that are the names of an object, each with the organizations where the person has it (Zitadel)', async () => {
  const name = 'urn:zitadel:iam:org:project:roles';
  const roles = { reader: { '1': 'example.org' }, admin: { '165': 'corp.example', '166': 'lab.example' } };
  expect(await opened(await signIn({ [name]: roles }))).toEqual(['/zitadel']);
  expect(await opened(await signIn({}, { [name]: roles }))).toEqual(['/zitadel']);
  expect(await opened(await signIn({ realm_access: { roles: { staff: { '1': 'example.org' } } } }))).toEqual(['/realm']);
  // A rule can also ask for the role in one organization.
  expect(readClaim({ [name]: roles }, `${name}.admin.165`)).toBe('corp.example');
  expect(await opened(await signIn({ [name]: { reader: roles.reader } }))).toEqual([]);
});

test.each([false, true, null, 0, 'no', [], ['165'], {}, { '165': false }, { '165': 'a', roles: ['x'] }, { '165': {} }])(
  'a name with %j in that object is no role',
  async value => {
    expect(await opened(await signIn({ 'urn:zitadel:iam:org:project:roles': { admin: value } }))).toEqual([]);
  },
);

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
