import { openStore, type SignInStore, StoreError } from '@octavo/sign-in-store';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { shownOn } from '../support/shown.ts';
import { inEnvelope, type SmallIdp, startSmallIdp } from '../support/small-idp.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// Whole answers to a provider that signs a person out: whose sessions end, what the log has, what the browser loses.

const page = { accept: 'text/html' };
const rules = [{ paths: ['/**'], allow: 'signed-in' }];
const closed = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
let provider: SmallProvider;
let idp: SmallIdp;
let gate: TestGate;
let isDown = false;

beforeAll(async () => {
  [provider, idp] = await Promise.all([startSmallProvider(), startSmallIdp()]);
  const lab = { ...corpProvider(provider, { frontChannelSessionRequired: false }), id: 'lab', name: 'Lab', clientId: 'lab' };
  gate = await startGate({ providers: [corpProvider(provider), lab, idp.provider], rules }, { env: idp.env });
});

beforeEach(() => {
  isDown = false;
  gate.log.length = 0;
  idp.received.length = 0;
});

afterAll(async () => {
  for (const one of [gate, idp, provider]) await one?.[Symbol.asyncDispose]();
});

/** A person who signed in at this provider. */
async function person(
  id: 'corp' | 'lab' | 'uni',
  { sid, subject = crypto.randomUUID() }: { sid?: string; subject?: string } = {},
) {
  const cookie =
    id === 'uni'
      ? await sessionCookie(gate, idp.identity, idp.record)
      : await sessionCookie(gate, { provider: id, issuer: provider.issuer, subject }, {}, undefined, sid);
  return { cookie, subject, status: async () => (await gate.fetch('/gate/me', { headers: { cookie } })).status };
}
const audits = (event = 'signed-out-by-provider') => gate.log.filter(line => line.audit === event);
const signOuts = async (how: string) =>
  Number(
    new RegExp(`gate_sign_outs_total\\{how="${how}"\\} (\\d+)`).exec(await (await gate.fetch('/gate/metrics')).text())?.[1] ?? 0,
  );
const headersOf = ({ headers }: Response) => {
  const { date: _, connection: __, 'keep-alive': ___, ...rest } = Object.fromEntries(headers);
  return rest;
};

describe('OpenID Connect, through a frame', () => {
  const frame = (id: string, query: Record<string, string> = {}, cookie = '') =>
    gate.fetch(`/gate/${id}/frontchannel-logout?${new URLSearchParams(query)}`, { headers: { cookie } });
  const framed = {
    'cache-control': 'no-store',
    'content-type': 'text/plain; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };

  test('ends the session that it names, and only that; the provider alone may frame the answer', async () => {
    const before = await signOuts('front-channel');
    const [ada, twin, bob] = [
      await person('corp', { sid: 'one' }),
      await person('corp', { sid: 'one' }),
      await person('corp', { sid: 'two' }),
    ];
    const answer = await frame('corp', { iss: provider.issuer, sid: 'one' });
    expect([answer.status, await answer.text()]).toEqual([200, 'Signed out.\n']);
    expect(headersOf(answer)).toEqual({
      ...framed,
      'content-security-policy': `default-src 'none'; frame-ancestors ${provider.issuer}`,
      'content-length': '12',
    });
    expect([await ada.status(), await twin.status(), await bob.status()]).toEqual([401, 401, 200]);
    expect(audits()).toEqual([
      {
        time: expect.any(String),
        level: 'info',
        audit: 'signed-out-by-provider',
        provider: 'corp',
        how: 'front-channel',
        issuer: provider.issuer,
        sessions: 2,
      },
    ]);
    expect((await signOuts('front-channel')) - before).toBe(2);
  });

  test.each([
    ['nothing', {}],
    ['another issuer', { iss: 'https://evil.example', sid: 'kept' }],
    ['no issuer', { sid: 'kept' }],
  ])('that names %s, where a session must be named, is none', async (_name, query) => {
    const ada = await person('corp', { sid: 'kept' });
    const answer = await frame('corp', query as Record<string, string>, ada.cookie);
    expect([answer.status, await answer.text(), await ada.status()]).toEqual([
      400,
      'This is not a logout request, or it does not name the session (iss and sid).\n',
      200,
    ]);
    expect(headersOf(answer)).toMatchObject({
      ...closed,
      'x-frame-options': 'DENY',
      'content-type': 'text/plain; charset=utf-8',
    });
    expect(gate.log).toMatchObject([
      { level: 'warn', message: 'a logout message was refused', provider: 'corp', code: expect.stringMatching(/^OIDC_/) },
    ]);
  });

  test('that names no session ends the one of the browser, if it is of this provider', async () => {
    const before = await signOuts('front-channel');
    const [mine, other] = [await person('lab'), await person('corp')];
    expect([(await frame('lab', {}, other.cookie)).status, await other.status()]).toEqual([200, 200]);
    expect([(await frame('lab', {}, mine.cookie)).status, await mine.status()]).toEqual([200, 401]);
    expect((await frame('lab', {}, mine.cookie)).status).toBe(200);
    // The operator sees it like any other.
    expect(audits()).toMatchObject([{ provider: 'lab', how: 'front-channel', issuer: provider.issuer, sessions: 1 }]);
    expect((await signOuts('front-channel')) - before).toBe(1);
  });

  test('that names no session and has no cookie reached nobody, and says so', async () => {
    const answer = await frame('lab');
    expect([answer.status, await answer.text()]).toEqual([
      400,
      'No session ended: the request names none (iss and sid), and there was no session cookie.\n',
    ]);
    expect(gate.log).toMatchObject([
      { level: 'warn', message: 'a front-channel logout named no session and came without a cookie', provider: 'lab' },
    ]);
  });
});

describe('OpenID Connect, from server to server', () => {
  const send = async (claims: object, typ = 'logout+jwt') => {
    const now = Math.floor(Date.now() / 1000);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const all = { iss: provider.issuer, aud: 'gate', iat: now, exp: now + 60, jti: crypto.randomUUID(), events, ...claims };
    const body = new URLSearchParams({ logout_token: await provider.sign(all as never, { typ }) });
    return gate.fetch('/gate/corp/backchannel-logout', { method: 'POST', body });
  };

  test('ends the sessions of the person or the one that is named', async () => {
    const before = await signOuts('back-channel');
    const [one, two] = [
      await person('corp', { sid: 'b1', subject: 'grace' }),
      await person('corp', { sid: 'b2', subject: 'grace' }),
    ];
    const other = await person('corp', { sid: 'b3' });
    const answer = await send({ sid: 'b1' });
    expect([answer.status, await answer.text(), answer.headers.get('cache-control')]).toEqual([200, '', 'no-store']);
    expect([await one.status(), await two.status()]).toEqual([401, 200]);
    expect((await send({ sub: 'grace' })).status).toBe(200);
    expect([await two.status(), await other.status()]).toEqual([401, 200]);
    expect(audits()).toMatchObject([
      { provider: 'corp', how: 'back-channel', issuer: provider.issuer, sessions: 1 },
      { provider: 'corp', how: 'back-channel', issuer: provider.issuer, sessions: 1 },
    ]);
    expect((await signOuts('back-channel')) - before).toBe(2);
    expect(gate.log.filter(line => line.level === 'warn')).toEqual([]);
  });

  test('that is refused ends nothing, and the log says why', async () => {
    const ada = await person('corp', { sid: 'kept, too' });
    const answer = await send({ sid: 'kept, too', aud: 'another' });
    const { error, error_description } = await answer.json();
    expect([answer.status, error, await ada.status()]).toEqual([400, 'invalid_request', 200]);
    expect(headersOf(answer)).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' });
    expect(gate.log).toEqual([
      {
        time: expect.any(String),
        level: 'warn',
        message: 'a logout message was refused',
        provider: 'corp',
        code: error_description,
      },
    ]);
    expect(error_description).toMatch(/^OIDC_/);
  });
});

describe('SAML', () => {
  const post = (fields: Readonly<Record<string, string>>, cookie = '') =>
    gate.fetch('/gate/uni/slo', { method: 'POST', headers: { ...page, cookie }, body: new URLSearchParams(fields) });
  /** The fields of the form that the page sends on. */
  const formOn = (html: string) => ({
    action: /<form method="post" action="([^"]*)"/.exec(html)?.[1],
    fields: new URLSearchParams(
      [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    ),
  });

  test('a request by form ends the session, and the answer goes back', async () => {
    const before = await signOuts('slo');
    const alice = await person('uni');
    const { fields } = await idp.logoutRequest(gate.origin);
    const answer = await post(fields, alice.cookie);
    const html = await answer.text();
    expect([answer.status, shownOn(html).slice(1)]).toEqual([
      200,
      ['You are signed out', 'Taking you back to University.', 'Continue'],
    ]);
    const { action, fields: sent } = formOn(html);
    expect(action).toBe(`${idp.origin}/slo`);
    expect(sent.get('RelayState')).toBe(fields.RelayState);
    expect(Buffer.from(sent.get('SAMLResponse') ?? '', 'base64').toString()).toContain('status:Success');
    expect(answer.headers.getSetCookie()).toEqual(['gate=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);
    expect(await alice.status()).toBe(401);
    expect(audits()).toMatchObject([{ provider: 'uni', how: 'slo', issuer: idp.entityId, sessions: 1 }]);
    expect((await signOuts('slo')) - before).toBe(1);
  });

  test('a request about another person leaves the cookie of the browser that brings it', async () => {
    const [alice, bob] = [await person('uni'), await person('corp')];
    const { fields } = await idp.logoutRequest(gate.origin);
    const answer = await post(fields, bob.cookie);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []]);
    expect([await alice.status(), await bob.status()]).toEqual([401, 200]);
    const again = await idp.logoutRequest(gate.origin);
    expect((await post(again.fields, 'gate=rubbish')).headers.getSetCookie()).toEqual([]);
  });

  test('a request of a stranger ends nothing, and the log says why', async () => {
    const alice = await person('uni');
    const { fields } = await idp.logoutRequest(gate.origin, { isStranger: true });
    const answer = await post(fields, alice.cookie);
    expect([answer.status, await alice.status(), answer.headers.getSetCookie()]).toEqual([400, 200, []]);
    expect(shownOn(await answer.text()).slice(1)).toEqual([
      'The request is not valid',
      'Something in the request is missing or malformed.',
      'Go to the start page -> /',
      'SAML_SIGNATURE_INVALID',
    ]);
    expect(gate.log).toMatchObject([
      { level: 'warn', message: 'a logout message was refused', provider: 'uni', code: 'SAML_SIGNATURE_INVALID' },
    ]);
    await post((await idp.logoutRequest(gate.origin)).fields);
    expect(await alice.status()).toBe(401);
  });

  test('an address that holds no message is no end of a sign-out', async () => {
    const answer = await gate.fetch('/gate/uni/slo?SAMLResponse=x', { headers: page });
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });

  test('by SOAP ends the session; by GET there is none', async () => {
    const before = await signOuts('slo-soap');
    const alice = await person('uni');
    const { xml } = await idp.logoutRequest(gate.origin);
    const answer = await gate.fetch('/gate/uni/slo', { method: 'POST', ...inEnvelope(xml) });
    const text = await answer.text();
    expect([answer.status, headersOf(answer)]).toMatchObject([200, { ...closed, 'content-type': 'text/xml; charset=utf-8' }]);
    expect(text).toContain('status:Success');
    expect(await alice.status()).toBe(401);
    expect(audits()).toMatchObject([{ provider: 'uni', how: 'slo-soap', issuer: idp.entityId, sessions: 1 }]);
    expect((await signOuts('slo-soap')) - before).toBe(1);
    // The kind of a body has no case (RFC 9110 §8.3.1).
    const again = await person('uni');
    const { headers, body } = inEnvelope((await idp.logoutRequest(gate.origin)).xml);
    const loud = { ...headers, 'content-type': 'TEXT/XML;charset=utf-8' };
    const heard = await gate.fetch('/gate/uni/slo', { method: 'POST', headers: loud, body });
    expect([heard.status, await heard.text(), await again.status()]).toEqual([
      200,
      expect.stringContaining('status:Success'),
      401,
    ]);
    const get = await gate.fetch('/gate/uni/slo', { headers: { 'content-type': 'text/xml' } });
    expect([get.status, get.headers.get('allow'), get.headers.get('content-type')]).toEqual([405, 'POST', 'application/json']);
    const soap = await gate.fetch('/gate/uni/slo', {
      method: 'POST',
      headers: { 'content-type': 'application/soap+xml; charset=utf-8' },
      body: '<nonsense/>',
    });
    expect([soap.status, soap.headers.get('content-type')]).toEqual([400, 'text/xml; charset=utf-8']);
    expect(await soap.text()).toMatch(
      /^<soap:Envelope xmlns:soap="http:\/\/schemas.xmlsoap.org\/soap\/envelope\/"><soap:Body><soap:Fault><faultcode>soap:Client<\/faultcode><faultstring>SAML_[A-Z_]+: Something in the request is missing or malformed.<\/faultstring><\/soap:Fault><\/soap:Body><\/soap:Envelope>$/,
    );
  });

  test.each(['HTTP-POST', 'HTTP-Redirect'] as const)('an answer to our own request, by %s, says how it ended', async binding => {
    for (const outcome of ['complete', 'failed'] as const) {
      gate.log.length = 0;
      const alice = await person('uni');
      const left = await gate.fetch('/gate/sign-out', { method: 'POST', headers: { ...page, cookie: alice.cookie } });
      const cookie = left.headers
        .getSetCookie()
        .filter(text => !text.includes('Max-Age=0'))
        .map(text => text.split(';')[0])
        .join('; ');
      expect(left.headers.getSetCookie()).toContain('gate-leaving=uni; Path=/; HttpOnly; SameSite=Lax; Max-Age=900');
      const html = await left.text();
      expect(shownOn(html).slice(1)).toEqual([
        'You are signed out here',
        'Taking you to University to sign out there as well.',
        'Sign out at University',
      ]);
      const { fields, url } = await idp.logoutResponse(gate.origin, formOn(html).fields, outcome, { binding });
      const back =
        binding === 'HTTP-POST'
          ? await post(fields, cookie)
          : await fetch(url, { redirect: 'manual', headers: { ...page, cookie } });
      const location = back.headers.get('location') ?? '';
      expect([back.status, location]).toEqual([303, expect.stringMatching(/^\/gate\/signed-out\?result=/)]);
      const shown = await gate.fetch(location, { headers: { ...page, cookie } });
      expect(shown.headers.getSetCookie()).toEqual(['gate-leaving=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);
      const said =
        outcome === 'complete'
          ? 'University signed you out as well.'
          : 'You are signed out here, but University did not confirm that it signed you out everywhere. Close the browser if you share this computer.';
      expect(shownOn(await shown.text())).toContain(said);
      expect(audits('sign-out-unconfirmed')).toMatchObject(outcome === 'complete' ? [] : [{ provider: 'uni' }]);
      // The same answer again belongs to nothing: the person is told how far it came.
      const again =
        binding === 'HTTP-POST'
          ? await post(fields, cookie)
          : await fetch(url, { redirect: 'manual', headers: { ...page, cookie } });
      expect(again.status).toBe(303);
      const told = await gate.fetch(again.headers.get('location') ?? '', { headers: { ...page, cookie } });
      expect(shownOn(await told.text())).toContain(
        'You are signed out here, but University did not confirm that it signed you out everywhere. Close the browser if you share this computer.',
      );
      expect(told.headers.getSetCookie()).toEqual([]);
    }
  });

  test('an answer in a browser that asked for nothing confirms nothing', async () => {
    const alice = await person('uni');
    const left = await gate.fetch('/gate/sign-out', { method: 'POST', headers: { ...page, cookie: alice.cookie } });
    const { fields } = await idp.logoutResponse(gate.origin, formOn(await left.text()).fields, 'complete');
    const bob = await person('uni');
    const cookie = `gate-browser=${'b'.repeat(32)}; ${bob.cookie}`;
    const answer = await post(fields, cookie);
    expect([answer.status, await bob.status()]).toEqual([303, 200]);
    // Who is signed in is not told that they are not.
    const told = await gate.fetch(answer.headers.get('location') ?? '', { headers: { ...page, cookie } });
    expect([told.status, shownOn(await told.text()).slice(1, 3)]).toEqual([
      200,
      ['Sign out?', 'You are signed in as ada@example.org.'],
    ]);
    expect([told.headers.getSetCookie(), await bob.status()]).toEqual([[], 200]);
  });

  test('a request that comes once more is refused, and ends nothing', async () => {
    const { fields } = await idp.logoutRequest(gate.origin);
    expect((await post(fields)).status).toBe(200);
    const alice = await person('uni');
    gate.log.length = 0;
    const again = await post(fields, alice.cookie);
    expect([again.status, await alice.status()]).toEqual([400, 200]);
    expect(gate.log).toMatchObject([
      { level: 'warn', message: 'a logout message was refused', provider: 'uni', code: 'SAML_REPLAYED' },
    ]);
    const { xml } = await idp.logoutRequest(gate.origin);
    const ask = async () => (await gate.fetch('/gate/uni/slo', { method: 'POST', ...inEnvelope(xml) })).status;
    expect([await ask(), await ask()]).toEqual([200, 400]);
  });
});

test('a store that fails is no end of a session: the provider is told to try again', async () => {
  const real = await openStore(gate.store);
  const store: SignInStore = {
    ...real,
    endSessions: async logout => {
      if (isDown) throw new StoreError('STORE_UNAVAILABLE');
      return real.endSessions(logout);
    },
  };
  const settings = { providers: [corpProvider(provider), idp.provider], rules };
  await using other = await startGate(settings, { env: idp.env, store: gate.store, overrides: { store } });
  const alice = await person('uni');
  const { fields } = await idp.logoutRequest(other.origin);
  const send = async () => (await other.fetch('/gate/uni/slo', { method: 'POST', body: new URLSearchParams(fields) })).status;
  isDown = true;
  expect([await send(), await alice.status()]).toEqual([503, 200]);
  const frame = `/gate/corp/frontchannel-logout?${new URLSearchParams({ iss: provider.issuer, sid: 'one' })}`;
  const framed = await other.fetch(frame);
  expect([framed.status, framed.headers.get('retry-after')]).toEqual([503, '5']);
  isDown = false;
  expect([await send(), await alice.status(), await send()]).toEqual([200, 401, 400]);
  await real.close();
});
