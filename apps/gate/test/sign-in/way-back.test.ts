import { afterAll, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';

// Where a person comes back to after the sign-in, if they came by another name of the site, or by a very long address.

const page = { accept: 'text/html' };
const publicUrl = 'https://notes.example.org';
let gate: TestGate;

beforeAll(async () => {
  gate = await startGate({ publicUrl, providers: [corp], rules: [{ paths: ['/**'], allow: 'signed-in' }] });
});

afterAll(() => gate?.[Symbol.asyncDispose]());

test.each([
  ['its address', {}],
  ['a name that a proxy sends along', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }],
])('a person who comes by %s signs in under publicUrl, and keeps the way back', async (_name, headers) => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await gate.fetch('/deep?a=1', { method, headers: { ...page, ...headers } });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${publicUrl}/gate/sign-in?returnTo=%2Fdeep%3Fa%3D1`]);
  }
});

test.each([
  ['GET', '/deep?a=1', `${publicUrl}/deep?a=1`],
  ['GET', '//evil.example/', `${publicUrl}/`],
  ['POST', '/deep', undefined],
])('a forward-auth server that is asked about %s %s on another host shows where the site is', async (method, uri, href) => {
  const headers = { 'x-forwarded-host': 'other.example', 'x-forwarded-method': method, 'x-forwarded-uri': uri };
  const answer = await gate.fetch('/gate/forward', { headers: { ...page, ...headers } });
  const text = await answer.text();
  expect([answer.status, /<a [^>]*href="([^"]*)">Go to notes\.example\.org</.exec(text)?.[1]]).toEqual([403, href]);
  expect(text).not.toContain('evil.example');
});

test.each([
  ['as a proxy', `/x?${'a'.repeat(4096)}`, {}],
  ['as a forward-auth server', '/gate/forward', { 'x-forwarded-uri': `/x?${'a'.repeat(4096)}` }],
])('%s, an address that is too long to keep is not forgotten in silence', async (_name, path, headers) => {
  const answer = await gate.fetch(path, { headers: { ...page, ...headers } });
  const location = answer.headers.get('location') ?? '';
  expect(location).toBe(`${publicUrl}/gate/sign-in?notice=long`);
  // The only provider is not entered without a word.
  const shown = await gate.fetch(location.slice(publicUrl.length), { headers: page });
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('is too long to keep while you sign in.')]);
});

test('nor is one that a link to the sign-in page names', async () => {
  const path = `/gate/sign-in?provider=corp&returnTo=/x?${'a'.repeat(4096)}`;
  expect(await (await gate.fetch(path, { headers: page })).text()).toContain('is too long to keep while you sign in.');
});
