import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import type { SmallProvider } from '../support/small-provider.ts';
import { cookiesOf, finishSignIn, startSignIn } from '../support/small-sign-in.ts';
import { audits, countSignIns, linesOf, resetTwoGates, startTwoGates, stopTwoGates } from '../support/two-gates.ts';

// Whole answers to a browser that comes back from a provider: who gets in, what the browser is given, what the log has.

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

describe('back from the provider', () => {
  const told = { claims: { email: 'ada@corp.example', email_verified: true } };

  test('a person is signed in, and the cookie is closed', async () => {
    const before = await countSignIns(secure, 'signed-in');
    const started = await startSignIn(secure, '/gate/sign-in?returnTo=/x');
    const back = await finishSignIn({ gate: secure, provider }, started, { ...told, userInfo: {} });
    expect([back.status, back.headers.get('location')]).toEqual([303, '/x']);
    expect(back.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-gate=[\w-]{80,}; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      '__Host-gate-ways=; Path=/; HttpOnly; Secure; SameSite=None; Max-Age=0',
    ]);
    expect(audits(secure, 'signed-in')).toEqual([
      {
        time: expect.any(String),
        level: 'info',
        audit: 'signed-in',
        provider: 'corp',
        issuer: provider.issuer,
        subject: 'ada',
        client: '127.0.0.1',
      },
    ]);
    expect((await countSignIns(secure, 'signed-in')) - before).toBe(1);
    expect((await secure.fetch('/gate/me', { headers: { cookie: cookiesOf(back) } })).status).toBe(200);
  });

  /** The provider's server ends one of its sessions. */
  const logOut = async (sid: string) => {
    const now = Math.floor(Date.now() / 1000);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const claims = {
      iss: provider.issuer,
      aud: 'gate',
      iat: now,
      exp: now + 60,
      jti: crypto.randomUUID(),
      events,
      sid,
    };
    const body = new URLSearchParams({ logout_token: await provider.sign(claims, { typ: 'logout+jwt' }) });
    expect((await gate.fetch('/gate/corp/backchannel-logout', { method: 'POST', body })).status).toBe(200);
  };

  test('a logout that overtakes the sign-in wins', async () => {
    const before = await countSignIns(gate, 'overtaken');
    const started = await startSignIn(gate, '/gate/sign-in?provider=corp&returnTo=/x');
    await logOut('overtaken');
    const answer = await finishSignIn({ gate, provider }, started, { claims: { sid: 'overtaken' }, userInfo: {} });
    expect([answer.status, await linesOf(answer)]).toEqual([
      403,
      [
        'You were signed out',
        'The provider signed you out before this sign-in was complete.',
        'Sign in again -> /gate/sign-in?returnTo=%2Fx',
        'SIGNED_OUT_MEANWHILE',
      ],
    ]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(audits(gate, 'sign-in-failed')).toMatchObject([
      { provider: 'corp', subject: 'ada', reason: 'a logout arrived before the sign-in was complete' },
    ]);
    expect((await countSignIns(gate, 'overtaken')) - before).toBe(1);
  });

  test('a logout that overtakes the sign-in leaves no session of the browser, as its page says', async () => {
    const signedIn = () => sessionCookie(gate, { issuer: provider.issuer });
    const [begun, beside] = [await signedIn(), await signedIn()];
    const { authorize, cookie } = await startSignIn(gate, '/gate/sign-in?provider=corp', begun);
    await logOut('overtaken again');
    const started = { authorize, cookie: cookie.replace(begun, beside) };
    expect((await finishSignIn({ gate, provider }, started, { claims: { sid: 'overtaken again' }, userInfo: {} })).status).toBe(
      403,
    );
    const statusOf = async (cookie: string) => (await gate.fetch('/gate/me', { headers: { cookie } })).status;
    expect([await statusOf(begun), await statusOf(beside)]).toEqual([401, 401]);
  });

  test('a person who asked for no page gets to the start page', async () => {
    const back = await finishSignIn({ gate: secure, provider }, await startSignIn(secure), { ...told, userInfo: {} });
    expect(back.headers.get('location')).toBe('/');
  });

  test('an answer that belongs to no sign-in is refused, but a signed-in person goes on', async () => {
    const before = await countSignIns(gate, 'stale');
    const path = `/gate/corp/callback?code=c&state=${'s'.repeat(32)}`;
    const stray = await open(path);
    expect([stray.status, (await linesOf(stray)).slice(0, 2)]).toEqual([
      400,
      ['Sign in', expect.stringMatching(/^That sign-in started in another browser, or this browser did not keep its cookie\./)],
    ]);
    const cookie = await sessionCookie(gate, { issuer: provider.issuer });
    const known = await open(path, { cookie });
    expect([known.status, known.headers.get('location')]).toEqual([303, '/']);
    expect((await countSignIns(gate, 'stale')) - before).toBe(1);
    expect(audits(gate, 'sign-in-failed')).toEqual([
      {
        time: expect.any(String),
        level: 'info',
        audit: 'sign-in-failed',
        provider: 'corp',
        reason: 'SIGN_IN_EXPIRED',
        why: 'no cookie',
        client: '127.0.0.1',
      },
    ]);
    // A form from another site comes without the session: the next page finds out.
    const body = new URLSearchParams({ code: 'c', state: 's'.repeat(32) });
    const posted = await gate.fetch('/gate/corp/callback', { method: 'POST', body, headers: { ...page, cookie } });
    expect([posted.status, posted.headers.get('location')]).toEqual([303, '/gate/sign-in?notice=cookies']);
    const browser = { ...page, cookie: `gate-browser=${'b'.repeat(32)}` };
    const used = await gate.fetch('/gate/corp/callback', { method: 'POST', body, headers: browser });
    expect(used.headers.get('location')).toBe('/gate/sign-in?notice=over');
  });

  test('a refusal leads to another try, another account, and another provider', async () => {
    const before = await countSignIns(gate, 'refused-by-provider');
    const { authorize, cookie } = await startSignIn(gate, '/gate/sign-in?provider=corp&returnTo=/x');
    const query = new URLSearchParams({ error: 'access_denied', state: authorize.searchParams.get('state') ?? '' });
    const answer = await open(`/gate/corp/callback?${query}`, { cookie });
    expect([answer.status, await linesOf(answer)]).toEqual([
      403,
      [
        'The provider did not sign you in',
        'The provider refused the sign-in, or you canceled it.',
        'Try Corp again -> /gate/sign-in?provider=corp&returnTo=%2Fx',
        'Sign in with another account -> /gate/sign-in?another=1&provider=corp&returnTo=%2Fx',
        'Sign in another way -> /gate/sign-in?returnTo=%2Fx',
        'OIDC_PROVIDER_ERROR',
      ],
    ]);
    expect((await countSignIns(gate, 'refused-by-provider')) - before).toBe(1);
  });

  test.each([
    ['temporarily_unavailable', 503, 'outage'],
    ['server_error', 503, 'outage'],
    ['login_required', 403, 'refused-by-provider'],
  ])('%s from the provider is told as what it is', async (error, status, outcome) => {
    const before = await countSignIns(secure, outcome);
    const { authorize, cookie } = await startSignIn(secure, '/gate/sign-in?provider=corp&returnTo=/x');
    const query = new URLSearchParams({ error, state: authorize.searchParams.get('state') ?? '', error_description: 'ada' });
    const answer = await open(`/gate/corp/callback?${query}`, { cookie }, secure);
    const another = 'Sign in with another account -> /gate/sign-in?another=1&provider=corp&returnTo=%2Fx';
    expect([answer.status, answer.headers.get('retry-after'), (await linesOf(answer)).slice(2)]).toEqual([
      status,
      status === 503 ? '5' : null,
      [
        'Try Corp again -> /gate/sign-in?provider=corp&returnTo=%2Fx',
        ...(status === 503 ? [] : [another]),
        'OIDC_PROVIDER_ERROR',
      ],
    ]);
    expect((await countSignIns(secure, outcome)) - before).toBe(1);
    // The provider's words came through the browser, and may name the person.
    const failures = audits(secure, 'sign-in-failed');
    expect([failures, JSON.stringify(failures).includes('ada')]).toEqual([
      [expect.objectContaining({ reason: 'OIDC_PROVIDER_ERROR', providerError: error })],
      false,
    ]);
  });

  test('a program hears the code of the package, too', async () => {
    const { authorize, cookie } = await startSignIn(gate, '/gate/sign-in?provider=corp');
    const query = new URLSearchParams({ error: 'access_denied', state: authorize.searchParams.get('state') ?? '' });
    const answer = await gate.fetch(`/gate/corp/callback?${query}`, { headers: { cookie } });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      {
        error: 'SIGN_IN_REFUSED',
        message: 'The provider refused the sign-in, or you canceled it.',
        reason: 'OIDC_PROVIDER_ERROR',
      },
    ]);
  });

  test('what is not accepted leads to another try, and to no other account', async () => {
    const started = await startSignIn(gate, '/gate/sign-in?provider=corp');
    const answer = await finishSignIn({ gate, provider }, started, { claims: { nonce: 'another' } });
    expect([answer.status, await linesOf(answer)]).toEqual([
      403,
      [
        'Sign-in failed',
        'We could not accept what the provider sent, so you are not signed in.',
        'Try Corp again -> /gate/sign-in?provider=corp',
        'Sign in another way -> /gate/sign-in',
        'OIDC_CLAIM_NONCE',
      ],
    ]);
    expect(answer.headers.getSetCookie().filter(text => text.startsWith('gate='))).toEqual([]);
  });

  test('a key that nobody knows is told as that', async () => {
    const started = await startSignIn(gate, '/gate/sign-in?provider=corp');
    const { generateKeyPair } = await import('jose');
    const { privateKey } = await generateKeyPair('RS256');
    const now = Math.floor(Date.now() / 1000);
    const nonce = started.authorize.searchParams.get('nonce') ?? '';
    const claims = { iss: provider.issuer, aud: 'gate', sub: 'ada', iat: now, exp: now + 300, nonce };
    const id_token = await provider.sign(claims, { kid: 'another' }, privateKey);
    provider.answers.token = async () => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token } });
    const state = started.authorize.searchParams.get('state') ?? '';
    const answer = await open(`/gate/corp/callback?code=c&state=${state}`, { cookie: started.cookie });
    expect(await linesOf(answer)).toContain(
      'The provider signed with a key that this site does not know. Its certificate may have changed. Contact the site’s administrator.',
    );
  });

  test('a provider that is down leads to another try, and not to the address of the return', async () => {
    const started = await startSignIn(gate, '/gate/sign-in?provider=corp&returnTo=/x');
    const state = started.authorize.searchParams.get('state') ?? '';
    provider.answers.isDown = true;
    const answer = await open(`/gate/corp/callback?code=c&state=${state}`, { cookie: started.cookie });
    expect([answer.status, (await linesOf(answer)).slice(2)]).toEqual([
      503,
      [
        'Try Corp again -> /gate/sign-in?provider=corp&returnTo=%2Fx',
        'Sign in another way -> /gate/sign-in?returnTo=%2Fx',
        expect.stringMatching(/^OIDC_/),
      ],
    ]);
  });
});
