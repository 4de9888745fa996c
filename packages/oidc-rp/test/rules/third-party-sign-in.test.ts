import { expect, test } from 'vitest';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const origin = 'https://rp.example';
const read = async (parameters: Record<string, string>, method: 'GET' | 'POST' = 'GET') => {
  const query = new URLSearchParams({ iss: 'https://op.example', ...parameters });
  const address = `${origin}/initiate`;
  const request = method === 'GET' ? `${address}?${query}` : new Request(address, { method, body: query });
  return (await FakeOp.start()).relyingParty().readThirdPartySignIn(request, origin);
};

test('issuer, hint and target are read from an address or a form', async () => {
  const expected = { loginHint: 'reader', returnTo: '/n/1?x=2' };
  expect(await read({ login_hint: 'reader', target_link_uri: 'https://rp.example/n/1?x=2' })).toEqual(expected);
  expect(await read({ login_hint: 'reader', target_link_uri: 'https://rp.example/n/1?x=2' }, 'POST')).toEqual(expected);
  expect(await read({})).toEqual({ loginHint: undefined, returnTo: undefined });
});

test.each([
  [{ iss: 'https://evil.example' }],
  [{ target_link_uri: 'https://evil.example/' }],
  [{ target_link_uri: 'https://rp.example.evil.example/' }],
  [{ target_link_uri: 'http://rp.example/' }],
  [{ target_link_uri: 'https://rp.example@evil.example/' }],
  [{ target_link_uri: 'https://u@rp.example/' }],
  [{ target_link_uri: '/n/1' }],
  [{ target_link_uri: 'https://rp.example//evil.example' }],
  [{ target_link_uri: 'https://rp.example/.//evil.example' }],
  [{ target_link_uri: `https://rp.example/${'x'.repeat(2_048)}` }],
  [{ target_link_uri: 'blob:https://rp.example/x' }],
  [{ target_link_uri: 'javascript:alert(1)' }],
  [{ login_hint: 'x'.repeat(257) }],
])('refuses %j', async parameters => {
  const error = await errorOf(read(parameters as Record<string, string>));
  expect([error.code, error.status]).toEqual(['OIDC_INITIATE_LOGIN', 400]);
});

test.each([
  [{ iss: 'https://evil.example' }, 'initiate_login.iss', 'https://op.example', 'https://evil.example'],
  [{ iss: '' }, 'initiate_login.iss', 'https://op.example', ''],
  [{ login_hint: 'x'.repeat(257) }, 'initiate_login.login_hint', 'at most 256 characters', undefined],
  [
    { target_link_uri: 'https://u@rp.example/' },
    'initiate_login.target_link_uri',
    `a page of ${origin}`,
    'https://u@rp.example/',
  ],
  [{ target_link_uri: '/n/1' }, 'initiate_login.target_link_uri', `a page of ${origin}`, '/n/1'],
] as [Record<string, string>, string, string, string | undefined][])(
  '%j is refused by its name, with what would do',
  async (parameters, check, expected, received) => {
    expect(await errorOf(read(parameters))).toMatchObject({ code: 'OIDC_INITIATE_LOGIN', check, expected });
    expect((await errorOf(read(parameters))).received).toBe(received);
  },
);

test('a hint of 256 characters is taken; no issuer, one given twice and another method are not', async () => {
  const hint = 'x'.repeat(256);
  expect((await read({ login_hint: hint })).loginHint).toBe(hint);
  const rp = (await FakeOp.start()).relyingParty();
  const refused = async (request: Parameters<typeof rp.readThirdPartySignIn>[0]) =>
    errorOf(rp.readThirdPartySignIn(request, origin));
  expect(await refused(`${origin}/initiate`)).toMatchObject({ check: 'initiate_login.iss', received: 'none' });
  const twice = await refused(`${origin}/initiate?iss=https://op.example&iss=https://op.example`);
  expect([twice.code, twice.check]).toEqual(['OIDC_INITIATE_LOGIN', expect.stringMatching(/^initiate_login/)]);
  const put = await refused({ method: 'PUT', url: '/initiate?iss=https://op.example' });
  expect(put.code).toBe('OIDC_INITIATE_LOGIN');
});

test('with Entra tenants, the issuer of the configuration and of each tenant may ask, and no other', async () => {
  const host = 'https://login.microsoftonline.com';
  const tenant = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
  const op = await FakeOp.start();
  op.issuer = `${host}/common/v2.0`;
  const rp = op.relyingParty({ entraTenants: [tenant] });
  const ask = (iss: string) => {
    const query = new URLSearchParams({ iss, login_hint: 'a' });
    return rp.readThirdPartySignIn(`${origin}/initiate?${query}`, origin);
  };
  for (const iss of [`${host}/common/v2.0`, `${host}/${tenant}/v2.0`]) expect((await ask(iss)).loginHint).toBe('a');
  const stranger = `${host}/6ba7b810-9dad-11d1-80b4-00c04fd430c8/v2.0`;
  expect(await errorOf(ask(stranger))).toMatchObject({ code: 'OIDC_INITIATE_LOGIN', check: 'initiate_login.iss' });
});

test.each([undefined, 'null', 'https://rp.example/', 'https://rp.example:443', 'rp.example', 'https://RP.example'])(
  'a site that says it is at %j is set up wrongly',
  async siteOrigin => {
    const rp = (await FakeOp.start()).relyingParty();
    const error = await errorOf(rp.readThirdPartySignIn(`${origin}/initiate?iss=https://op.example`, siteOrigin as string));
    expect([error.code, error.check]).toEqual(['OIDC_CONFIG_INVALID', 'siteOrigin']);
  },
);
