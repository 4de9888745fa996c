import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// Two registrations at one provider, each with an audience of its own: a token counts for the one that it names.

let upstream: Upstream;
let provider: SmallProvider;
let gate: TestGate;

beforeAll(async () => {
  [upstream, provider] = await Promise.all([startUpstream(), startSmallProvider()]);
  gate = await startGate({
    upstream: upstream.origin,
    providers: [
      corpProvider(provider, { accessTokens: { audience: 'notes' } }),
      corpProvider(provider, { id: 'wiki', clientId: 'wiki-gate', accessTokens: { audience: 'wiki' } }),
    ],
    rules: [
      { paths: ['/notes/**'], allow: { provider: 'corp' }, accessTokens: [{ provider: 'corp' }] },
      { paths: ['/wiki/**'], allow: { provider: 'wiki' }, accessTokens: [{ provider: 'wiki' }] },
      {
        paths: ['/either/**'],
        allow: 'signed-in',
        accessTokens: [
          { provider: 'corp', scopes: ['notes'] },
          { provider: 'wiki', scopes: ['wiki'] },
        ],
        headers: { 'X-By': 'provider' },
      },
      {
        paths: ['/wiki-people/**'],
        allow: { provider: 'wiki' },
        accessTokens: [{ provider: 'corp' }, { provider: 'wiki' }],
      },
    ],
  });
});

afterAll(async () => {
  for (const one of [gate, provider, upstream]) await one?.[Symbol.asyncDispose]();
});

const now = Math.floor(Date.now() / 1000);

function token(aud: string | string[], more: object = {}, header: object = { typ: 'at+jwt' }): Promise<string> {
  const claims = { iss: provider.issuer, aud, sub: 'robot', client_id: 'script', iat: now, exp: now + 600, jti: 'x' };
  return provider.sign({ ...claims, scope: 'notes wiki', ...more }, header);
}

async function ask(path: string, bearer: string): Promise<string> {
  const answer = await gate.fetch(path, { headers: { authorization: `Bearer ${bearer}` } });
  const text = await answer.text();
  return answer.ok ? '200' : `${answer.status} ${JSON.parse(text).error}`;
}

test("opens for each audience only its own provider's rules", async () => {
  const [notes, wiki] = [await token('notes'), await token('wiki')];
  expect([await ask('/notes/x', notes), await ask('/wiki/x', wiki)]).toEqual(['200', '200']);
  expect([await ask('/notes/x', wiki), await ask('/wiki/x', notes)]).toEqual(['401 TOKEN_REFUSED', '401 TOKEN_REFUSED']);
});

test('where a rule takes both, a token counts for the provider whose audience it names, with the scopes asked of that one', async () => {
  expect(await ask('/either/x', await token('wiki'))).toBe('200');
  expect(upstream.seen.at(-1)?.headers['x-by']).toBe('wiki');
  expect(await ask('/either/x', await token('notes'))).toBe('200');
  expect(upstream.seen.at(-1)?.headers['x-by']).toBe('corp');
  expect(await ask('/either/x', await token('wiki', { scope: 'notes' }))).toBe('403 FORBIDDEN');
  expect(await ask('/either/x', await token('elsewhere'))).toBe('401 TOKEN_REFUSED');
});

test('counts a token for both for the provider that the rule lets in', async () => {
  expect(await ask('/wiki-people/x', await token(['notes', 'wiki']))).toBe('200');
  expect(await ask('/wiki-people/x', await token('notes'))).toBe('403 FORBIDDEN');
  expect(await ask('/either/x', await token(['notes', 'wiki'], { scope: 'wiki' }))).toBe('200');
  expect(await ask('/either/x', await token(['notes', 'wiki'], { scope: 'neither' }))).toBe('403 FORBIDDEN');
});

test('refuses an ID Token of either registration by name', async () => {
  for (const aud of ['gate', 'wiki-gate'])
    expect(await ask('/either/x', await token(aud, {}, { typ: 'JWT' }))).toBe('401 ID_TOKEN_AS_CREDENTIAL');
});

test('what a provider said about an opaque token counts for its own audience alone', async () => {
  const opaque = (audience: string) => ({ audience, introspection: true });
  await using one = await startGate({
    upstream: upstream.origin,
    providers: [
      corpProvider(provider, { accessTokens: opaque('notes') }),
      corpProvider(provider, { id: 'wiki', clientId: 'wiki-gate', accessTokens: opaque('wiki') }),
    ],
    rules: ['corp', 'wiki'].map(id => ({ paths: [`/${id}/**`], allow: 'signed-in', accessTokens: [{ provider: id }] })),
  });
  provider.answers.introspection = { active: true, sub: 'robot', aud: 'notes' };
  const statusAt = async (path: string) => (await one.fetch(path, { headers: { authorization: 'Bearer opaque-one' } })).status;
  expect([await statusAt('/corp/x'), await statusAt('/wiki/x'), await statusAt('/corp/x')]).toEqual([200, 401, 200]);
});
