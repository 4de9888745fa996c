import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Application,
  applicationSecret,
  clientFor,
  follow,
  Jar,
  signInAt,
  startApplication,
} from '../support/application.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// A session of the gate ends, in whatever way: the applications behind the bridge are told, and what they were given is dead.

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
let origin: string;
let issuer: string;
let provider: SmallProvider;
/** Another one, where people may have the same names, and which signs out, too. */
let lab: SmallProvider;
let wiki: Application;
let board: Application;
let gate: TestGate;
let twin: TestGate;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  issuer = `${origin}/gate/oidc`;
  [provider, lab] = await Promise.all([startSmallProvider(), startSmallProvider()]);
  lab.answers.hasSignOut = true;
  wiki = await startApplication(issuer, 'wiki');
  board = await startApplication(issuer, 'board');
  const settings = {
    publicUrl: origin,
    providers: [corpProvider(provider, { userInfo: false }), corpProvider(lab, { id: 'lab', name: 'Lab', userInfo: false })],
    rules: [{ paths: ['/**'], allow: 'signed-in' }],
    bridge: {
      keys: [{ env: 'BRIDGE_KEY' }],
      clients: [clientFor(wiki, 'wiki'), clientFor(board, 'board', { frontChannelLogoutUri: `${board.origin}/frame?x=1` })],
    },
  };
  const env = { BRIDGE_KEY: key, APPLICATION_SECRET: applicationSecret };
  gate = await startGate(settings, { port, env });
  twin = await startGate(settings, { env, store: gate.store });
});

beforeEach(() => {
  for (const one of [wiki, board]) {
    one.signedOut.length = 0;
    one.refuse = undefined;
  }
});

afterAll(async () => {
  for (const one of [twin, gate, provider, lab, wiki, board]) await one?.[Symbol.asyncDispose]();
});

/** A person who is signed in at the gate and at both applications. */
async function everywhere(subject: string = crypto.randomUUID(), who: object = { issuer: provider.issuer }, record = {}) {
  const jar = new Jar();
  const [name = '', value = ''] = (await sessionCookie(gate, { ...who, subject }, record)).split('=');
  jar.cookies.set(name, value);
  const [atWiki, atBoard] = [await signInAt(wiki, jar), await signInAt(board, jar)];
  const sid = (signIn: typeof atWiki) => String(decodeJwt(signIn.tokens.idToken ?? '').sid);
  return { jar, subject, atWiki, atBoard, sids: [sid(atWiki), sid(atBoard)] as const };
}

/** Where the page with the frames of applications leads. */
async function nextOf(page: Response | undefined): Promise<string> {
  const next = /id="next"[^>]*href="([^"]+)"/.exec((await page?.text()) ?? '')?.[1]?.replaceAll('&amp;', '&');
  return new URL(next ?? 'nowhere:', origin).href;
}

const isGood = (application: Application, signIn: Awaited<ReturnType<typeof signInAt>>) =>
  application.relyingParty.fetchUserInfo(signIn).then(
    () => true,
    () => false,
  );

describe('a sign-out at the gate', () => {
  test('notifies every application by its own session id and revokes what it issued', async () => {
    const ada = await everywhere();
    const bob = await everywhere();
    expect([await isGood(wiki, ada.atWiki), await isGood(board, ada.atBoard)]).toEqual([true, true]);
    const answer = await gate.fetch('/gate/sign-out', {
      method: 'POST',
      headers: { cookie: ada.jar.header, 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(answer.status).toBe(200);
    expect([wiki.signedOut, board.signedOut]).toEqual([[ada.sids[0]], [ada.sids[1]]]);
    expect([await isGood(wiki, ada.atWiki), await isGood(board, ada.atBoard)]).toEqual([false, false]);
    expect([await isGood(wiki, bob.atWiki), await isGood(board, bob.atBoard)]).toEqual([true, true]);
    // What is told through the browser: one frame, from that application alone.
    const text = await answer.text();
    const frame = `${board.origin}/frame?x=1&iss=${encodeURIComponent(issuer)}&sid=${ada.sids[1]}`;
    expect(text).toContain(`src="${frame.replaceAll('&', '&amp;')}"`);
    expect(answer.headers.get('content-security-policy')).toContain(`frame-src ${board.origin}`);
  });

  test('the next sign-in is another session, which the former logout does not cover', async () => {
    const ada = await everywhere();
    await gate.fetch('/gate/sign-out', {
      method: 'POST',
      headers: { cookie: ada.jar.header, 'content-type': 'application/x-www-form-urlencoded' },
    });
    const [name = '', value = ''] = (await sessionCookie(gate, { issuer: provider.issuer, subject: ada.subject })).split('=');
    ada.jar.cookies.set(name, value);
    const again = await signInAt(wiki, ada.jar);
    expect(again.identity.subject).toBe(ada.atWiki.identity.subject);
    expect(ada.sids).not.toContain(decodeJwt(again.tokens.idToken ?? '').sid);
    expect(await isGood(wiki, again)).toBe(true);
  });

  test('names an application that does not confirm, and does not call the sign-out complete', async () => {
    const ada = await everywhere();
    wiki.refuse = 500;
    const answer = await gate.fetch('/gate/sign-out', {
      method: 'POST',
      headers: { cookie: ada.jar.header, 'content-type': 'application/x-www-form-urlencoded' },
    });
    const end = await (await fetch(await nextOf(answer))).text();
    expect(end).toContain('Application wiki did not confirm that it signed you out.');
    expect(board.signedOut).toEqual([ada.sids[1]]);
    expect(await isGood(wiki, ada.atWiki)).toBe(false);
    expect(gate.log.filter(line => line.audit === 'sign-out-unconfirmed').at(-1)).toMatchObject({ application: 'wiki' });
  });
});

test("does not read an application's answer to a logout token, even an endless one", async () => {
  const ada = await everywhere();
  const silent = () => gate.log.filter(line => line.audit === 'sign-out-unconfirmed').length;
  const before = silent();
  wiki.refuse = 'without-end';
  const answer = await gate.fetch('/gate/sign-out', {
    method: 'POST',
    headers: { cookie: ada.jar.header, 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(answer.status).toBe(200);
  expect(silent()).toBe(before);
  // What the two ends of a connection hold.
  expect(wiki.endlessBytes()).toBeLessThan(16_777_216);
});

/** The provider's server ends sessions. */
async function logOut(at: TestGate, claims: object): Promise<Response> {
  const now = Math.floor(Date.now() / 1000);
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const all = { iss: provider.issuer, aud: 'gate', iat: now, exp: now + 120, jti: crypto.randomUUID(), events, ...claims };
  const logout_token = await provider.sign(all as never, { typ: 'logout+jwt' });
  return at.fetch('/gate/corp/backchannel-logout', { method: 'POST', body: new URLSearchParams({ logout_token }) });
}

describe('a logout from the provider where people sign in', () => {
  test('reaches the applications, whichever gate received it', async () => {
    const ada = await everywhere();
    const answer = await logOut(twin, { sub: ada.subject });
    expect(answer.status).toBe(200);
    expect((await gate.fetch('/gate/me', { headers: { cookie: ada.jar.header } })).status).toBe(401);
    await expect.poll(() => [wiki.signedOut, board.signedOut]).toEqual([[ada.sids[0]], [ada.sids[1]]]);
    expect([await isGood(wiki, ada.atWiki), await isGood(board, ada.atBoard)]).toEqual([false, false]);
  });

  test('ends what a session issued when it expires', async () => {
    const ada = await everywhere();
    const { openStore } = await import('@octavo/sign-in-store');
    const later = await openStore(gate.store, { now: () => new Date(Date.now() + 3_700_000) });
    while ((await later.purge()).more);
    await later.close();
    expect(await isGood(wiki, ada.atWiki)).toBe(false);
    await expect(signInAt(wiki, ada.jar, { prompt: 'none' })).rejects.toMatchObject({ providerError: 'login_required' });
  });
});

describe('a sign-out that an application asks for', () => {
  const out = (query: Record<string, string>, jar: Jar) =>
    follow(`${issuer}/session/end?${new URLSearchParams(query)}`, jar, `${wiki.origin}/signed-out`);
  const idToken = (signIn: { tokens: { idToken?: string } }) => signIn.tokens.idToken ?? '';

  test("with this person's ID Token: signs out at once everywhere and returns with its state", async () => {
    const ada = await everywhere();
    const started = await wiki.relyingParty.startSignOut({ idTokenHint: idToken(ada.atWiki) });
    const page = await follow(started.url.href, ada.jar, `${wiki.origin}/signed-out`);
    expect(wiki.signedOut).toEqual([ada.sids[0]]);
    expect(board.signedOut).toEqual([ada.sids[1]]);
    expect((await gate.fetch('/gate/me', { headers: { cookie: ada.jar.header } })).status).toBe(401);
    const end = await follow(await nextOf(page.response), ada.jar, `${wiki.origin}/signed-out`);
    expect(await wiki.relyingParty.finishSignOut({ method: 'GET', url: end.url }, started.pending)).toMatchObject({
      state: 'matched',
    });
  });

  test('by POST, as the standard also has it, which a browser sends without the session cookie', async () => {
    const ada = await everywhere();
    const answer = await gate.fetch('/gate/oidc/session/end', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ id_token_hint: idToken(ada.atWiki), post_logout_redirect_uri: `${wiki.origin}/signed-out` }),
    });
    expect(answer.status).toBe(303);
    const location = answer.headers.get('location') ?? '';
    expect(location).not.toContain(idToken(ada.atWiki));
    await follow(`${origin}${location}`, ada.jar, `${wiki.origin}/signed-out`);
    expect(wiki.signedOut).toEqual([ada.sids[0]]);
  });

  test.each([
    ['no ID Token', () => ({ client_id: 'wiki' })],
    ['an ID Token of another person', async () => ({ id_token_hint: idToken((await everywhere()).atWiki) })],
  ])('with %s: the person is asked, and is signed out only on yes', async (_name, query) => {
    const ada = await everywhere();
    wiki.signedOut.length = 0;
    const page = await out({ post_logout_redirect_uri: `${wiki.origin}/signed-out`, ...(await query()) }, ada.jar);
    const text = (await page.response?.text()) ?? '';
    expect(text).toContain('Application wiki asks to sign you out everywhere.');
    expect(wiki.signedOut).toEqual([]);
    expect(await isGood(wiki, ada.atWiki)).toBe(true);
    const after = /name="after" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const done = await gate.fetch('/gate/sign-out', {
      method: 'POST',
      headers: { cookie: ada.jar.header, 'content-type': 'application/x-www-form-urlencoded', origin },
      body: new URLSearchParams({ after }),
    });
    expect(wiki.signedOut).toEqual([ada.sids[0]]);
    const end = await follow(await nextOf(done), ada.jar, `${wiki.origin}/signed-out`);
    expect(end.url).toBe(`${wiki.origin}/signed-out`);
  });

  const unregistered = 'post_logout_redirect_uri is not registered for this application.';

  test.each([
    ['an address that is not registered', { client_id: 'wiki', post_logout_redirect_uri: 'https://evil.example/' }, unregistered],
    ['an address of another application', { client_id: 'board', post_logout_redirect_uri: 'WIKI' }, unregistered],
    [
      'an address and nobody who vouches for it',
      { post_logout_redirect_uri: 'WIKI' },
      'post_logout_redirect_uri needs client_id or id_token_hint.',
    ],
    ['an unknown application', { client_id: 'nobody' }, 'Unknown client_id.'],
    [
      'a forged ID Token',
      { id_token_hint: 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.' },
      'id_token_hint is not an ID Token from this provider.',
    ],
    [
      'an ID Token of another application than is named',
      { client_id: 'board', id_token_hint: 'HINT' },
      'client_id and id_token_hint name different applications.',
    ],
    ['a sealed wish that is not ours', { request: 'abc' }, 'This sign-out request is unknown or has expired.'],
  ] as [string, Record<string, string>, string][])('refuses %s with a page and signs no one out', async (_name, query, why) => {
    const ada = await everywhere();
    const changed = Object.fromEntries(
      Object.entries(query).map(([name, value]) => [
        name,
        value.replace('WIKI', `${wiki.origin}/signed-out`).replace('HINT', idToken(ada.atWiki)),
      ]),
    );
    const { response } = await out(changed, ada.jar);
    expect([response?.status, await response?.text()]).toEqual([400, expect.stringContaining(`<p class="soft">${why}</p>`)]);
    expect(await isGood(wiki, ada.atWiki)).toBe(true);
  });

  test('by another method is none', async () => {
    const answer = await gate.fetch('/gate/oidc/session/end', { method: 'PUT' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });

  test('without an address or a name says only that it is over', async () => {
    for (const query of [{ client_id: 'wiki' }, {}] as Record<string, string>[]) {
      const { response } = await out(query, new Jar());
      expect([response?.status, await response?.text()]).toEqual([200, expect.stringContaining('<h1>You are signed out</h1>')]);
    }
  });

  test('sends a person who is not signed in back too', async () => {
    const end = await out({ client_id: 'wiki', post_logout_redirect_uri: `${wiki.origin}/signed-out`, state: 'abc' }, new Jar());
    expect(end.url).toBe(`${wiki.origin}/signed-out?state=abc`);
    const without = await out({ client_id: 'wiki', post_logout_redirect_uri: `${wiki.origin}/signed-out` }, new Jar());
    expect(without.url).toBe(`${wiki.origin}/signed-out`);
  });

  test('names the application that asks, wherever it leads', async () => {
    const { response } = await out({ client_id: 'wiki' }, (await everywhere()).jar);
    expect(await response?.text()).toContain('Application wiki asks to sign you out everywhere.');
  });
});

/** Signs in once more, in the same browser. @returns the gate's answer to the return */
async function signInAgain(
  jar: Jar,
  claims: object,
  {
    id = 'corp',
    at = provider,
    meanwhile = async () => {},
  }: { id?: string; at?: SmallProvider; meanwhile?: () => Promise<void> } = {},
): Promise<Response> {
  const start = await gate.fetch(`/gate/sign-in?provider=${id}`, { headers: { accept: 'text/html', cookie: jar.header } });
  jar.take(start);
  await meanwhile();
  const authorize = new URL(start.headers.get('location') ?? '');
  const now = Math.floor(Date.now() / 1000);
  const nonce = authorize.searchParams.get('nonce');
  const token = await at.sign({ iss: at.issuer, aud: 'gate', iat: now, exp: now + 300, nonce, ...claims } as never);
  at.answers.token = async () => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token: token } });
  const state = authorize.searchParams.get('state');
  const done = await gate.fetch(`/gate/${id}/callback?code=c&state=${state}`, {
    headers: { accept: 'text/html', cookie: jar.header },
  });
  jar.take(done);
  return done;
}

test('the way on after the frames leads to the provider, and from there to the application that asked', async () => {
  const idToken = await lab.sign({ iss: lab.issuer, sub: 'ada', aud: 'gate' });
  const tokens = { accessToken: 'a', tokenType: 'Bearer', idToken, signedIdToken: idToken };
  const signIn = { identity: { issuer: lab.issuer, subject: 'ada' }, claims: {}, tokens };
  const ada = await everywhere(crypto.randomUUID(), { provider: 'lab', issuer: lab.issuer }, { signIn });
  const started = await wiki.relyingParty.startSignOut({ idTokenHint: ada.atWiki.tokens.idToken ?? '' });
  const { response } = await follow(started.url.href, ada.jar, lab.issuer);
  expect(response?.headers.get('content-security-policy')).toContain(`frame-src ${board.origin}`);
  const next = new URL(await nextOf(response));
  expect([next.origin + next.pathname, next.searchParams.get('id_token_hint')]).toEqual([`${lab.issuer}/end`, idToken]);
  const back = `${next.searchParams.get('post_logout_redirect_uri')}?state=${next.searchParams.get('state')}`;
  const end = await follow(back, ada.jar, `${wiki.origin}/signed-out`);
  expect(await wiki.relyingParty.finishSignOut({ method: 'GET', url: end.url }, started.pending)).toMatchObject({
    state: 'matched',
  });
  // Once. A person who opens the address again hears no more than that nobody is signed in.
  expect((await follow(back, ada.jar, `${wiki.origin}/signed-out`)).response?.status).toBe(200);
});

test('the way on after the frames says, to this browser, what the provider was not asked', async () => {
  // Nothing of the sign-in is left with which the provider could be asked.
  const ada = await everywhere(crypto.randomUUID(), { provider: 'lab', issuer: lab.issuer });
  const answer = await gate.fetch('/gate/sign-out', {
    method: 'POST',
    headers: { cookie: ada.jar.header, 'content-type': 'application/x-www-form-urlencoded' },
  });
  ada.jar.take(answer);
  const end = await follow(await nextOf(answer), ada.jar, 'nowhere:');
  expect(await end.response?.text()).toContain("You are signed out here, but we couldn't ask Lab to sign you out as well.");
});

test('keeps what applications were given when the same person signs in again, and ends it for another', async () => {
  const ada = await everywhere('ada-again');
  expect((await signInAgain(ada.jar, { sub: 'ada-again' })).status).toBe(303);
  expect(await isGood(wiki, ada.atWiki)).toBe(true);
  expect(wiki.signedOut).toEqual([]);
  expect((await signInAgain(ada.jar, { sub: 'bob' })).status).toBe(303);
  await expect.poll(() => wiki.signedOut).toEqual([ada.sids[0]]);
  expect(await isGood(wiki, ada.atWiki)).toBe(false);
});

test('ends it for a person of the same name at another provider', async () => {
  const ada = await everywhere();
  expect((await signInAgain(ada.jar, { sub: ada.subject }, { id: 'lab', at: lab })).status).toBe(303);
  await expect.poll(() => wiki.signedOut).toEqual([ada.sids[0]]);
  expect(await isGood(wiki, ada.atWiki)).toBe(false);
});

test('a sign-in that a logout overtakes ends the session that it would have replaced, at the applications, too', async () => {
  const ada = await everywhere();
  const sid = crypto.randomUUID();
  const meanwhile = async () => expect((await logOut(gate, { sid })).status).toBe(200);
  const done = await signInAgain(ada.jar, { sub: ada.subject, sid }, { meanwhile });
  expect([done.status, await done.text()]).toEqual([403, expect.stringContaining('SIGNED_OUT_MEANWHILE')]);
  expect((await gate.fetch('/gate/me', { headers: { cookie: ada.jar.header } })).status).toBe(401);
  await expect.poll(() => [wiki.signedOut, board.signedOut]).toEqual([[ada.sids[0]], [ada.sids[1]]]);
  expect([await isGood(wiki, ada.atWiki), await isGood(board, ada.atBoard)]).toEqual([false, false]);
});
