import { generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

let upstream: Upstream;
let provider: SmallProvider;
let gate: TestGate;
/** The gate's clock, while it stands still. */
let stoppedAt: number | undefined;

beforeAll(async () => {
  [upstream, provider] = await Promise.all([startUpstream(), startSmallProvider()]);
  gate = await startGate(
    {
      upstream: upstream.origin,
      providers: [
        corpProvider(provider, { accessTokens: { audience: 'https://notes.example.org/api', introspection: true, cache: '1h' } }),
      ],
      rules: [
        { paths: ['/api/**'], allow: { provider: 'corp' }, accessTokens: [{ provider: 'corp', scopes: ['notes:write'] }] },
        { paths: ['/**'], allow: 'signed-in' },
      ],
    },
    { overrides: { now: () => new Date(stoppedAt ?? Date.now()) } },
  );
});

afterAll(async () => {
  for (const one of [gate, provider, upstream]) await one?.[Symbol.asyncDispose]();
});

const now = () => Math.floor(Date.now() / 1000);
const good = () => ({
  iss: provider.issuer,
  aud: 'https://notes.example.org/api',
  sub: 'robot',
  client_id: 'script',
  iat: now(),
  exp: now() + 60,
  jti: crypto.randomUUID(),
  scope: 'notes:write more',
});

async function ask(
  token: string,
  path = '/api/x',
): Promise<{ status: number; error: string | undefined; challenge: string | null }> {
  const answer = await gate.fetch(path, { headers: { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  return {
    status: answer.status,
    error: answer.ok ? undefined : JSON.parse(text).error,
    challenge: answer.headers.get('www-authenticate'),
  };
}

describe('JWT access tokens (RFC 9068)', () => {
  test('lets the bearer of a valid one through, with their identity', async () => {
    expect(await ask(await provider.sign(good(), { typ: 'at+jwt' }))).toMatchObject({ status: 200 });
    expect(upstream.seen.at(-1)?.headers).toMatchObject({ 'x-auth-subject': 'robot', 'x-auth-issuer': provider.issuer });
    expect(await ask(await provider.sign(good(), { typ: 'application/at+jwt' }))).toMatchObject({ status: 200 });
  });

  test('takes a token from no other place than the Authorization header (RFC 6750 §2; CVE-2022-29226)', async () => {
    const token = await provider.sign(good(), { typ: 'at+jwt' });
    const before = upstream.seen.length;
    const statuses = await Promise.all([
      gate.fetch(`/api/x?access_token=${token}`),
      gate.fetch('/api/x', { method: 'POST', body: new URLSearchParams({ access_token: token }) }),
      gate.fetch('/api/x', { headers: { cookie: `access_token=${token}; gate=${token}; BearerToken=${token}` } }),
      gate.fetch('/api/x', { headers: { authorization: token } }),
      gate.fetch('/api/x', { headers: { authorization: `Basic ${btoa(`x:${token}`)}` } }),
      gate.fetch('/api/x', { headers: { 'x-access-token': token, 'x-forwarded-access-token': token } }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
    expect(upstream.seen.length).toBe(before);
  });

  test('refuses an ID Token by name', async () => {
    const claims = { iss: provider.issuer, aud: 'gate', sub: 'ada', iat: now(), exp: now() + 60, nonce: 'n' };
    for (const header of [{}, { typ: 'JWT' }]) {
      expect(await ask(await provider.sign(claims, header))).toEqual({
        status: 401,
        error: 'ID_TOKEN_AS_CREDENTIAL',
        challenge: 'Bearer error="invalid_token"',
      });
    }
    // Dressed up with our audience and a scope it is still the answer to a sign-in.
    expect((await ask(await provider.sign({ ...good(), nonce: 'n' }, { typ: 'JWT' }))).error).toBe('ID_TOKEN_AS_CREDENTIAL');
  });

  const wrong: [string, () => Promise<string>][] = [
    ['another type', () => provider.sign(good(), { typ: 'JWT' })],
    ['a logout token', () => provider.sign(good(), { typ: 'logout+jwt' })],
    ['another issuer', () => provider.sign({ ...good(), iss: 'https://evil.example' }, { typ: 'at+jwt' })],
    ['another audience', () => provider.sign({ ...good(), aud: 'https://notes.example.org/api2' }, { typ: 'at+jwt' })],
    ['no audience', () => provider.sign({ ...good(), aud: undefined } as never, { typ: 'at+jwt' })],
    ['an end in the past', () => provider.sign({ ...good(), exp: now() - 31 }, { typ: 'at+jwt' })],
    ['no end', () => provider.sign({ ...good(), exp: undefined } as never, { typ: 'at+jwt' })],
    ['no client', () => provider.sign({ ...good(), client_id: undefined }, { typ: 'at+jwt' })],
    ['nobody as its subject', () => provider.sign({ ...good(), sub: '' }, { typ: 'at+jwt' })],
    ['a subject that is no text', () => provider.sign({ ...good(), sub: 7 as never }, { typ: 'at+jwt' })],
    ['another key', async () => provider.sign(good(), { typ: 'at+jwt' }, (await generateKeyPair('RS256')).privateKey)],
    [
      'no signature',
      async () =>
        `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${Buffer.from(JSON.stringify(good())).toString('base64url')}.`,
    ],
    ['rubbish', async () => 'a.b.c'],
    ['one that is bound to a key (DPoP)', () => provider.sign({ ...good(), cnf: { jkt: 'x' } }, { typ: 'at+jwt' })],
    ['one that is bound to a certificate', () => provider.sign({ ...good(), cnf: { 'x5t#S256': 'x' } }, { typ: 'at+jwt' })],
  ];
  test.each(wrong)('refuses %s', async (_name, make) => {
    expect(await ask(await make())).toEqual({ status: 401, error: 'TOKEN_REFUSED', challenge: 'Bearer error="invalid_token"' });
  });

  test('answers 403 to a missing scope, and ignores tokens where the rule accepts none', async () => {
    expect(await ask(await provider.sign({ ...good(), scope: 'notes:read' }, { typ: 'at+jwt' }))).toMatchObject({ status: 403 });
    expect(await ask(await provider.sign(good(), { typ: 'at+jwt' }), '/elsewhere')).toMatchObject({
      status: 401,
      error: 'SIGN_IN_REQUIRED',
    });
  });

  test('names in a refusal how to authenticate: by a token where the rule accepts them (RFC 6750 §3)', async () => {
    const few = { authorization: `Bearer ${await provider.sign({ ...good(), scope: 'notes:read' }, { typ: 'at+jwt' })}` };
    const challenge = async (path: string, headers: Record<string, string> = {}) => {
      const answer = await gate.fetch(path, { headers });
      return [answer.status, answer.headers.get('www-authenticate')];
    };
    for (const [path, headers] of [
      ['/api/x', {}],
      ['/gate/check', { 'x-original-uri': '/api/x' }],
      ['/gate/forward', { 'x-forwarded-uri': '/api/x' }],
    ] as [string, Record<string, string>][]) {
      expect(await challenge(path, headers)).toEqual([401, 'Bearer realm="gate"']);
      expect(await challenge(path, { ...headers, ...few })).toEqual([403, 'Bearer error="insufficient_scope"']);
    }
    for (const path of ['/elsewhere', '/gate/me']) expect(await challenge(path)).toEqual([401, 'Cookie realm="gate"']);
    const socket = raw('GET', '/api/x', ['Upgrade: websocket']).replace('Connection: close', 'Connection: Upgrade');
    expect((await sendRaw(gate.origin, socket)).head.toLowerCase()).toContain('www-authenticate: bearer realm="gate"');
  });

  test('says which scope is missing, and once in the log whose groups are too many for a header', async () => {
    const few = await provider.sign({ ...good(), scope: 'notes:read' }, { typ: 'at+jwt' });
    const refused = await gate.fetch('/api/x', { headers: { authorization: `Bearer ${few}` } });
    expect(await refused.json()).toMatchObject({ error: 'FORBIDDEN', message: 'The access token lacks a required scope.' });
    const groups = Array.from({ length: 500 }, (_, at) => `group-${1000 + at}`);
    const lines = () => gate.log.filter(line => line.message === 'an identity header is too long and is left out');
    for (const sub of ['many', 'many', 'more']) {
      const token = await provider.sign({ ...good(), sub, groups } as never, { typ: 'at+jwt' });
      expect((await ask(token)).status).toBe(200);
    }
    expect(lines()).toMatchObject([
      { header: 'X-Auth-Groups', length: 5499, atMost: 4096, provider: 'corp', subject: 'many' },
      { header: 'X-Auth-Groups', length: 5499, atMost: 4096, provider: 'corp', subject: 'more' },
    ]);
  });

  test('refuses two Authorization headers', async () => {
    const lines = [
      `Authorization: Bearer ${await provider.sign(good(), { typ: 'at+jwt' })}`,
      `Authorization: Bearer ${await provider.sign({ ...good(), sub: 'other' }, { typ: 'at+jwt' })}`,
    ];
    const before = upstream.seen.length;
    const { status, body } = await sendRaw(gate.origin, raw('GET', '/api/x', lines));
    expect([status, JSON.parse(body).message]).toEqual([400, 'expected at most one Authorization header']);
    expect(upstream.seen.length).toBe(before);
    expect((await sendRaw(gate.origin, raw('GET', '/api/x', lines.slice(1)))).status).toBe(200);
  });

  test('fetches a new key of the provider', async () => {
    await provider.rotate();
    const token = await provider.sign(good(), { typ: 'at+jwt' });
    await expect.poll(async () => (await ask(token)).status).toBe(200);
  });
});

describe('opaque access tokens (RFC 7662)', () => {
  test('asks the provider once and caches the answer', async () => {
    provider.answers.introspection = {
      active: true,
      sub: 'robot',
      scope: 'notes:write',
      aud: 'https://notes.example.org/api',
      exp: now() + 60,
    };
    const asked = () => provider.requests.filter(path => path === '/introspect').length;
    const before = asked();
    expect((await ask('opaque-one')).status).toBe(200);
    expect((await ask('opaque-one')).status).toBe(200);
    expect(asked() - before).toBe(1);
    expect((await ask('opaque-two')).status).toBe(200);
    expect(asked() - before).toBe(2);
  });

  // An answer that makes no sense is the provider's fault.
  const [refused, nonsense] = [
    { status: 401, error: 'TOKEN_REFUSED' },
    { status: 503, error: 'PROVIDER_DOWN' },
  ];

  test.each([
    ['not active', { active: false }, refused],
    ['for another audience', { active: true, sub: 'robot', scope: 'notes:write', aud: 'elsewhere' }, refused],
    ['over', { active: true, sub: 'robot', scope: 'notes:write', exp: 1 }, refused],
    ['of nobody', { active: true, scope: 'notes:write' }, refused],
    ['of another issuer', { active: true, sub: 'robot', scope: 'notes:write', iss: 'https://evil.example' }, nonsense],
    ['bound to a key', { active: true, sub: 'robot', scope: 'notes:write', cnf: { jkt: 'x' } }, refused],
    ['of the type DPoP', { active: true, sub: 'robot', scope: 'notes:write', token_type: 'DPoP' }, refused],
    ['active as a text', { active: 'true', sub: 'robot', scope: 'notes:write' }, nonsense],
  ])('refuses one that is %s', async (name, answer, refusal) => {
    provider.answers.introspection = answer;
    // The second time from memory, or asked again.
    for (const _time of [1, 2]) expect(await ask(`opaque-${name.replaceAll(' ', '-')}`)).toMatchObject(refusal);
  });

  test('asks nobody about one of more than 16,384 characters', async () => {
    provider.answers.introspection = { active: true, sub: 'robot', scope: 'notes:write' };
    const asked = () => provider.requests.filter(path => path === '/introspect').length;
    // The application behind would not take such a long header.
    const check = async (length: number) => {
      const headers = { 'x-original-uri': '/api/x', 'x-original-method': 'POST', authorization: `Bearer ${'o'.repeat(length)}` };
      return (await gate.fetch('/gate/check', { headers })).status;
    };
    expect(await check(16_384)).toBe(202);
    const before = asked();
    expect(await check(16_385)).toBe(401);
    expect(asked()).toBe(before);
  });

  test('says to a source that asks about too many when to come back', async () => {
    provider.answers.introspection = { active: false };
    // Every two seconds a source may ask once more.
    stoppedAt = Date.now();
    const check = (at: number) =>
      gate.fetch('/gate/check', {
        headers: {
          'x-original-uri': '/api/x',
          'x-original-method': 'GET',
          'x-forwarded-for': '203.0.113.9',
          authorization: `Bearer many-${at}`,
        },
      });
    for (let at = 0; at < 50; at += 1) expect((await check(at)).status).toBe(401);
    const answer = await check(50);
    expect([answer.status, answer.headers.get('retry-after'), (await answer.json()).error]).toEqual([
      429,
      '2',
      'TOO_MANY_TOKENS',
    ]);
    stoppedAt = undefined;
  });

  test('answers 503 while the provider is down', async () => {
    provider.answers.isDown = true;
    expect(await ask('opaque-down')).toMatchObject({ status: 503, error: 'PROVIDER_DOWN' });
    provider.answers.isDown = false;
  });
});
