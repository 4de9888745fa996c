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
  [{ target_link_uri: 'javascript:alert(1)' }],
  [{ login_hint: 'x'.repeat(257) }],
])('%j is refused', async parameters => {
  const error = await errorOf(read(parameters as Record<string, string>));
  expect(['OIDC_INITIATE_LOGIN', 'OIDC_CONFIG_INVALID']).toContain(error.code);
});
