import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sealResult } from '../../src/routes/afterwards.ts';
import { newSecret } from '../../src/sessions/pending.ts';
import { Sealer } from '../../src/sessions/seal.ts';
import { startGate, type TestGate, testKey } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// The page that says what a provider confirmed of a sign-out: only what did happen may be read there.

const confirmed = 'Corp signed you out as well.';
let provider: SmallProvider;
let gate: TestGate;

beforeAll(async () => {
  provider = await startSmallProvider();
  provider.answers.hasSignOut = true;
  gate = await startGate({
    providers: [corpProvider(provider), corpProvider(provider, { id: 'lab', name: 'Lab', clientId: 'lab' })],
    rules: [{ paths: ['/**'], allow: 'signed-in' }],
  });
});

afterAll(async () => {
  for (const one of [gate, provider]) await one?.[Symbol.asyncDispose]();
});

/** Signs out, up to where the provider is asked. @returns the browser's cookies and the state that comes back */
async function leave(): Promise<{ cookie: string; state: string }> {
  const token = await provider.sign({ iss: provider.issuer, sub: 'ada', aud: 'gate' });
  const signIn = {
    identity: { issuer: provider.issuer, subject: 'ada' },
    claims: {},
    tokens: { accessToken: 'a', tokenType: 'Bearer', idToken: token, signedIdToken: token },
  };
  const cookie = await sessionCookie(gate, { issuer: provider.issuer }, { signIn });
  const answer = await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie, origin: gate.origin } });
  const cookies = answer.headers.getSetCookie().map(text => text.split(';')[0]);
  expect(cookies).toContain('gate-leaving=corp');
  const state = new URL(answer.headers.get('location') ?? '').searchParams.get('state') ?? '';
  return { cookie: cookies.join('; '), state };
}

/** @returns whether the page says that the provider confirmed, and whether the browser forgets that it asked */
async function show(query: Record<string, string>, cookie: string): Promise<{ isConfirmed: boolean; forgets: boolean }> {
  const answer = await gate.fetch(`/gate/signed-out?${new URLSearchParams(query)}`, { headers: { cookie } });
  expect(answer.status).toBe(200);
  const forgets = answer.headers.getSetCookie().some(text => text.startsWith('gate-leaving=;'));
  return { isConfirmed: (await answer.text()).includes(confirmed), forgets };
}

describe('the page after a sign-out', () => {
  test('says nothing that an address alone says, and keeps what is under way for the real return', async () => {
    const { cookie, state } = await leave();
    for (const query of [{ outcome: 'complete', provider: 'corp' }, { state: newSecret() }, { result: newSecret() }, {}])
      expect(await show(query as Record<string, string>, cookie)).toEqual({ isConfirmed: false, forgets: false });
    expect(await show({ state }, cookie)).toEqual({ isConfirmed: true, forgets: true });
  });

  test('is not shown to a person who is signed in, unless a sign-out in this browser leads there', async () => {
    const browser = newSecret();
    const cookie = `${await sessionCookie(gate, { issuer: provider.issuer })}; gate-browser=${browser}`;
    const titleAt = async (query: string) =>
      /<h1>([^<]*)<\/h1>/.exec(await (await gate.fetch(`/gate/signed-out?${query}`, { headers: { cookie } })).text())?.[1];
    const sealed = (result: Parameters<typeof sealResult>[2], secret = browser) =>
      String(new URLSearchParams({ result: sealResult(new Sealer([testKey]), secret, result) }));
    expect([
      await titleAt(''),
      await titleAt(sealed({ outcome: 'here' }, newSecret())),
      await titleAt(sealed({ outcome: 'half-done', provider: 'corp', isStray: true })),
      await titleAt(sealed({ outcome: 'half-done', provider: 'corp' })),
      await titleAt(sealed({ outcome: 'complete', provider: 'corp', isReturn: true })),
    ]).toEqual(['Sign out?', 'Sign out?', 'Sign out?', 'You are signed out', 'You are signed out']);
  });

  test('a return from one provider leaves a sign-out at another one under way', async () => {
    const { cookie, state } = await leave();
    expect(await show({ state }, cookie.replace('gate-leaving=corp', 'gate-leaving=lab'))).toMatchObject({ forgets: false });
  });

  test('a result that the gate sealed counts in the browser that it was sealed for', async () => {
    const [mine, other] = [newSecret(), newSecret()];
    const sealed = (result: Parameters<typeof sealResult>[2]) => ({ result: sealResult(new Sealer([testKey]), mine, result) });
    const returned = sealed({ outcome: 'complete', provider: 'corp', isReturn: true });
    const cookies = (browser: string, leaving: string) => `gate-browser=${browser}; gate-leaving=${leaving}`;
    expect(await show(returned, cookies(mine, 'corp'))).toEqual({ isConfirmed: true, forgets: true });
    expect(await show(returned, cookies(mine, 'lab'))).toEqual({ isConfirmed: true, forgets: false });
    expect(await show(returned, cookies(other, 'corp'))).toEqual({ isConfirmed: false, forgets: false });
    const refused = sealed({ outcome: 'half-done', provider: 'corp' });
    expect(await show(refused, cookies(mine, 'corp'))).toEqual({ isConfirmed: false, forgets: false });
  });
});
