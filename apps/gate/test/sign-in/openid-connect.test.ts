import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../../tools/chromium.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { clientOf, type OpenIdProvider, providerOf, startOpenIdProvider } from '../support/openid-provider.ts';
import { seenBy, signInAtOpenIdProvider } from '../support/person.ts';
import { freePort } from '../support/servers.ts';
import { type Seen, startUpstream, type Upstream } from '../support/upstream.ts';

let browser: Browser;
let upstream: Upstream;
let provider: OpenIdProvider;
/** Two processes' worth of gates behind one name: the second one shares the store and the addresses of the first. */
let gate: TestGate;
let twin: TestGate;

beforeAll(async () => {
  const [ports] = [[await freePort(), await freePort(), await freePort()]];
  const [gatePort = 0, twinPort = 0, providerPort = 0] = ports;
  const origin = `http://127.0.0.1:${gatePort}`;
  const issuer = `http://127.0.0.1:${providerPort}`;
  [browser, upstream, provider] = await Promise.all([
    launchChromium(),
    startUpstream(),
    startOpenIdProvider([clientOf(origin, 'corp')], {}, providerPort),
  ]);
  provider.people.set('ada', { groups: ['staff'] });
  const settings = {
    upstream: upstream.origin,
    providers: [providerOf(origin, issuer, 'corp', { signOutMethod: 'post' })],
    rules: [
      { paths: ['/free/**'], allow: 'anyone' },
      { paths: ['/staff/**'], allow: { provider: 'corp', groups: ['staff'] } },
      { paths: ['/**'], allow: 'signed-in' },
    ],
  };
  gate = await startGate(settings, { port: gatePort });
  twin = await startGate({ ...settings, publicUrl: origin }, { port: twinPort, store: gate.store });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  for (const one of [twin, gate, provider, upstream]) await one?.[Symbol.asyncDispose]();
});

async function newPage(): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(30_000);
  return page;
}

async function signedIn(name: string, path = '/'): Promise<Page> {
  const page = await newPage();
  await page.goto(`${gate.origin}${path}`);
  await signInAtOpenIdProvider(page, name, gate.origin);
  return page;
}

/** The session cookie of a browser, as a header for another client. */
async function cookieOf(page: Page): Promise<string> {
  const cookies = await page.context().cookies(gate.origin);
  return cookies.map(cookie => `${cookie.name}=${cookie.value}`).join('; ');
}

describe('OpenID Connect, in a real browser', () => {
  test('a page needs a sign-in, which leads back to it with the identity in headers', async () => {
    const page = await signedIn('ada', '/staff/plan?week=7&x=%2F');
    expect(page.url()).toBe(`${gate.origin}/staff/plan?week=7&x=%2F`);
    const { headers } = await seenBy(page);
    expect(headers).toMatchObject({
      'x-auth-subject': 'ada',
      'x-auth-issuer': provider.issuer,
      'x-auth-email': 'ada@example.org',
      'x-auth-name': 'Person ada',
      'x-auth-groups': 'staff',
    });
    expect(headers.cookie ?? '').not.toContain('gate');
    await page.context().close();
  });

  test('a person of the wrong group is told so, and can sign out', async () => {
    const page = await signedIn('bob', '/staff/plan');
    await expect.poll(() => page.textContent('h1')).toBe('Access denied');
    await expect.poll(() => page.textContent('main')).toContain('bob@example.org');
    await expect.poll(() => page.locator('a', { hasText: 'Sign out' }).count()).toBe(1);
    await page.goto(`${gate.origin}/other`);
    await expect.poll(() => page.textContent('h1')).toBe('The application');
    await page.context().close();
  });

  test('both gates take the session, and the back channel ends it on both within a second', async () => {
    const page = await signedIn('ada');
    const cookie = await cookieOf(page);
    const status = async (one: TestGate) => (await one.fetch('/gate/me', { headers: { cookie } })).status;
    await expect.poll(async () => [await status(gate), await status(twin)]).toEqual([200, 200]);
    // Signs out at the provider itself; its server then tells the gate's.
    await page.goto(`${provider.issuer}/session/end`);
    const began = Date.now();
    const told = page.waitForResponse(
      response => response.url().startsWith(`${provider.issuer}/session/end`) && response.request().method() === 'POST',
    );
    await page.click('button[value=yes]');
    await told;
    await expect.poll(() => status(twin), { timeout: 5_000 }).toBe(401);
    await expect.poll(() => status(gate)).toBe(401);
    expect(gate.log.filter(line => line.audit === 'signed-out-by-provider').at(-1)).toMatchObject({
      how: 'back-channel',
      sessions: 1,
    });
    // The gate looks at each request; what counts is that the provider's call is the only wait. Reported, not asserted.
    console.info(`back-channel logout: ${Date.now() - began} ms until both gates refuse`);
    await page.context().close();
  });

  test('a page of the provider that frames the front channel ends it on both gates', async () => {
    const page = await signedIn('ada');
    const cookie = await cookieOf(page);
    const status = async (one: TestGate) => (await one.fetch('/gate/me', { headers: { cookie } })).status;
    expect([await status(gate), await status(twin)]).toEqual([200, 200]);
    const told = new URLSearchParams({ iss: provider.issuer, sid: provider.sids.get('ada') ?? '' });
    // oidc-provider has no front channel any more: its page is written here, at its origin, as the standard says.
    const frame = `<iframe src="${gate.origin}/gate/corp/frontchannel-logout?${told}"></iframe>`;
    provider.pages.set('/signed-out-everywhere', `<!doctype html><title>Signed out</title>${frame}`);
    await page.goto(`${provider.issuer}/signed-out-everywhere`);
    await expect.poll(() => status(twin), { timeout: 5_000 }).toBe(401);
    expect(await status(gate)).toBe(401);
    expect(gate.log.filter(line => line.audit === 'signed-out-by-provider').at(-1)).toMatchObject({
      how: 'front-channel',
      sessions: 1,
    });
    await page.context().close();
  });

  test('signing out here signs out at the provider by POST, and says that it did', async () => {
    const page = await signedIn('ada');
    const addresses: string[] = [];
    page.on('request', request => addresses.push(`${request.method()} ${request.url()}`));
    await page.goto(`${gate.origin}/gate/sign-out`);
    await expect.poll(() => page.textContent('main')).toContain('You are signed in as ada@example.org');
    await page.click('button[type=submit]');
    await page.waitForSelector('button[value=yes]');
    await Promise.all([page.waitForURL(`${gate.origin}/gate/signed-out**`), page.click('button[value=yes]')]);
    await expect.poll(() => page.textContent('.note.good')).toBe('Corp signed you out as well.');
    expect(addresses.some(address => address === `POST ${provider.issuer}/session/end`)).toBe(true);
    expect(addresses.filter(address => address.includes('id_token_hint'))).toEqual([]);
    await page.goto(`${gate.origin}/other`);
    await page.waitForSelector('input[name=login]');
    await page.context().close();
  });

  test('a form that was sent without a session is kept and arrives after the sign-in', async () => {
    const page = await newPage();
    await page.goto(`${gate.origin}/free/start`);
    const text = `a=1&a=two lines\nhere & "quotes" <b>`;
    await page.evaluate(value => {
      const form = document.createElement('form');
      form.method = 'post';
      form.action = '/other/save?x=1';
      for (const [name, text] of [
        ['title', value],
        ['title', '\nsecond'],
        ['submit', 'yes'],
      ] as const) {
        const field = document.createElement('textarea');
        field.name = name;
        field.value = text;
        form.append(field);
      }
      document.body.append(form);
      HTMLFormElement.prototype.submit.call(form);
    }, text);
    await page.waitForURL(`${provider.issuer}/**`);
    await signInAtOpenIdProvider(page, 'ada', gate.origin);
    await page.waitForURL(`${gate.origin}/other/save?x=1`);
    const seen = await seenBy(page);
    expect(seen.method).toBe('POST');
    const fields = [...new URLSearchParams(seen.body)];
    expect(fields).toEqual([
      ['title', text.replaceAll('\n', '\r\n')],
      ['title', '\r\nsecond'],
      ['submit', 'yes'],
    ]);
    await page.context().close();
  });

  test('a form with a file is kept too, octet for octet', async () => {
    const page = await newPage();
    await page.goto(`${gate.origin}/free/start`);
    await page.evaluate(() => {
      const form = document.createElement('form');
      form.method = 'post';
      form.enctype = 'multipart/form-data';
      form.action = '/other/upload';
      const text = document.createElement('input');
      text.name = 'title';
      text.value = 'two words & "quotes"';
      const file = document.createElement('input');
      file.type = 'file';
      file.name = 'picture';
      const empty = document.createElement('input');
      empty.type = 'file';
      empty.name = 'nothing';
      const list = new DataTransfer();
      list.items.add(new File([new Uint8Array([0, 255, 13, 10, 195, 40])], 'odd "name".bin', { type: 'application/x-odd' }));
      file.files = list.files;
      form.append(text, file, empty);
      document.body.append(form);
      HTMLFormElement.prototype.submit.call(form);
    });
    await page.waitForURL(`${provider.issuer}/**`);
    await signInAtOpenIdProvider(page, 'ada', gate.origin);
    await page.waitForURL(`${gate.origin}/other/upload`);
    await expect.poll(() => page.textContent('h1')).toBe('The application');
    const { method, headers, octets } = upstream.seen.at(-1) as Seen;
    expect(method).toBe('POST');
    const form = await new Response(octets as BodyInit, {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData();
    expect(form.get('title')).toBe('two words & "quotes"');
    const picture = form.get('picture') as File;
    expect([picture.type, [...new Uint8Array(await picture.arrayBuffer())]]).toEqual([
      'application/x-odd',
      [0, 255, 13, 10, 195, 40],
    ]);
    expect((form.get('nothing') as File).size).toBe(0);
    await page.context().close();
  });

  test('two tabs that sign in at once both get where they wanted to go', async () => {
    const context = await browser.newContext();
    const [one, two] = [await context.newPage(), await context.newPage()];
    await one.goto(`${gate.origin}/first`);
    await two.goto(`${gate.origin}/second`);
    await signInAtOpenIdProvider(one, 'ada', gate.origin);
    expect(one.url()).toBe(`${gate.origin}/first`);
    await two.reload();
    await signInAtOpenIdProvider(two, 'ada', gate.origin);
    expect(two.url()).toBe(`${gate.origin}/second`);
    await context.close();
  });

  test('a callback that was used, with a valid session, goes on; without one it is a page, not an error', async () => {
    const page = await newPage();
    let callback = '';
    page.on('request', request => {
      if (request.url().includes('/gate/corp/callback')) callback = request.url();
    });
    await page.goto(`${gate.origin}/first`);
    await signInAtOpenIdProvider(page, 'ada', gate.origin);
    await page.goto(callback);
    expect(page.url()).toBe(`${gate.origin}/`);
    await expect.poll(() => page.textContent('h1')).toBe('The application');
    const stranger = await newPage();
    const answer = await stranger.goto(callback);
    expect(answer?.status()).toBe(400);
    await expect.poll(() => stranger.textContent('h1')).toBe('Sign in');
    await expect
      .poll(() => stranger.textContent('.note'))
      .toMatch(/started in another browser, or this browser did not keep its cookie/);
    await page.context().close();
    await stranger.context().close();
  });

  test('a WebSocket or stream that is open ends with the session', async () => {
    const page = await signedIn('ada');
    const cookie = await cookieOf(page);
    const stream = await twin.fetch('/events', { headers: { cookie } });
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('data: one');
    await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie } });
    const ended = async () => {
      for (;;) if ((await reader.read()).done) return;
    };
    await expect(ended()).rejects.toThrow();
    await page.context().close();
  });
});
