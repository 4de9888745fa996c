import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { inEnvelope, type SmallIdp, startSmallIdp } from '../support/small-idp.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { finishSignIn, startSignIn } from '../support/small-sign-in.ts';

// The holder of a refresh token of a session that is over could go on in the person's name, so the gate revokes it.

let provider: SmallProvider;
let idp: SmallIdp;
let tokens: TestServer;
let gate: TestGate;
/** What the authorization server behind the SAML provider was asked to revoke. */
const revoked: Record<string, string>[] = [];
let status = 200;

beforeAll(async () => {
  [provider, idp, tokens] = await Promise.all([
    startSmallProvider(),
    startSmallIdp(),
    serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (request.url === '/revoke') revoked.push(Object.fromEntries(new URLSearchParams(body)));
      response.writeHead(status).end();
    }),
  ]);
  provider.answers.revocationStatus = 200;
  const tokenExchange = {
    tokenEndpoint: `${tokens.origin}/token`,
    revocationEndpoint: `${tokens.origin}/revoke`,
    clientId: 'gate',
    header: 'X-Access-Token',
  };
  const uni = { ...idp.provider, tokenExchange };
  gate = await startGate(
    { providers: [corpProvider(provider), uni], rules: [{ paths: ['/**'], allow: 'signed-in' }] },
    { env: idp.env },
  );
});

beforeEach(() => {
  revoked.length = 0;
  provider.revoked.length = 0;
  provider.answers.userInfo = { sub: 'ada' };
  gate.log.length = 0;
  status = 200;
});

afterAll(async () => {
  for (const one of [gate, provider, idp, tokens]) await one?.[Symbol.asyncDispose]();
});

const refreshToken = 'a-secret-for-renewals';
const alice = () => sessionCookie(gate, idp.identity, { ...idp.record, accessToken: { value: 't', refreshToken } });
const leave = (cookie: string) =>
  gate.fetch('/gate/sign-out', { method: 'POST', headers: { accept: 'text/html', origin: gate.origin, cookie } });
const asked = { token: refreshToken, token_type_hint: 'refresh_token', client_id: 'gate' };
const warnings = () => gate.log.filter(line => line.level === 'warn');

describe('the refresh token that an assertion was exchanged for is revoked', () => {
  test.each([
    ['with the sign-out', 200, []],
    ['and the sign-out goes on where that fails', 503, [{ message: 'could not revoke tokens', provider: 'uni' }]],
  ])('%s', async (_name, code, warned) => {
    status = code;
    const answer = await leave(await alice());
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(`action="${idp.origin}/slo"`)]);
    await expect.poll(() => revoked).toEqual([asked]);
    await expect.poll(warnings).toMatchObject(warned);
    expect(JSON.stringify(gate.log)).not.toContain(refreshToken);
  });

  test('when the provider signs the person out, by form and from server to server', async () => {
    const { fields, xml } = await idp.logoutRequest(gate.origin);
    const [first, second] = [await alice(), await alice()];
    expect((await gate.fetch('/gate/uni/slo', { method: 'POST', body: new URLSearchParams(fields) })).status).toBe(200);
    await expect.poll(() => revoked).toEqual([asked, asked]);
    for (const cookie of [first, second]) expect((await gate.fetch('/gate/me', { headers: { cookie } })).status).toBe(401);

    await alice();
    const again = inEnvelope((await idp.logoutRequest(gate.origin)).xml);
    expect(again.body).not.toContain(xml);
    expect((await gate.fetch('/gate/uni/slo', { method: 'POST', ...again })).status).toBe(200);
    await expect.poll(() => revoked).toEqual([asked, asked, asked]);
  });
});

test('a person who signs out gets no new tokens first, so a provider that hangs holds up no sign-out', async () => {
  const claims = { iss: provider.issuer, sub: 'ada', aud: 'gate' };
  const idToken = await provider.sign(claims);
  const tokens = { accessToken: 'a', tokenType: 'Bearer', idToken, signedIdToken: idToken, refreshToken: crypto.randomUUID() };
  const record = { signIn: { identity: { issuer: provider.issuer, subject: 'ada' }, claims, tokens } };
  const cookie = await sessionCookie(gate, { issuer: provider.issuer }, record, Date.now() - 1);
  const before = provider.requests.length;
  expect((await gate.fetch('/gate/sign-out', { headers: { accept: 'text/html', cookie } })).status).toBe(200);
  expect((await leave(cookie)).status).toBe(200);
  expect(provider.requests.slice(before)).not.toContain('/token');
  await expect.poll(() => provider.revoked).toEqual([[tokens.refreshToken, 'refresh_token']]);
  expect((await gate.fetch('/gate/me', { headers: { cookie } })).status).toBe(401);
});

test('a provider that hangs at a revocation holds up no sign-out, and a gate that stops waits for its answer', async () => {
  await using slow = await startSmallProvider();
  let release = () => {};
  const revocationWaitsFor = new Promise<void>(resolve => {
    release = resolve;
  });
  Object.assign(slow.answers, { hasSignOut: true, revocationStatus: 200, revocationWaitsFor });
  const one = await startGate({ providers: [corpProvider(slow)], rules: [{ paths: ['/**'], allow: 'signed-in' }] });
  const tokens = { idToken: 'i', signedIdToken: 'i', refreshToken: 'r' };
  const record = { signIn: { identity: { issuer: slow.issuer, subject: 'ada' }, claims: {}, tokens } };
  const cookie = await sessionCookie(one, { issuer: slow.issuer }, record);
  const headers = { accept: 'text/html', origin: one.origin, cookie };
  const answer = await one.fetch('/gate/sign-out', { method: 'POST', headers });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringContaining(`${slow.issuer}/end?`)]);
  expect((await one.fetch('/gate/me', { headers: { cookie } })).status).toBe(401);
  await expect.poll(() => slow.revoked).toEqual([['r', 'refresh_token']]);
  let isClosed = false;
  const closed = one[Symbol.asyncDispose]().then(() => {
    isClosed = true;
  });
  await expect.poll(() => fetch(`${one.origin}/gate/healthz`).catch(() => 'closed')).toBe('closed');
  expect(isClosed).toBe(false);
  release();
  await closed;
  expect(one.log.filter(line => line.level === 'warn')).toEqual([]);
});

describe('a sign-in in a browser that has a session', () => {
  const withToken = (subject: string) =>
    sessionCookie(gate, { issuer: provider.issuer, subject }, { signIn: { tokens: { refreshToken: 'r' } } });
  const signIn = async (cookie: string) => {
    const started = await startSignIn(gate, '/gate/sign-in?provider=corp&fresh=1', cookie);
    const answer = await finishSignIn({ gate, provider }, started, {
      claims: { auth_time: Math.floor(Date.now() / 1000) },
      userInfo: {},
    });
    expect(answer.status).toBe(303);
  };

  test.each([
    ['of another person at the same provider', () => withToken('bob'), () => provider.revoked, [['r', 'refresh_token']]],
    ['of another provider', alice, () => revoked, [asked]],
  ] as const)('%s revokes what that one had', async (_name, former, told, expected) => {
    await signIn(await former());
    await expect.poll((): unknown => told()).toEqual(expected);
  });

  test('of the same person leaves its token: a provider may take its end for the end of the new one', async () => {
    await signIn(await withToken('ada'));
    // What is revoked later comes after it.
    await signIn(await withToken('bob'));
    await expect.poll(() => provider.revoked.length).toBe(1);
  });
});

test('a token that the provider could not revoke is revoked later, unless the person has signed in again by then', async () => {
  provider.answers.revocationStatus = 503;
  const withToken = (subject: string) =>
    sessionCookie(gate, { issuer: provider.issuer, subject }, { signIn: { tokens: { refreshToken: `of ${subject}` } } });
  for (const subject of ['ada', 'bob']) await leave(await withToken(subject));
  await expect.poll(() => provider.revoked.length).toBe(2);
  await expect.poll(() => warnings().length).toBe(2);
  provider.answers.revocationStatus = 200;
  const started = await startSignIn(gate);
  expect((await finishSignIn({ gate, provider }, started, { claims: { sub: 'ada' } })).status).toBe(303);
  provider.revoked.length = 0;
  // A process that starts goes on at once; one that runs does so within 5 minutes.
  await using next = await startGate({ providers: [corpProvider(provider)] }, { store: gate.store });
  await expect.poll(() => provider.revoked).toEqual([['of bob', 'refresh_token']]);
  await expect
    .poll(async () => (await next.fetch('/gate/metrics')).text())
    .toContain('gate_revocations_total{provider="corp",outcome="revoked"} 1\n');
  expect(provider.revoked.length).toBe(1);
});

describe('a sign-in that fails once tokens were issued', () => {
  const fail = async (cookie = '', refresh_token = 'late') => {
    const started = await startSignIn(gate, '/gate/sign-in?provider=corp&fresh=1', cookie);
    const claims = { auth_time: Math.floor(Date.now() / 1000) };
    provider.answers.userInfoStatus = 503;
    const answer = await finishSignIn({ gate, provider }, started, { claims, tokens: { refresh_token } });
    provider.answers.userInfoStatus = 200;
    return [answer.status, await answer.text()];
  };

  test('at the UserInfo endpoint leaves no token', async () => {
    expect(await fail()).toEqual([503, expect.stringContaining('OIDC_HTTP_STATUS')]);
    await expect.poll(() => provider.revoked).toEqual([['late', 'refresh_token']]);
    expect(gate.log).toMatchObject([{ audit: 'sign-in-failed', reason: 'OIDC_HTTP_STATUS' }]);
  });

  test('leaves it if the person has a session: a provider may take its end for the end of that one', async () => {
    const cookie = await sessionCookie(gate, { issuer: provider.issuer, subject: 'ada' });
    expect(await fail(cookie, 'kept')).toEqual([503, expect.anything()]);
    // What is revoked later comes after it.
    await fail();
    await expect.poll(() => provider.revoked).toEqual([['late', 'refresh_token']]);
    expect((await gate.fetch('/gate/me', { headers: { cookie } })).status).toBe(200);
  });

  test('because the session is too large for the store leaves no token', async () => {
    const started = await startSignIn(gate);
    const groups = Array.from({ length: 400 }, (_, at) => `${at}`.padEnd(1000, 'x'));
    const answer = await finishSignIn({ gate, provider }, started, { userInfo: { groups }, tokens: { refresh_token: 'late' } });
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('SESSION_TOO_LARGE')]);
    await expect.poll(() => provider.revoked).toEqual([['late', 'refresh_token']]);
    // What an operator needs, and not as a fault of the program.
    const error = expect.stringMatching(/a session may hold at most 262144 bytes; this one has \d{6}$/);
    expect(gate.log).toMatchObject([
      { audit: 'sign-in-failed', reason: 'SESSION_TOO_LARGE', provider: 'corp', subject: 'ada', error },
    ]);
  });
});

describe('a session that ends at its renewal', () => {
  const renew = async (claims: object) => {
    const now = Math.floor(Date.now() / 1000);
    const before = { iss: provider.issuer, sub: 'ada', aud: 'gate', iat: now - 400, exp: now - 100 };
    const idToken = await provider.sign(before);
    const used = `used-${crypto.randomUUID()}`;
    const tokens = { accessToken: 'a', tokenType: 'Bearer', idToken, signedIdToken: idToken, refreshToken: used };
    const signIn = { identity: { issuer: provider.issuer, subject: 'ada' }, claims: before, tokens };
    const cookie = await sessionCookie(gate, { issuer: provider.issuer }, { signIn }, Date.now() - 1000);
    const id_token = await provider.sign({ ...before, iat: now, exp: now + 300, ...claims });
    const body = { access_token: 'b', token_type: 'Bearer', id_token, refresh_token: 'new' };
    provider.answers.token = async () => ({ status: 200, body });
    for (let times = 0; times < 2; times += 1) expect((await gate.fetch('/gate/me', { headers: { cookie } })).status).toBe(401);
    return used;
  };

  test('because the provider answered for another person leaves no token', async () => {
    const used = await renew({ sub: 'bob' });
    await expect.poll(() => provider.revoked.map(([token]) => token)).toEqual(['new', used]);
    expect(gate.log).toMatchObject([{ audit: 'session-ended-at-refresh', code: 'OIDC_REFRESH_IDENTITY', subject: 'ada' }]);
  });

  test('because the provider says more than the store takes leaves none either, and does not go on with what was said before', async () => {
    provider.answers.userInfo = { sub: 'ada', groups: Array.from({ length: 400 }, (_, at) => `${at}`.padEnd(1000, 'x')) };
    await renew({});
    await expect.poll(() => provider.revoked.map(([token]) => token)).toEqual(['new']);
    expect(gate.log).toMatchObject([
      { audit: 'session-ended-at-refresh', error: expect.stringContaining('at most 262144 bytes'), subject: 'ada' },
    ]);
  });
});

test('a sign-in that a logout overtook leaves no token', async () => {
  const started = await startSignIn(gate);
  const logout = `/gate/corp/frontchannel-logout?${new URLSearchParams({ iss: provider.issuer, sid: 's' })}`;
  expect((await gate.fetch(logout)).status).toBe(200);
  const answer = await finishSignIn({ gate, provider }, started, { tokens: { refresh_token: 'late' }, claims: { sid: 's' } });
  expect(await answer.text()).toContain('SIGNED_OUT_MEANWHILE');
  await expect.poll(() => provider.revoked).toEqual([['late', 'refresh_token']]);
});
