import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promptForAccount } from '../../src/sign-in/oidc.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { cookiesOf, finishSignIn, startSignIn } from '../support/small-sign-in.ts';

// A person whose account may not come here chooses another one. That is a wish, not a proof: a provider need not say when it asked.

const page = { accept: 'text/html' };
let provider: SmallProvider;
let gate: TestGate;

beforeAll(async () => {
  provider = await startSmallProvider();
  gate = await startGate({
    providers: [corpProvider(provider, { prompt: 'select_account' })],
    rules: [{ paths: ['/**'], allow: { provider: 'corp', groups: ['board'] } }],
  });
});

afterAll(async () => {
  for (const one of [gate, provider]) await one?.[Symbol.asyncDispose]();
});

/** Follows the link, and comes back with an ID Token that does not say when the provider asked. */
async function goThrough(path: string, cookie: string) {
  const started = await startSignIn(gate, path, cookie);
  const told = { claims: { sub: 'grace', groups: ['board'] }, userInfo: { sub: 'grace' } };
  const back = await finishSignIn({ gate, provider }, started, told);
  return { asked: started.authorize.searchParams, back };
}

test('leads a signed-in person to the provider, and back as another person', async () => {
  const cookie = await sessionCookie(gate, { issuer: provider.issuer });
  const denied = await (await gate.fetch('/x', { headers: { ...page, cookie } })).text();
  const link = /href="(\/gate\/sign-in[^"]*)">Sign in with another account/.exec(denied)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const { asked, back } = await goThrough(link, cookie);
  expect([asked.get('prompt'), asked.get('max_age')]).toEqual(['select_account', null]);
  expect([back.status, back.headers.get('location')]).toEqual([303, '/x']);
  expect((await gate.fetch('/x', { headers: { cookie: cookiesOf(back) } })).status).toBe(404);
});

test('a sign-in that must be fresh still needs proof', async () => {
  const { asked, back } = await goThrough('/gate/sign-in?fresh=1&returnTo=/x', '');
  expect([asked.get('prompt'), asked.get('max_age')]).toEqual(['login', '0']);
  expect([back.status, await back.text()]).toEqual([403, expect.stringContaining('OIDC_CLAIM_AUTH_TIME')]);
  const both = await goThrough('/gate/sign-in?fresh=1&another=1&returnTo=/x', '');
  expect(both.asked.get('max_age')).toBe('0');
});

test('a person whom the provider refused may choose another account there', async () => {
  const { authorize, cookie } = await startSignIn(gate, '/gate/sign-in?returnTo=/x');
  const state = authorize.searchParams.get('state');
  const refused = await gate.fetch(`/gate/corp/callback?error=access_denied&state=${state}`, { headers: { ...page, cookie } });
  expect(await refused.text()).toContain('href="/gate/sign-in?another=1&amp;provider=corp&amp;returnTo=%2Fx"');
});

describe('asks for what the provider knows', () => {
  const at = (issuer: string, prompt?: string) => ({ issuer, prompt });
  test.each([
    ['it publishes both', at('https://op.example'), ['none', 'login', 'select_account'], 'select_account'],
    ['it publishes no choice of accounts', at('https://op.example', 'select_account'), ['none', 'login'], 'login'],
    ['it publishes nothing', at('https://op.example'), undefined, 'login'],
    ['it publishes nothing, but the operator says it', at('https://op.example', 'select_account'), undefined, 'select_account'],
    ['Google', at('https://accounts.google.com'), undefined, 'select_account'],
    ['Entra', at('https://login.microsoftonline.com/t/v2.0'), undefined, 'select_account'],
    ['a name that only begins like Google’s', at('https://accounts.google.com.op.example'), undefined, 'login'],
    ['something that is no list', at('https://op.example'), 'select_account', 'login'],
  ])('%s', (_name, config, known, expected) => {
    expect(promptForAccount(config, { prompt_values_supported: known })).toBe(expected);
  });
});
