import { type SamlIdentity, ServiceProvider } from '@octavo/saml-sp';
import { openStore } from '@octavo/sign-in-store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { BrowserCookies } from '../support/browser-cookies.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { shownOn } from '../support/shown.ts';
import { alice, type SmallIdp, startSmallIdp } from '../support/small-idp.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { signIdToken } from '../support/small-sign-in.ts';

// On https, a form from a provider on another site comes without the cookie of the session (SameSite=Lax). The sign-in ends with a
// redirect, which brings it. What the SAML package verifies is mocked here.

const page = { accept: 'text/html' };
let idp: SmallIdp;
let provider: SmallProvider;
let gate: TestGate;
let aheadMs = 0;

beforeAll(async () => {
  [idp, provider] = await Promise.all([startSmallIdp(), startSmallProvider()]);
  gate = await startGate(
    {
      publicUrl: 'https://notes.example.org',
      providers: [idp.provider, corpProvider(provider, { responseMode: 'form_post' })],
      rules: [{ paths: ['/**'], allow: 'signed-in' }],
    },
    { env: idp.env, overrides: { now: () => new Date(Date.now() + aheadMs) } },
  );
});

beforeEach(() => {
  aheadMs = 0;
  gate.log.length = 0;
});
afterEach(() => vi.restoreAllMocks());

afterAll(async () => {
  for (const one of [gate, provider, idp]) await one?.[Symbol.asyncDispose]();
});

const statusOf = async (cookie: string) => (await gate.fetch('/gate/me', { headers: { cookie } })).status;
const audits = (event: string) => gate.log.filter(line => line.audit === event);

interface Tab {
  readonly id: 'uni' | 'corp';
  readonly asked: URL;
}

async function begin(browser: BrowserCookies, id: Tab['id'], returnTo: string): Promise<Tab> {
  const path = `/gate/sign-in?${new URLSearchParams({ provider: id, returnTo })}`;
  const answer = browser.take(await gate.fetch(path, { headers: { ...page, cookie: browser.toPage } }));
  return { id, asked: new URL(answer.headers.get('location') ?? '') };
}

/** The provider's page sends its form. @returns the gate's answer */
async function sendForm(browser: BrowserCookies, { id, asked }: Tab, cookie = browser.withForeignForm): Promise<Response> {
  if (id === 'uni') {
    const now = new Date();
    const authentication = { instant: now, sessionIndex: 'one' };
    const identity = { issuer: idp.entityId, nameId: alice, attributes: [], authentication, issuedAt: now };
    vi.spyOn(ServiceProvider.prototype, 'finishSignIn').mockResolvedValueOnce(identity as unknown as SamlIdentity);
  } else {
    const id_token = await signIdToken(provider, { authorize: asked }, { sid: 'one' });
    provider.answers.token = async () => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token } });
    provider.answers.userInfo = { sub: 'ada' };
  }
  const fields =
    id === 'uni'
      ? { RelayState: asked.searchParams.get('RelayState') ?? '', SAMLResponse: 'x' }
      : { state: asked.searchParams.get('state') ?? '', code: 'c' };
  const answer = await gate.fetch(`/gate/${id}/${id === 'uni' ? 'acs' : 'callback'}`, {
    method: 'POST',
    headers: { ...page, cookie, origin: 'https://provider.example', 'sec-fetch-site': 'cross-site' },
    body: new URLSearchParams(fields),
  });
  return browser.take(answer);
}

const go = async (browser: BrowserCookies, path: string) =>
  browser.take(await gate.fetch(path, { headers: { ...page, cookie: browser.toPage, 'sec-fetch-site': 'cross-site' } }));

/** In a browser that has lost its session meanwhile: with one, the person goes on whatever the address says. */
const goWithoutSession = (browser: BrowserCookies, path: string) =>
  gate.fetch(path, { headers: { ...page, cookie: browser.withForeignForm, 'sec-fetch-site': 'cross-site' } });

/** Follows the gate's redirects. @returns where the person goes */
async function finish(browser: BrowserCookies, tab: Tab): Promise<string> {
  let answer = await sendForm(browser, tab);
  let at = answer.headers.get('location') ?? '';
  while (at.startsWith('/gate/')) {
    answer = await go(browser, at);
    at = answer.headers.get('location') ?? '';
  }
  return at;
}

/** One whose other tab got a session after this sign-in began. */
async function afterFasterTab(id: Tab['id'], returnTo: string): Promise<{ browser: BrowserCookies; tab: Tab; faster: string }> {
  const browser = new BrowserCookies();
  const fast = await begin(browser, id, '/fast');
  const tab = await begin(browser, id, returnTo);
  expect(await finish(browser, fast)).toBe('/fast');
  gate.log.length = 0;
  return { browser, tab, faster: browser.toPage };
}

/** @returns the address that the form led to */
async function led(browser: BrowserCookies, tab: Tab): Promise<string> {
  return (await sendForm(browser, tab)).headers.get('location') ?? '';
}

describe.each(['uni', 'corp'] as const)('a form from %s', id => {
  test('of two tabs, the slower one replaces the session of the faster one', async () => {
    const browser = new BrowserCookies();
    const [fast, slow] = [await begin(browser, id, '/fast'), await begin(browser, id, '/slow')];
    expect(await finish(browser, fast)).toBe('/fast');
    const first = browser.toPage;
    expect(await statusOf(first)).toBe(200);
    expect(await finish(browser, slow)).toBe('/slow');
    expect([await statusOf(first), await statusOf(browser.toPage)]).toEqual([401, 200]);
    // It was neither a sign-out nor a failure.
    expect([audits('signed-in').length, audits('sign-in-failed')]).toEqual([2, []]);
  });

  test('leads to an address of ours that gives the session to this browser, once', async () => {
    const { browser, tab } = await afterFasterTab(id, '/x?a=1');
    const answer = await sendForm(browser, tab);
    const at = answer.headers.get('location') ?? '';
    const forgotten = '__Host-gate-ways=; Path=/; HttpOnly; Secure; SameSite=None; Max-Age=0';
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([303, [forgotten]]);
    expect(at).toMatch(new RegExp(`^/gate/${id}/complete\\?sign-in=[\\w-]{32}$`));
    // The name of what waits there is not that which the provider knew.
    expect(at).not.toContain(browser.toPage.match(/gate-browser=([\w-]+)/)?.[1] ?? 'none');
    // A reader of the address is another browser, and takes nothing away.
    for (const cookie of ['', `__Host-gate-browser=${'b'.repeat(32)}`]) {
      const theirs = await gate.fetch(at, { headers: { ...page, cookie } });
      expect([theirs.status, theirs.headers.getSetCookie(), shownOn(await theirs.text())[1]]).toEqual([400, [], 'Sign in']);
    }
    // Nor does a person who only looks.
    const looked = await gate.fetch(at, { method: 'HEAD', headers: { ...page, cookie: browser.toPage } });
    expect(looked.status).toBe(405);
    const mine = await go(browser, at);
    expect([mine.status, mine.headers.get('location'), mine.headers.getSetCookie()]).toEqual([
      303,
      '/x?a=1',
      [
        expect.stringMatching(/^__Host-gate=[\w-]{80,}; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
        '__Host-gate-entered=1; Path=/; HttpOnly; Secure; SameSite=None; Max-Age=900',
      ],
    ]);
    expect(await statusOf(browser.toPage)).toBe(200);
    // Again, with the session: the person goes on. Without: nobody is signed in.
    const again = await go(browser, at);
    expect([again.status, again.headers.get('location'), again.headers.getSetCookie()]).toEqual([303, '/', []]);
    const without = await gate.fetch(at, { headers: { ...page, cookie: browser.withForeignForm } });
    expect([without.status, without.headers.getSetCookie()]).toEqual([400, []]);
    expect(await statusOf(browser.toPage)).toBe(200);
  });
});

test('what waits at the address is over after a minute, by the clock of the gate', async () => {
  const { browser: inTime, tab } = await afterFasterTab('uni', '/x');
  const at = await led(inTime, tab);
  const { browser: late, tab: lateTab } = await afterFasterTab('uni', '/x');
  const lateAt = await led(late, lateTab);
  aheadMs = 50_000;
  expect((await go(inTime, at)).headers.get('location')).toBe('/x');
  aheadMs = 61_000;
  const answer = await goWithoutSession(late, lateAt);
  expect([answer.status, answer.headers.getSetCookie(), shownOn(await answer.text()).slice(1, 3)]).toEqual([
    400,
    [],
    ['Sign in', 'That sign-in was already used, took too long or started in another browser. Start again here.'],
  ]);
  expect(audits('sign-in-failed')).toMatchObject([{ provider: 'uni', reason: 'SIGN_IN_EXPIRED', why: 'not under way' }]);
});

test('only the address of its own provider has it, and what waits elsewhere is not there', async () => {
  const { browser, tab } = await afterFasterTab('uni', '/x');
  const handle = tab.asked.searchParams.get('RelayState') ?? '';
  expect((await goWithoutSession(browser, `/gate/uni/complete?sign-in=${handle}`)).status).toBe(400);
  expect((await goWithoutSession(browser, '/gate/uni/complete')).status).toBe(400);
  const after = await begin(browser, 'uni', '/x');
  const at = await led(browser, after);
  const elsewhere = await goWithoutSession(browser, at.replace('/uni/', '/corp/'));
  expect([elsewhere.status, elsewhere.headers.getSetCookie()]).toEqual([400, []]);
  // The answer of a provider is not taken from there either.
  const posted = await gate.fetch(at, { method: 'POST', headers: { ...page, cookie: browser.toPage } });
  expect(posted.status).toBe(405);
});

test('a logout that comes in between wins, and leaves the browser no session', async () => {
  const browser = new BrowserCookies();
  expect(await finish(browser, await begin(browser, 'corp', '/x'))).toBe('/x');
  const faster = browser.toPage;
  const at = await led(browser, await begin(browser, 'uni', '/x'));
  const store = await openStore(gate.store);
  await store.endSessions({
    issuer: idp.entityId,
    subject: JSON.stringify([alice.value, alice.format, null, null]),
    at: new Date(),
  });
  await store.close();
  const answer = await go(browser, at);
  expect([answer.status, answer.headers.getSetCookie(), shownOn(await answer.text()).slice(1)]).toEqual([
    403,
    [],
    [
      'You were signed out',
      'The provider signed you out before this sign-in was complete.',
      'Sign in again -> /gate/sign-in?returnTo=%2Fx',
      'SIGNED_OUT_MEANWHILE',
    ],
  ]);
  expect([await statusOf(faster), await statusOf(browser.toPage)]).toEqual([401, 401]);
});

test.each(['uni', 'corp'] as const)(
  'a form from %s of a browser that got no session meanwhile needs no other address',
  async id => {
    const browser = new BrowserCookies();
    const answer = await sendForm(browser, await begin(browser, id, '/y'));
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/y']);
    expect(await statusOf(browser.toPage)).toBe(200);
    // A later one ends the session that it began with, as ever.
    const first = browser.toPage;
    expect(await finish(browser, await begin(browser, id, '/z'))).toBe('/z');
    expect([await statusOf(first), await statusOf(browser.toPage)]).toEqual([401, 200]);
  },
);

test('a form from the same site, which brings the cookie of the session, needs no other address', async () => {
  const browser = new BrowserCookies();
  expect(await finish(browser, await begin(browser, 'uni', '/x'))).toBe('/x');
  const first = browser.toPage;
  const answer = await sendForm(browser, await begin(browser, 'corp', '/y'), first);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/y']);
  expect([await statusOf(first), await statusOf(browser.toPage)]).toEqual([401, 200]);
});
