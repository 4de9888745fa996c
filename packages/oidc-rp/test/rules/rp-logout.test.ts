import { expect, test } from 'vitest';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const postLogoutRedirectUri = 'https://rp.example/signed-out';

async function started(returnTo?: string) {
  const rp = (await FakeOp.start()).relyingParty({ postLogoutRedirectUri });
  return { rp, ...(await rp.startSignOut({ idTokenHint: 'a.b.c', ...(returnTo === undefined ? {} : { returnTo }) })) };
}

test('names client, session, return address and state in the request', async () => {
  const { url, pending } = await started();
  expect(url.href).toMatch(/^https:\/\/op\.example\/end-session\?/);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'notes',
    id_token_hint: 'a.b.c',
    post_logout_redirect_uri: postLogoutRedirectUri,
    state: pending.state,
  });
  expect((await started()).pending.state).not.toBe(pending.state);
});

test('sends no state without a return address', async () => {
  const { url } = await (await FakeOp.start()).relyingParty().startSignOut({ logoutHint: 'reader' });
  expect(Object.fromEntries(url.searchParams)).toEqual({ client_id: 'notes', logout_hint: 'reader' });
});

test('redirects a return with the right state to the requested page', async () => {
  const { rp, pending } = await started('/bye');
  expect(await rp.finishSignOut(`${postLogoutRedirectUri}?state=${pending.state}`, pending)).toEqual({
    state: 'matched',
    returnTo: '/bye',
  });
});

test.each([
  ['another state', '?state=other', 'different'],
  ['no state', '', 'absent'],
  ['two states', '?state=a&state=b', 'absent'],
  ['an address to go to', '?state=other&return=https://evil.example', 'different'],
  ['64 kB', `?state=${'x'.repeat(70_000)}`, 'absent'],
])('a return with %s goes nowhere and is no error', async (_fault, query, state) => {
  const { rp, pending } = await started('/bye');
  expect(await rp.finishSignOut(`${postLogoutRedirectUri}${query}`, pending)).toEqual({ state, returnTo: undefined });
});

test('a return to a browser that started nothing goes nowhere and is no error', async () => {
  const { rp } = await started();
  expect(await rp.finishSignOut(`${postLogoutRedirectUri}?state=x`, undefined)).toEqual({
    state: 'different',
    returnTo: undefined,
  });
});

test('refuses a return path on another site at the start', async () => {
  expect((await errorOf(started('//evil.example'))).code).toBe('OIDC_CONFIG_INVALID');
});
