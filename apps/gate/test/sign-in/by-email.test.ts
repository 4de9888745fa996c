import { afterAll, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// A person types an address, and its domain says which provider they belong to.

let provider: SmallProvider;
let gate: TestGate;

beforeAll(async () => {
  provider = await startSmallProvider();
  gate = await startGate({
    providers: [corpProvider(provider, { emailDomains: ['example.org'] }), { ...corp, id: 'other', name: 'Other' }],
    rules: [{ paths: ['/**'], allow: 'signed-in' }],
  });
});

afterAll(async () => {
  for (const one of [gate, provider]) await one?.[Symbol.asyncDispose]();
});

const type = (email: string, headers: Record<string, string> = { origin: gate.origin }) =>
  gate.fetch('/gate/sign-in', {
    method: 'POST',
    headers: { accept: 'text/html', ...headers },
    body: new URLSearchParams({ email, returnTo: '/plan' }),
  });

test('leads to the provider of its domain, which learns the address', async () => {
  const answer = await type(' Ada@Example.org ');
  const asked = new URL(answer.headers.get('location') ?? '');
  expect([answer.status, asked.origin, asked.searchParams.get('login_hint')]).toEqual([303, provider.origin, 'Ada@example.org']);
});

test.each([
  ['ada', 'That is not an email address.'],
  [`${'a'.repeat(300)}@example.org`, 'That is not an email address.'],
  ['ada@elsewhere.example', 'No provider is set up for elsewhere.example.'],
])('of %s the page says what is wrong with it, and keeps what was typed', async (email, words) => {
  const answer = await type(email);
  const text = await answer.text();
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([422, []]);
  expect(text).toContain(words);
  expect(text).toContain(`value="${email.slice(0, 254)}"`);
  expect(text).toContain('value="/plan"');
});

test('a page of another site begins no sign-in', async () => {
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as Record<string, string>[]) {
    const answer = await type('ada@example.org', headers);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
  }
});

test('a secret that the gate did not make ties no sign-in to a browser', async () => {
  const start = async (cookie: string) => {
    const answer = await gate.fetch('/gate/sign-in?provider=corp', { headers: { accept: 'text/html', cookie } });
    return answer.headers.getSetCookie().find(text => text.startsWith('gate-browser='));
  };
  expect(await start('gate-browser=planted')).toMatch(/^gate-browser=[\w-]{32}; /);
  expect(await start(`gate-browser=planted; gate-browser=${'x'.repeat(32)}`)).toBeUndefined();
});
