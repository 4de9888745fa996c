import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { type SmallIdp, startSmallIdp } from '../support/small-idp.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { comeBack, cookiesOf, finishSignIn, type StartedSignIn, startSignIn } from '../support/small-sign-in.ts';
import { audits, countSignIns, linesOf } from '../support/two-gates.ts';

// A person stays at the provider's page for so long that the sign-in is over, or that the provider is no longer one of this site.

const page = { accept: 'text/html' };
const rules = [{ paths: ['/**'], allow: 'signed-in' }];
const minuteMs = 60_000;
let provider: SmallProvider;
let idp: SmallIdp;
let gate: TestGate;
let corp: object;
let lab: object;
let aheadMs = 0;

beforeAll(async () => {
  [provider, idp] = await Promise.all([startSmallProvider(), startSmallIdp()]);
  corp = corpProvider(provider, { userInfo: false });
  lab = corpProvider(provider, { id: 'lab', name: 'Lab', clientId: 'lab' });
  const overrides = { now: () => new Date(Date.now() + aheadMs) };
  gate = await startGate({ providers: [corp, lab, idp.provider], rules }, { env: idp.env, overrides });
});
beforeEach(async () => {
  aheadMs = 0;
  gate.log.length = 0;
  await gate.app.reload(gate.config);
});
afterAll(async () => {
  for (const one of [gate, idp, provider]) await one?.[Symbol.asyncDispose]();
});

const start = (returnTo: string, cookie = '') =>
  startSignIn(gate, `/gate/sign-in?${new URLSearchParams({ provider: 'corp', returnTo })}`, cookie);
const linksOf = async (answer: Response) => (await linesOf(answer)).filter(line => line.includes(' -> '));

describe('back after more than 15 minutes', () => {
  test('a person is told so, and signs in again to where they wanted to go', async () => {
    const started = await start('/deep?a=1');
    aheadMs = 16 * minuteMs;
    const late = await comeBack(gate, started);
    expect([late.status, await linesOf(late)]).toEqual([
      400,
      [
        'Sign in',
        'You were at your provider for more than 10 minutes, so that sign-in no longer counts. Start again here.',
        'Corpused last time -> /gate/sign-in?provider=corp&returnTo=%2Fdeep%3Fa%3D1',
        'Lab -> /gate/sign-in?provider=lab&returnTo=%2Fdeep%3Fa%3D1',
        'University -> /gate/sign-in?provider=uni&returnTo=%2Fdeep%3Fa%3D1',
      ],
    ]);
    expect(audits(gate, 'sign-in-failed')).toMatchObject([{ reason: 'SIGN_IN_EXPIRED', why: 'not under way' }]);
    const back = await finishSignIn({ gate, provider }, await start('/deep?a=1', started.cookie), { aheadMs });
    expect([back.status, back.headers.get('location')]).toEqual([303, '/deep?a=1']);
  });

  test('so is one whose provider sends a form, which comes without the session', async () => {
    const started = await gate.fetch('/gate/sign-in?provider=uni&returnTo=/deep', { headers: page });
    const relayState = new URL(started.headers.get('location') ?? '').searchParams.get('RelayState') ?? '';
    aheadMs = 16 * minuteMs;
    const body = new URLSearchParams({ RelayState: relayState, SAMLResponse: 'x' });
    const headers = { ...page, cookie: cookiesOf(started) };
    const late = await gate.fetch('/gate/uni/acs', { method: 'POST', body, headers });
    expect([late.status, late.headers.get('location')]).toEqual([303, '/gate/sign-in?returnTo=%2Fdeep&notice=late']);
    const shown = await gate.fetch('/gate/sign-in?returnTo=%2Fdeep&notice=late', { headers: page });
    expect(await linesOf(shown)).toContain(
      'You were at your provider for more than 10 minutes, so that sign-in no longer counts. Start again here.',
    );
  });

  test('a person who is signed in by another tab goes on at once', async () => {
    const { authorize, cookie } = await start('/deep');
    aheadMs = 16 * minuteMs;
    const session = await sessionCookie(gate, { issuer: provider.issuer });
    const back = await comeBack(gate, { authorize, cookie: `${cookie}; ${session}` });
    expect([back.status, back.headers.get('location')]).toEqual([303, '/deep']);
  });

  test.each([
    ['in another browser', (started: StartedSignIn) => ({ ...started, cookie: '' }), 16],
    [
      'with a changed cookie',
      (started: StartedSignIn) => ({ ...started, cookie: started.cookie.replace('ways=A', 'ways=B') }),
      16,
    ],
    ['after a day', (started: StartedSignIn) => started, 24 * 60],
  ])('nothing is remembered %s', async (_name, change, minutes) => {
    const started = await start('/deep');
    expect(started.cookie).toContain('gate-ways=A');
    aheadMs = minutes * minuteMs;
    const late = await comeBack(gate, change(started));
    expect([late.status, await linksOf(late)]).toEqual([400, expect.arrayContaining(['Lab -> /gate/sign-in?provider=lab'])]);
  });
});

describe('what a browser remembers', () => {
  const ways = (answer: Response) => answer.headers.getSetCookie().filter(text => text.startsWith('gate-ways='));

  test('is for itself alone, sealed, and goes once the sign-in has led there', async () => {
    const begun = await gate.fetch('/gate/sign-in?provider=corp&returnTo=/deep', { headers: page });
    expect(ways(begun)).toEqual([expect.stringMatching(/^gate-ways=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=86400$/)]);
    const started = { authorize: new URL(begun.headers.get('location') ?? ''), cookie: cookiesOf(begun) };
    expect(ways(await finishSignIn({ gate, provider }, started))).toEqual([
      'gate-ways=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    ]);
    expect(ways(await gate.fetch('/gate/sign-in?provider=corp', { headers: page }))).toEqual([]);
  });

  test('has several tabs, of which one ends', async () => {
    const first = await start('/first');
    const second = await start('/second', first.cookie);
    // The browser keeps the newer of two cookies with one name.
    const jar = second.cookie
      .split('; ')
      .filter((one, at, all) => all.findIndex(two => two.split('=')[0] === one.split('=')[0]) === at);
    const done = await finishSignIn({ gate, provider }, { ...second, cookie: jar.join('; ') });
    const left = [cookiesOf(done), ...jar.filter(one => !one.startsWith('gate-ways='))].join('; ');
    aheadMs = 16 * minuteMs;
    const cookie = left.replace(/(?:^|; )gate=[^;]*/, '');
    expect(await linksOf(await comeBack(gate, { ...first, cookie }))).toContain(
      'Lab -> /gate/sign-in?provider=lab&returnTo=%2Ffirst',
    );
    expect(await linksOf(await comeBack(gate, { ...second, cookie }))).toContain('Lab -> /gate/sign-in?provider=lab');
  });

  test('leaves room in the head of an answer, for however many sign-ins', async () => {
    let cookie = '';
    for (let at = 0; at < 6; at += 1) {
      const answer = await gate.fetch(`/gate/sign-in?provider=corp&returnTo=/${at}${'x'.repeat(300)}`, {
        headers: { ...page, cookie },
      });
      [cookie = ''] = ways(answer).map(text => text.split(';')[0] ?? '');
      expect([cookie.length > 400, cookie.length < 1100]).toEqual([true, true]);
    }
    expect(ways(await gate.fetch(`/gate/sign-in?provider=corp&returnTo=/${'x'.repeat(400)}`, { headers: page }))).toEqual([]);
  });
});

describe('back from a provider that was removed meanwhile', () => {
  const told = 'This site no longer offers the provider that you came from. Sign in another way here.';
  const without = (...providers: object[]) => gate.app.reload(gate.readConfig({ providers }));

  test.each([
    ['gone', async () => without(lab, idp.provider), 0],
    ['gone for longer than the sign-in counts', async () => without(lab, idp.provider), 16],
    ['switched off', async () => without({ ...corp, enabled: false }, lab, idp.provider), 0],
    ['one of the other protocol', async () => without({ ...idp.provider, id: 'corp' }, lab), 0],
  ])(
    'a person whose provider is %s is told so, and signs in another way to where they wanted to go',
    async (_name, change, minutes) => {
      const before = await countSignIns(gate, 'stale');
      const started = await start('/deep');
      await change();
      aheadMs = minutes * minuteMs;
      const back = await comeBack(gate, started);
      expect([back.status, await linesOf(back)]).toEqual([
        400,
        expect.arrayContaining(['Sign in', told, 'Lab -> /gate/sign-in?provider=lab&returnTo=%2Fdeep']),
      ]);
      expect(audits(gate, 'sign-in-failed')).toMatchObject([
        { provider: 'corp', reason: 'PROVIDER_REMOVED', client: '127.0.0.1' },
      ]);
      expect((await countSignIns(gate, 'stale')) - before).toBe(1);
    },
  );

  test.each([
    ['gone', async () => without(corp, lab)],
    ['one of the other protocol', async () => without({ ...corp, id: 'uni' }, lab)],
  ])('so is a person whose SAML provider is %s', async (_name, change) => {
    const { authorize, cookie } = await startSignIn(gate, '/gate/sign-in?provider=uni&returnTo=/deep');
    const body = new URLSearchParams({ RelayState: authorize.searchParams.get('RelayState') ?? '', SAMLResponse: 'x' });
    await change();
    const back = await gate.fetch('/gate/uni/acs', { method: 'POST', body, headers: { ...page, cookie } });
    expect([back.status, back.headers.get('location')]).toEqual([303, '/gate/sign-in?returnTo=%2Fdeep&notice=removed']);
    const next = await gate.fetch('/gate/sign-in?returnTo=%2Fdeep&notice=removed', { headers: page });
    expect(await linesOf(next)).toContain(told);
  });

  test('a person who was signing out there is told that they are signed out', async () => {
    const session = await sessionCookie(gate, idp.identity, idp.record);
    const out = await gate.fetch('/gate/sign-out', {
      method: 'POST',
      headers: { ...page, origin: gate.origin, cookie: session },
    });
    const relayState = /name="RelayState" value="([^"]+)"/.exec(await out.text())?.[1] ?? '';
    await without(corp);
    const body = new URLSearchParams({ RelayState: relayState, SAMLResponse: 'x' });
    const headers = { ...page, cookie: cookiesOf(out) };
    const back = await gate.fetch('/gate/uni/slo', { method: 'POST', body, headers });
    expect(back.status).toBe(303);
    const shown = await gate.fetch(back.headers.get('location') ?? '', { headers });
    expect([shown.status, (await linesOf(shown))[0]]).toEqual([200, 'You are signed out']);
  });

  test('to everybody else there is nothing at its addresses', async () => {
    const started = await start('/deep');
    await without(lab);
    const state = started.authorize.searchParams.get('state') ?? '';
    const { cookie } = started;
    const statuses = [
      await comeBack(gate, { ...started, cookie: '' }),
      await gate.fetch(`/gate/other/callback?code=c&state=${state}`, { headers: { ...page, cookie } }),
      await gate.fetch(`/gate/corp/callback?code=c&state=${'s'.repeat(43)}`, { headers: { ...page, cookie } }),
      await gate.fetch('/gate/corp/metadata', { headers: { ...page, cookie } }),
      await gate.fetch(`/gate/corp/backchannel-logout?state=${state}`, { method: 'POST', headers: { ...page, cookie } }),
      await gate.fetch(`/gate/corp/acs?state=${state}`, { headers: { ...page, cookie } }),
    ].map(answer => answer.status);
    expect([statuses, gate.log.filter(line => line.audit === 'sign-in-failed')]).toEqual([Array(6).fill(404), []]);
  });
});
