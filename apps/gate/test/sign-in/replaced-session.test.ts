import { type SamlIdentity, ServiceProvider } from '@octavo/saml-sp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { shownOn } from '../support/shown.ts';
import { enhancedClient } from '../support/simplesamlphp.ts';
import { alice, type SmallIdp, startSmallIdp } from '../support/small-idp.ts';

// If the browser no longer has a session's cookie, only a thief can use that session, so signing in again ends the former one. A form
// from a provider on another site comes without our cookie, so the gate must know the session from the start. What the package
// verifies is mocked here.

let idp: SmallIdp;
let gate: TestGate;
const page = { accept: 'text/html' };

beforeAll(async () => {
  idp = await startSmallIdp();
  gate = await startGate(
    { providers: [{ ...idp.provider, emailDomains: ['uni.example'] }], rules: [{ paths: ['/**'], allow: 'signed-in' }] },
    { env: idp.env },
  );
});

afterAll(async () => {
  vi.restoreAllMocks();
  for (const one of [gate, idp]) await one?.[Symbol.asyncDispose]();
});

const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map(text => text.split(';')[0])
    .join('; ');
const status = async (cookie: string) => (await gate.fetch('/gate/me', { headers: { cookie } })).status;

const byLink = (cookie: string) => gate.fetch('/gate/sign-in?provider=uni&fresh=1', { headers: { ...page, cookie } });
const byEmail = (cookie: string) =>
  gate.fetch('/gate/sign-in', {
    method: 'POST',
    headers: { ...page, cookie, origin: gate.origin },
    body: new URLSearchParams({ email: 'alice@uni.example', fresh: '1' }),
  });

const aliceNow = (sessionNotOnOrAfter?: Date) => {
  const now = new Date();
  const authentication = { instant: now, sessionIndex: 'one', sessionNotOnOrAfter };
  return { issuer: idp.entityId, nameId: alice, attributes: [], authentication, issuedAt: now } as unknown as SamlIdentity;
};

/** @param started the gate's redirect to the provider @param cookie sent with the provider's form @returns the new session's cookie */
const finish = async (started: Response, cookie = ''): Promise<string> => cookiesOf(await comeBack(gate, started, cookie));

async function comeBack(at: TestGate, started: Response, cookie = '', sessionNotOnOrAfter?: Date): Promise<Response> {
  vi.spyOn(ServiceProvider.prototype, 'finishSignIn').mockResolvedValueOnce(aliceNow(sessionNotOnOrAfter));
  const handle = new URL(started.headers.get('location') ?? '').searchParams.get('RelayState') ?? '';
  const done = await at.fetch('/gate/uni/acs', {
    method: 'POST',
    headers: { ...page, cookie: [cookiesOf(started), cookie].filter(Boolean).join('; ') },
    body: new URLSearchParams({ RelayState: handle, SAMLResponse: 'x' }),
  });
  expect(done.status).toBe(303);
  return done;
}

const envelope = async (cookie: string) => {
  const path = '/gate/sign-in?provider=uni&fresh=1';
  return (await gate.fetch(path, { headers: { ...enhancedClient, cookie } })).text();
};

/** @param asked the envelope that the gate gave to an enhanced client @returns the new session's cookie */
async function finishEnvelope(asked: string, cookie = ''): Promise<string> {
  vi.spyOn(ServiceProvider.prototype, 'finishEcp').mockResolvedValueOnce(aliceNow());
  const relayState = /<ecp:RelayState[^>]*>[^<]*<\/ecp:RelayState>/.exec(asked)?.[0] ?? '';
  const response = '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"';
  const status = '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>';
  const done = await gate.fetch('/gate/uni/acs', {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.paos+xml', cookie },
    body:
      `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Header>${relayState}</soap:Header>` +
      `<soap:Body>${response} ID="_r" Version="2.0" IssueInstant="${new Date().toISOString()}">${status}</samlp:Response></soap:Body></soap:Envelope>`,
  });
  expect(done.status).toBe(303);
  return cookiesOf(done);
}

test('a second sign-in of an enhanced client ends the session in which it began', async () => {
  const first = await finishEnvelope(await envelope(''));
  const second = await finishEnvelope(await envelope(first));
  expect([await status(first), await status(second)]).toEqual([401, 200]);
});

test('of two sign-ins that an enhanced client began at once, the later one ends the session of the other', async () => {
  const [one, two] = [await envelope(''), await envelope('')];
  const first = await finishEnvelope(one);
  const second = await finishEnvelope(two, first);
  expect([await status(first), await status(second)]).toEqual([401, 200]);
});

test.each([
  ['a link', byLink],
  ['an e-mail address', byEmail],
])('signing in again by %s ends the former session', async (_name, start) => {
  const first = await finish(await byLink(''));
  const second = await finish(await start(first));
  expect([await status(first), await status(second)]).toEqual([401, 200]);
});

test('ends the session of a sign-in that finished meanwhile in the same browser', async () => {
  const old = await finish(await byLink(''));
  const waiting = await byLink(old);
  const meanwhile = await finish(await byLink(old));
  const last = await finish(waiting, meanwhile);
  expect([await status(old), await status(meanwhile), await status(last)]).toEqual([401, 401, 200]);
});

test('ends both that the browser had: that in which the sign-in began, and that which it has now', async () => {
  const begun = await finish(await byLink(''));
  const waiting = await byLink(begun);
  const beside = await finish(await byLink(''));
  const last = await finish(waiting, beside);
  expect([await status(begun), await status(beside), await status(last)]).toEqual([401, 401, 200]);
});

test('on https every cookie is for this host and https alone, and only those that a provider’s form needs come from another site', async () => {
  await using secure = await startGate(
    { publicUrl: 'https://notes.example.org', providers: [idp.provider], rules: [{ paths: ['/**'], allow: 'signed-in' }] },
    { env: idp.env },
  );
  const started = await secure.fetch('/gate/sign-in?provider=uni', { headers: page });
  const names = (answer: Response) => answer.headers.getSetCookie().map(text => text.replace(/=[\w-]+(?=;)/, ''));
  expect(names(started)).toEqual([
    '__Host-gate-browser; Path=/; HttpOnly; Secure; SameSite=None',
    expect.stringMatching(/^__Host-gate-browser-\w+; Path=\/; HttpOnly; Secure; SameSite=None; Max-Age=900$/),
    '__Host-gate-provider; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=31536000',
  ]);
  expect(names(await comeBack(secure, started))).toEqual([
    '__Host-gate; Path=/; HttpOnly; Secure; SameSite=Lax',
    '__Host-gate-entered; Path=/; HttpOnly; Secure; SameSite=None; Max-Age=900',
  ]);
});

test('a sign-in whose session is over by the clock here is refused, not begun again without an end', async () => {
  const before = gate.log.length;
  const first = await finish(await byLink(''));
  vi.spyOn(ServiceProvider.prototype, 'finishSignIn').mockResolvedValueOnce(aliceNow(new Date(Date.now() - 1_000)));
  const started = await gate.fetch('/gate/sign-in?provider=uni&returnTo=/x', { headers: { ...page, cookie: first } });
  const handle = new URL(started.headers.get('location') ?? '').searchParams.get('RelayState') ?? '';
  const done = await gate.fetch('/gate/uni/acs', {
    method: 'POST',
    headers: { ...page, cookie: cookiesOf(started) },
    body: new URLSearchParams({ RelayState: handle, SAMLResponse: 'x' }),
  });
  expect([done.status, done.headers.getSetCookie(), shownOn(await done.text()).slice(1)]).toEqual([
    403,
    [],
    [
      'Sign-in failed',
      'We could not accept what the provider sent, so you are not signed in.',
      'By this site’s clock, your session at the provider is already over. If it does not help to sign in again, the clocks may be too far apart: contact the site’s administrator.',
      'Sign in again -> /gate/sign-in?fresh=1&provider=uni&returnTo=%2Fx',
      'SIGN_IN_FAILED',
    ],
  ]);
  expect(await status(first)).toBe(200);
  expect(gate.log.slice(before).at(-1)).toMatchObject({
    audit: 'sign-in-failed',
    provider: 'uni',
    subject: alice.value,
    reason: 'SIGN_IN_FAILED',
    why: 'the session at the provider is already over by the clock here',
    client: '127.0.0.1',
  });
});

test.each([
  ['when the provider says', 600_000, 600_000],
  ['after its lifetime, however long the provider would have it', 86_400_000, 28_800_000],
])('a session ends %s (SessionNotOnOrAfter, SAML Core §2.7.2)', async (_name, said, ends) => {
  const before = Date.now();
  const done = await comeBack(gate, await byLink(''), '', new Date(before + said));
  const { endsAt } = await (await gate.fetch('/gate/me', { headers: { cookie: cookiesOf(done) } })).json();
  // The lifetime counts from when the session is made.
  expect(Date.parse(endsAt) - before).toBeGreaterThanOrEqual(ends);
  expect(Date.parse(endsAt) - Date.now()).toBeLessThanOrEqual(ends);
});
