import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nothingAfterwards, sealResult } from '../../src/routes/afterwards.ts';
import { newSecret } from '../../src/sessions/pending.ts';
import { Sealer } from '../../src/sessions/seal.ts';
import { startGate, type TestGate, testKey } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { shownOn } from '../support/shown.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// Whole pages and answers of a sign-out: who is asked first, what ends, where it leads, what the browser forgets.

const page = { accept: 'text/html' };
const rules = [{ paths: ['/**'], allow: 'signed-in' }];
let provider: SmallProvider;
let gate: TestGate;
/** The same on https. */
let secure: TestGate;
let token: string;

beforeAll(async () => {
  provider = await startSmallProvider();
  provider.answers.hasSignOut = true;
  const down = { ...corpProvider(provider), id: 'down', name: 'Down', issuer: 'http://127.0.0.1:9' };
  gate = await startGate({ providers: [corpProvider(provider), down], rules });
  secure = await startGate(
    { publicUrl: 'https://notes.example.org', providers: [corpProvider(provider)], rules },
    { store: gate.store },
  );
  token = await provider.sign({ iss: provider.issuer, sub: 'ada', aud: 'gate' });
});

beforeEach(() => {
  for (const one of [gate, secure]) one.log.length = 0;
});

afterAll(async () => {
  for (const one of [secure, gate, provider]) await one?.[Symbol.asyncDispose]();
});

const linesOf = async (answer: Response) => shownOn(await answer.text()).slice(1);
const recordOf = (issuer = provider.issuer, more: object = {}) => ({
  signIn: {
    identity: { issuer, subject: 'ada' },
    claims: {},
    tokens: { accessToken: 'a', tokenType: 'Bearer', idToken: token, signedIdToken: token, ...more },
  },
});
const signedIn = (more: Parameters<typeof sessionCookie>[1] = {}) =>
  sessionCookie(gate, { issuer: provider.issuer, ...more }, recordOf(more.issuer));
const leave = (
  cookie: string,
  { one = gate, body = '', headers = {} }: { one?: TestGate; body?: string; headers?: object } = {},
) =>
  one.fetch('/gate/sign-out', {
    method: 'POST',
    headers: { ...page, cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  });
const close = 'Close the browser if you share this computer.';
const statusOf = async (cookie: string) => (await gate.fetch('/gate/me', { headers: { cookie } })).status;
const signOuts = async () =>
  /gate_sign_outs_total\{how="person"\} (\d+)/.exec(await (await gate.fetch('/gate/metrics')).text())?.[1];

describe('the question', () => {
  test.each([
    [{}, 'ada@example.org'],
    [{ email: undefined }, 'Ada'],
    [{ email: undefined, name: undefined }, 'ada'],
  ])('names the person (%j: %s), and ends nothing', async (more, who) => {
    const cookie = await signedIn(more);
    const answer = await gate.fetch('/gate/sign-out', { headers: { ...page, cookie } });
    expect(answer.headers.get('content-security-policy')).toContain("form-action 'self' https: http:;");
    const html = await answer.text();
    expect([answer.status, shownOn(html).slice(1)]).toEqual([
      200,
      [
        'Sign out?',
        `You are signed in as ${who}.`,
        'Sign out',
        'Stay signed in -> /',
        'This also asks Corp to sign you out of its other applications.',
      ],
    ]);
    expect(html).not.toContain('name="after"');
    expect(await statusOf(cookie)).toBe(200);
  });

  test('is none where nobody is signed in, as by the back button after a sign-out', async () => {
    expect(await linesOf(await gate.fetch('/gate/sign-out', { headers: page }))).toEqual([
      'You are not signed in',
      'Sign in -> /gate/sign-in',
    ]);
  });
});

describe('a sign-out', () => {
  test('ends the session before it leads to the provider, and the browser keeps what the return needs', async () => {
    const cookie = await signedIn();
    const before = Number((await signOuts()) ?? 0);
    const answer = await leave(`__Host-${cookie}`, { one: secure });
    const asked = new URL(answer.headers.get('location') ?? '');
    expect([answer.status, asked.origin + asked.pathname]).toEqual([303, `${provider.issuer}/end`]);
    expect(asked.searchParams.get('post_logout_redirect_uri')).toBe('https://notes.example.org/gate/signed-out');
    expect(answer.headers.getSetCookie()).toEqual([
      '__Host-gate=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0',
      expect.stringMatching(/^__Host-gate-browser=[\w-]{32}; Path=\/; HttpOnly; Secure; SameSite=None$/),
      '__Host-gate-leaving=corp; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=900',
    ]);
    expect(await statusOf(cookie)).toBe(401);
    expect(secure.log).toEqual([
      { time: expect.any(String), level: 'info', audit: 'signed-out', provider: 'corp', subject: 'ada' },
    ]);
    expect(Number((await signOuts()) ?? 0)).toBe(before);
    expect(await (await secure.fetch('/gate/metrics')).text()).toContain('gate_sign_outs_total{how="person"} 1\n');
  });

  test('that a page of another site asks for is none', async () => {
    const cookie = await signedIn();
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await leave(cookie, { headers });
      expect([answer.status, (await linesOf(answer)).at(-1), await statusOf(cookie)]).toEqual([403, 'CROSS_SITE', 200]);
    }
  });

  test('of nobody says that it is over', async () => {
    const answer = await leave('');
    expect([answer.status, await linesOf(answer)]).toEqual([
      200,
      [
        'You are signed out',
        'You may still be signed in to other applications until their own sessions end.',
        'Sign in again -> /gate/sign-in',
      ],
    ]);
    expect(gate.log).toEqual([]);
  });

  test('at a provider that is down ends here, and says so', async () => {
    const issuer = 'http://127.0.0.1:9';
    const cookie = await sessionCookie(gate, { provider: 'down', issuer }, recordOf(issuer));
    const answer = await leave(cookie);
    expect([answer.status, await linesOf(answer)]).toEqual([
      200,
      [
        'You are signed out',
        `You are signed out here, but we couldn't ask Down to sign you out as well. You may still be signed in there. ${close}`,
        'Sign in again -> /gate/sign-in',
      ],
    ]);
    expect(await statusOf(cookie)).toBe(401);
    expect(gate.log).toMatchObject([
      { audit: 'signed-out', provider: 'down' },
      { audit: 'sign-out-unconfirmed', provider: 'down', code: expect.stringMatching(/^OIDC_/) },
    ]);
    expect(answer.headers.getSetCookie()).toEqual(['gate=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);
  });

  test.each([
    ['without a word', 200],
    ['also where that fails', 500],
  ])('takes back the refresh token, and goes on to the provider %s', async (_name, revocationStatus) => {
    await using other = await startSmallProvider();
    Object.assign(other.answers, { hasSignOut: true, revocationStatus });
    await using one = await startGate({ providers: [corpProvider(other)], rules });
    const cookie = await sessionCookie(one, { issuer: other.issuer }, recordOf(other.issuer, { refreshToken: 'r' }));
    const answer = await leave(cookie, { one });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringContaining(`${other.issuer}/end?`)]);
    await expect.poll(() => other.revoked).toEqual([['r', 'refresh_token']]);
    const isWell = revocationStatus === 200;
    const counted = `gate_revocations_total{provider="corp",outcome="${isWell ? 'revoked' : 'failed'}"} 1\n`;
    await expect.poll(async () => (await one.fetch('/gate/metrics')).text()).toContain(counted);
    const warnings = one.log.filter(line => line.level === 'warn');
    expect(warnings).toMatchObject(isWell ? [] : [{ message: 'could not revoke tokens', provider: 'corp' }]);
    expect(JSON.stringify(one.log)).not.toContain('"r"');
    // Nobody asks who has none.
    await leave(await sessionCookie(one, { issuer: other.issuer }, recordOf(other.issuer)), { one });
    expect(other.revoked.length).toBe(1);
  });

  test('at a provider without one ends here', async () => {
    await using silent = await startSmallProvider();
    await using one = await startGate({ providers: [corpProvider(silent)], rules });
    const cookie = await sessionCookie(one, { issuer: silent.issuer }, recordOf(silent.issuer));
    const answer = await leave(cookie, { one });
    expect(await linesOf(answer)).toEqual([
      'You are signed out',
      'You may still be signed in to other applications until their own sessions end.',
      'Sign in again -> /gate/sign-in',
    ]);
  });
});

describe('what follows a sign-out', () => {
  const sealer = new Sealer([testKey]);
  const seal = (after: object, purpose = 'after sign-out') => sealer.seal(JSON.stringify(after), purpose);
  const wiki = { ...nothingAfterwards, application: 'Wiki', url: 'https://wiki.example/bye?a=1' };

  test('leads back to the application that asked, if we said so ourselves', async () => {
    const answer = await leave('', { body: `${new URLSearchParams({ after: seal(wiki) })}` });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, wiki.url]);
    for (const after of [seal(wiki, 'end session'), JSON.stringify(wiki), wiki.url])
      expect((await leave('', { body: `${new URLSearchParams({ after })}` })).headers.get('location')).toBeNull();
  });

  test('is told first where a party was silent', async () => {
    const after = seal({ ...wiki, silent: ['Board'] });
    const answer = await gate.fetch(`/gate/signed-out?${new URLSearchParams({ after })}`, { headers: page });
    expect([answer.status, await linesOf(answer)]).toEqual([
      200,
      [
        'You are signed out',
        'You are signed out here, but Board did not confirm that it signed you out. Close the browser if you share this computer.',
        'You may still be signed in to other applications until their own sessions end.',
        'Go back to Wiki -> https://wiki.example/bye?a=1',
        'Sign in again -> /gate/sign-in',
      ],
    ]);
    const nameless = seal({ url: wiki.url, silent: ['Board'] });
    const other = await gate.fetch(`/gate/signed-out?${new URLSearchParams({ after: nameless })}`, { headers: page });
    expect(await linesOf(other)).toContain('Go back to wiki.example -> https://wiki.example/bye?a=1');
  });

  test('is told first where the provider was not asked', async () => {
    const issuer = 'http://127.0.0.1:9';
    const cookie = await sessionCookie(gate, { provider: 'down', issuer }, recordOf(issuer));
    const answer = await leave(cookie, { body: `${new URLSearchParams({ after: seal(wiki) })}` });
    expect([answer.status, await linesOf(answer)]).toEqual([
      200,
      [
        'You are signed out',
        `You are signed out here, but we couldn't ask Down to sign you out as well. You may still be signed in there. ${close}`,
        'Go back to Wiki -> https://wiki.example/bye?a=1',
        'Sign in again -> /gate/sign-in',
      ],
    ]);
  });

  test('goes along through the provider, and counts once', async () => {
    const answer = await leave(await signedIn(), { body: `${new URLSearchParams({ after: seal(wiki) })}` });
    const cookie = answer.headers
      .getSetCookie()
      .map(text => text.split(';')[0])
      .join('; ');
    const state = new URL(answer.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const back = () => gate.fetch(`/gate/signed-out?state=${state}`, { headers: { ...page, cookie } });
    const first = await back();
    expect([first.status, first.headers.get('location')]).toEqual([303, wiki.url]);
    expect(first.headers.getSetCookie()).toEqual(['gate-leaving=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);
    const again = await back();
    expect([again.status, again.headers.get('location')]).toEqual([200, null]);
  });

  test('of a provider that is gone meanwhile is not called complete', async () => {
    const answer = await leave(await signedIn());
    const cookie = answer.headers
      .getSetCookie()
      .map(text => text.split(';')[0])
      .join('; ');
    const state = new URL(answer.headers.get('location') ?? '').searchParams.get('state') ?? '';
    await gate.app.reload(gate.readConfig({ providers: [{ ...corpProvider(provider), id: 'other', name: 'Other' }] }));
    const back = await gate.fetch(`/gate/signed-out?state=${state}`, { headers: { ...page, cookie } });
    expect([back.status, (await linesOf(back))[1]]).toEqual([
      200,
      'You are signed out here, but your provider did not confirm that it signed you out everywhere. Close the browser if you share this computer.',
    ]);
    await gate.app.reload(gate.config);
  });

  test('is said of a provider that is there, to the browser of the sign-out', async () => {
    const browser = newSecret();
    const shown = async (result: Parameters<typeof sealResult>[2], cookie = `gate-browser=${browser}`) => {
      const query = new URLSearchParams({ result: sealResult(sealer, browser, result), after: seal(wiki) });
      const answer = await gate.fetch(`/gate/signed-out?${query}`, { headers: { ...page, cookie } });
      return answer.headers.get('location') ?? (await linesOf(answer)).slice(1);
    };
    expect(await shown({ outcome: 'complete', provider: 'corp' })).toBe(wiki.url);
    const halfDone = [
      'You are signed out here, but Corp did not confirm that it signed you out everywhere. Close the browser if you share this computer.',
      'Go back to Wiki -> https://wiki.example/bye?a=1',
      'Sign in again -> /gate/sign-in',
    ];
    expect(await shown({ outcome: 'half-done', provider: 'corp' })).toEqual(halfDone);
    // Nothing is said of a provider that is gone, nor to anybody else.
    expect(await shown({ outcome: 'half-done', provider: 'gone' })).toBe(wiki.url);
    expect(await shown({ outcome: 'half-done' })).toBe(wiki.url);
    expect(await shown({ outcome: 'half-done', provider: 'corp' }, `gate-browser=${newSecret()}`)).toBe(wiki.url);
    // Three of the browser's secrets are tried.
    const others = Array.from({ length: 3 }, () => `gate-browser=${newSecret()}`);
    const own = `gate-browser=${browser}`;
    expect(await shown({ outcome: 'half-done', provider: 'corp' }, [...others.slice(0, 2), own].join('; '))).toEqual(halfDone);
    expect(await shown({ outcome: 'half-done', provider: 'corp' }, [...others, own].join('; '))).toBe(wiki.url);
  });
});
