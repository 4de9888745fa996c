import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { sessionCookie } from '../support/session.ts';
import { shownOn } from '../support/shown.ts';
import { corpProvider, type SmallProvider } from '../support/small-provider.ts';
import { audits, linesOf, resetTwoGates, signIns, startTwoGates, stopTwoGates } from '../support/two-gates.ts';

// Whole pages and answers of a sign-in: what is offered, where it leads, what the browser is given, what the log has.

const page = { accept: 'text/html' };
let provider: SmallProvider;
let gate: TestGate;
let secure: TestGate;

beforeAll(async () => {
  ({ provider, gate, secure } = await startTwoGates());
});
beforeEach(() => resetTwoGates({ provider, gate, secure }));
afterAll(() => stopTwoGates({ provider, gate, secure }));

const open = (path: string, headers: Record<string, string> = {}, one = gate) =>
  one.fetch(path, { headers: { ...page, ...headers } });

const choice = (query = '') => [
  `Corp -> /gate/sign-in?provider=corp${query}`,
  `Lab -> /gate/sign-in?provider=lab${query}`,
  'Or use your work email address',
  'Continue',
];

describe('the page to choose a provider', () => {
  test('leads to each of them, and keeps the way back', async () => {
    const answer = await open('/gate/sign-in?returnTo=/x');
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' https: http:; base-uri 'none'; frame-ancestors 'none'",
    );
    const html = await answer.text();
    expect([answer.status, shownOn(html).slice(1)]).toEqual([200, ['Sign in', ...choice('&returnTo=%2Fx')]]);
    expect(html).toContain('<input type="hidden" name="returnTo" value="/x"/>');
    expect(html).not.toContain('name="fresh"');
    expect(html).not.toContain('name="another"');
    expect(await linesOf(await open('/gate/sign-in?rd=/y'))).toEqual(['Sign in', ...choice('&returnTo=%2Fy')]);
  });

  test('keeps how the sign-in was asked for', async () => {
    const fresh = await (await open('/gate/sign-in?fresh=1')).text();
    expect(fresh).toContain('<input type="hidden" name="fresh" value="1"/>');
    expect(fresh).toContain('href="/gate/sign-in?fresh=1&amp;provider=corp"');
    const another = await (await open('/gate/sign-in?another=1')).text();
    expect(another).toContain('<input type="hidden" name="another" value="1"/>');
    expect(await (await open('/gate/sign-in?fresh=2&another=yes')).text()).not.toMatch(
      /name="(?:fresh|another)"|fresh=|another=/,
    );
  });

  test('begins with the provider that this browser used last', async () => {
    const lines = await linesOf(await open('/gate/sign-in', { cookie: 'gate-provider=lab' }));
    expect(lines.slice(1, 3)).toEqual(['Labused last time -> /gate/sign-in?provider=lab', 'Corp -> /gate/sign-in?provider=corp']);
  });

  test('offers no sign-in by email where it would not help', async () => {
    const lines = await linesOf(await open('/gate/sign-in?notice=over', {}, secure));
    expect(lines.at(-1)).toBe('Corp -> /gate/sign-in?provider=corp');
    const [corp, lab] = gate.input.providers as Record<string, unknown>[];
    for (const providers of [[corp], [{ ...corp, emailDomains: undefined }, lab]]) {
      await gate.app.reload(gate.readConfig({ providers }));
      expect(await linesOf(await open('/gate/sign-in?notice=over'))).not.toContain('Or use your work email address');
    }
    await gate.app.reload(gate.config);
  });

  test.each([
    ['over', 'That sign-in was already used, took too long or started in another browser. Start again here.'],
    ['begun', 'For your safety, sign-ins start here and not on the provider’s own pages. Choose your provider to continue.'],
    ['form', 'We could not keep the form that you sent. Sign in here, then fill it in again.'],
    ['long', 'The address that you opened is too long to keep while you sign in. Sign in here, then open it again.'],
    [
      'cookies',
      'That sign-in started in another browser, or this browser did not keep its cookie. Allow cookies for this site, then start again here.',
    ],
  ])('says why a sign-in came to nothing: %s', async (notice, text) => {
    const html = await (await open(`/gate/sign-in?notice=${notice}`)).text();
    expect(shownOn(html).slice(1)).toEqual(['Sign in', text, ...choice()]);
    expect(html).toContain('<p class="note warn" role="status">');
  });

  test.each(['constructor', 'toString', 'x', ''])('says nothing that only the address says: %j', async notice => {
    const answer = await open(`/gate/sign-in?notice=${notice}`);
    expect([answer.status, await linesOf(answer)]).toEqual([200, ['Sign in', ...choice()]]);
  });

  test('knows no provider that is not there', async () => {
    const answer = await open('/gate/sign-in?provider=constructor&returnTo=/x');
    const html = await answer.text();
    expect([answer.status, shownOn(html).slice(1)]).toEqual([
      200,
      ['Sign in', 'We don’t know that provider. Choose another.', ...choice('&returnTo=%2Fx')],
    ]);
    expect(html).toContain('<p class="note bad" role="alert">');
    const again = await (await open('/gate/sign-in?provider=x&fresh=1')).text();
    expect(again).toContain('href="/gate/sign-in?fresh=1&amp;provider=corp"');
  });

  test('says once that the provider of the last sign-out was silent', async () => {
    expect(await (await open('/gate/sign-in', { cookie: 'gate-leaving=corp' })).text()).toContain(
      '<p class="note warn" role="status">',
    );
    const answer = await open('/gate/sign-in', { cookie: 'gate-leaving=corp' });
    expect(answer.headers.getSetCookie()).toEqual(['gate-leaving=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);
    expect((await linesOf(answer))[1]).toBe(
      'You are signed out here, but Corp never confirmed that it signed you out everywhere. Close the browser if you share this computer.',
    );
    // A notice of another kind comes first, and a provider that is gone has none.
    const other = await open('/gate/sign-in?notice=over', { cookie: 'gate-leaving=corp' });
    expect([other.headers.getSetCookie(), (await linesOf(other))[1]]).toEqual([[], expect.stringMatching(/^That sign-in was/)]);
    const gone = await open('/gate/sign-in', { cookie: 'gate-leaving=gone' });
    expect([gone.headers.getSetCookie().length, await linesOf(gone)]).toEqual([1, ['Sign in', ...choice()]]);
    // On https, and where the only provider would be entered at once.
    const only = await open('/gate/sign-in', { cookie: '__Host-gate-leaving=corp' }, secure);
    expect([only.status, only.headers.getSetCookie()]).toEqual([
      200,
      ['__Host-gate-leaving=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0'],
    ]);
  });
});

test('says it to a person, and not to who shows no page of it', async () => {
  const cookie = 'gate-leaving=corp';
  const headers = ['Accept: text/html', `Cookie: ${cookie}`, 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: empty'];
  expect((await sendRaw(gate.origin, raw('GET', '/gate/sign-in', headers))).head.toLowerCase()).not.toContain('set-cookie:');
  const head = await gate.fetch('/gate/sign-in', { method: 'HEAD', headers: { ...page, cookie } });
  for (const answer of [
    head,
    await open('/gate/sign-in', { cookie, 'sec-purpose': 'prefetch' }),
    await open('/gate/sign-in?provider=unknown', { cookie }),
  ])
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []]);
});

describe('a person who is signed in', () => {
  test.each([
    ['', '/'],
    ['?returnTo=/x?a=1', '/x?a=1'],
    ['?rd=/y', '/y'],
    ['?returnTo=/x&rd=/y', '/x'],
    ['?returnTo=//evil.example', '/'],
    ['?notice=over&returnTo=/x', '/x'],
  ])('goes on from the sign-in page%s to %s', async (query, location) => {
    const cookie = await sessionCookie(gate, { issuer: provider.issuer });
    const answer = await open(`/gate/sign-in${query}`, { cookie });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, location]);
  });

  test.each(['fresh=1', 'another=1', 'provider=corp'])('does not, who asks for a sign-in: %s', async query => {
    const cookie = await sessionCookie(gate, { issuer: provider.issuer });
    const answer = await open(`/gate/sign-in?${query}`, { cookie });
    const location = answer.headers.get('location') ?? '';
    expect([answer.status, location.startsWith(`${provider.issuer}/authorize`)]).toEqual(
      query === 'provider=corp' ? [303, true] : [200, false],
    );
  });
});

describe('on the way to the provider', () => {
  test('the browser gets what its return needs, and no more', async () => {
    const answer = await open('/gate/sign-in?returnTo=/x', {}, secure);
    expect([answer.status, new URL(answer.headers.get('location') ?? '').origin]).toEqual([303, provider.issuer]);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-gate-browser=[\w-]{32}; Path=\/; HttpOnly; Secure; SameSite=None$/),
      expect.stringMatching(
        /^__Host-gate-browser-[0-9a-f]{12}=[\w-]{32}; Path=\/; HttpOnly; Secure; SameSite=None; Max-Age=900$/,
      ),
      expect.stringMatching(/^__Host-gate-ways=[\w-]+; Path=\/; HttpOnly; Secure; SameSite=None; Max-Age=86400$/),
      '__Host-gate-provider=corp; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=31536000',
    ]);
    const asked = new URL(answer.headers.get('location') ?? '').searchParams;
    expect(['prompt', 'max_age', 'login_hint'].map(name => asked.get(name))).toEqual([null, null, null]);
    const known = await open('/gate/sign-in', { cookie: `__Host-gate-browser=${'s'.repeat(32)}` }, secure);
    expect(known.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-gate-provider=corp; /)]);
  });

  test.each(['prefetch', 'prefetch;prerender', 'prerender'])('nobody starts who only looks ahead (%s)', async purpose => {
    for (const name of ['sec-purpose', 'purpose']) {
      const answer = await open('/gate/sign-in', { [name]: purpose }, secure);
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []]);
    }
    expect((await open('/gate/sign-in', { 'sec-purpose': 'other' }, secure)).status).toBe(303);
  });

  test('a download where there is something to choose is refused', async () => {
    const headers = ['Accept: text/html', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: empty'];
    const download = async (path: string, one: TestGate) => sendRaw(one.origin, raw('GET', path, headers));
    const refused = await download('/gate/sign-in', gate);
    expect([refused.status, refused.head.toLowerCase()]).toEqual([
      401,
      expect.stringContaining('www-authenticate: cookie realm="gate"'),
    ]);
    expect((await download('/gate/sign-in', secure)).status).toBe(303);
    expect((await download('/gate/sign-in?notice=over', secure)).status).toBe(401);
  });

  test('a provider that is down is told, with what to do', async () => {
    provider.answers.isDown = true;
    await using fresh = await startGate({ providers: [corpProvider(provider)], rules: [{ paths: ['/**'], allow: 'signed-in' }] });
    const answer = await open('/gate/sign-in?returnTo=/x', {}, fresh);
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.getSetCookie()]).toEqual([503, '5', []]);
    expect(await linesOf(answer)).toEqual([
      'The provider is unavailable',
      'Your account is fine. Try again in a moment.',
      'Try Corp again -> /gate/sign-in?provider=corp&returnTo=%2Fx',
      'OIDC_HTTP_NETWORK',
    ]);
    expect(await signIns(fresh)).toEqual(['corp outage 1']);
    expect(audits(fresh, 'sign-in-failed')).toMatchObject([
      { provider: 'corp', reason: 'OIDC_HTTP_NETWORK', client: '127.0.0.1', code: 'OIDC_HTTP_NETWORK' },
    ]);
  });
});

describe('a sign-in by email', () => {
  const send = (fields: Record<string, string>, headers: Record<string, string> = { origin: gate.origin }) =>
    gate.fetch('/gate/sign-in', { method: 'POST', headers: { ...page, ...headers }, body: new URLSearchParams(fields) });

  test('leads to the provider of the domain, which hears the address', async () => {
    const answer = await send({ email: '  Ada@Corp.Example ', returnTo: '/x' });
    const asked = new URL(answer.headers.get('location') ?? '');
    expect([answer.status, asked.searchParams.get('login_hint'), asked.searchParams.get('client_id')]).toEqual([
      303,
      'Ada@corp.example',
      'gate',
    ]);
    expect(asked.searchParams.get('max_age')).toBeNull();
    const fresh = new URL((await send({ email: 'ada@corp.example', fresh: '1' })).headers.get('location') ?? '');
    expect([fresh.searchParams.get('prompt'), fresh.searchParams.get('max_age')]).toEqual(['login', '0']);
    const another = new URL((await send({ email: 'ada@corp.example', another: '1' })).headers.get('location') ?? '');
    expect([another.searchParams.get('prompt'), another.searchParams.get('max_age')]).toEqual(['login', null]);
  });

  test.each([
    ['ada', 'That is not an email address. Check it, or choose a provider below.'],
    ['', 'That is not an email address. Check it, or choose a provider below.'],
    ['ada@other.example', 'No provider is set up for other.example. Choose one below.'],
  ])('of %j says what is wrong, and keeps what was typed', async (email, text) => {
    const answer = await send({ email, returnTo: '/x', fresh: '1' });
    const html = await answer.text();
    expect([answer.status, shownOn(html).slice(1, 4)]).toEqual([
      422,
      ['Sign in', text, 'Corp -> /gate/sign-in?fresh=1&provider=corp&returnTo=%2Fx'],
    ]);
    expect(html).toContain(email === '' ? 'required value/>' : `required value="${email}"/>`);
    expect(html).toContain('<p class="note warn" role="status">');
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('without any field is one of nobody; a long one is cut', async () => {
    const nothing = await send({});
    expect([nothing.status, await nothing.text()]).toEqual([422, expect.stringContaining('required value/>')]);
    const html = await (await send({ email: 'a'.repeat(300) })).text();
    expect(/<input id="email"[^>]*value="(a*)"/.exec(html)?.[1]).toHaveLength(254);
  });

  test('is not taken from another site, nor larger than a form', async () => {
    const foreign = await send({ email: 'ada@corp.example' }, { origin: 'https://evil.example' });
    expect([foreign.status, (await linesOf(foreign)).at(-1)]).toEqual([403, 'CROSS_SITE']);
    expect((await send({ email: 'ada@corp.example', more: 'x'.repeat(8192) })).status).toBe(413);
  });
});
