import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

const page = { accept: 'text/html' };
let provider: SmallProvider;
let gate: TestGate;
let aheadMs = 0;

beforeAll(async () => {
  provider = await startSmallProvider();
  gate = await startGate(
    { providers: [corpProvider(provider)], rules: [{ paths: ['/**'], allow: 'signed-in' }] },
    { overrides: { now: () => new Date(Date.now() + aheadMs) } },
  );
});

afterAll(async () => {
  for (const one of [gate, provider]) await one?.[Symbol.asyncDispose]();
});

/** A browser: of two cookies with one name, the last stays. */
class Browser {
  readonly #cookies = new Map<string, string>();

  take(answer: Response): void {
    for (const cookie of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';', 1)[0]?.split('=') ?? [];
      this.#cookies.set(name, value);
    }
  }

  get headers(): Record<string, string> {
    return { ...page, cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  }
}

/** Comes back from the provider. @returns where the person goes */
async function finish(started: Response, headers: Record<string, string>): Promise<string | null> {
  return (await comeBack(started, headers)).headers.get('location');
}

async function comeBack(started: Response, headers: Record<string, string>): Promise<Response> {
  const at = new URL(started.headers.get('location') ?? '').searchParams;
  const now = Math.floor(Date.now() / 1000);
  const nonce = at.get('nonce') ?? '';
  const token = await provider.sign({ iss: provider.issuer, aud: 'gate', sub: 'ada', iat: now, exp: now + 300, nonce });
  provider.answers.token = async () => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token: token } });
  provider.answers.userInfo = { sub: 'ada' };
  return gate.fetch(`/gate/corp/callback?code=c&state=${at.get('state')}`, { headers });
}

const startAll = (paths: readonly string[]) =>
  Promise.all(paths.map(path => gate.fetch(`/gate/sign-in?returnTo=${path}`, { headers: page })));

test('tabs that start at the same moment in a browser without a cookie, as after a restart, all get where they wanted to go', async () => {
  const paths = ['/one', '/two', '/three', '/four', '/five'];
  const browser = new Browser();
  const started = await startAll(paths);
  for (const answer of started) browser.take(answer);
  const reached = [];
  for (const answer of started) reached.push(await finish(answer, browser.headers));
  expect(reached).toEqual(paths);
});

test('of two tabs that come back before either has its cookie, sign-out ends what the browser has, and disuse the other', async () => {
  const started = (await startAll(['/one', '/two'])) as [Response, Response];
  const browser = new Browser();
  for (const answer of started) browser.take(answer);
  const { headers } = browser;
  const [first, second] = [await comeBack(started[0], headers), await comeBack(started[1], headers)];
  const me = async (cookie: string) => (await gate.fetch('/gate/me', { headers: { cookie } })).status;
  const lost = new Browser();
  lost.take(first);
  browser.take(first);
  browser.take(second);
  expect(browser.headers.cookie).not.toContain(lost.headers.cookie);
  const kept = browser.headers.cookie ?? '';
  aheadMs = 1_800_000;
  expect(await me(kept)).toBe(200);
  // The browser goes on with its own; nothing that it does counts as use of the other.
  aheadMs = 3_601_000;
  expect([await me(kept), await me(lost.headers.cookie ?? '')]).toEqual([200, 401]);
  await gate.fetch('/gate/sign-out', { method: 'POST', headers: { ...page, cookie: kept, origin: gate.origin } });
  expect(await me(kept)).toBe(401);
  aheadMs = 0;
});

test('the cookie of one sign-in does not finish another one', async () => {
  const [mine, theirs] = (await startAll(['/mine', '/theirs'])) as [Response, Response];
  const browser = new Browser();
  browser.take(mine);
  expect(await finish(theirs, browser.headers)).toBeNull();
  expect(await finish(mine, browser.headers)).toBe('/mine');
});

test('a browser that only looks ahead begins no sign-in', async () => {
  const ahead = [{ 'sec-purpose': 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }];
  for (const headers of ahead as Record<string, string>[]) {
    const answer = await gate.fetch('/gate/sign-in?returnTo=/one', { headers: { ...page, ...headers } });
    expect([answer.status, answer.headers.getSetCookie()], JSON.stringify(headers)).toEqual([200, []]);
    expect(await answer.text()).toContain('Corp');
  }
  expect((await gate.fetch('/gate/sign-in?returnTo=/one', { headers: page })).status).toBe(303);
});
