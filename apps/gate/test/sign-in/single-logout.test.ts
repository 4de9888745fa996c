import { openStore, StoreError } from '@octavo/sign-in-store';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../../tools/chromium.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { inEnvelope, type SmallIdp, startSmallIdp } from '../support/small-idp.ts';

// Single Logout by the bindings that SimpleSAMLphp does not send: a form in the browser, and SOAP from server to server.

let browser: Browser;
let idp: SmallIdp;
let gate: TestGate;

beforeAll(async () => {
  [browser, idp] = await Promise.all([launchChromium(), startSmallIdp()]);
  gate = await startGate({ providers: [idp.provider], rules: [{ paths: ['/**'], allow: 'signed-in' }] }, { env: idp.env });
}, 120_000);

beforeEach(() => {
  idp.received.length = 0;
});

afterAll(async () => {
  await browser?.close();
  for (const one of [gate, idp]) await one?.[Symbol.asyncDispose]();
});

/** A person who signed in at this provider. @returns their cookie and whether it is still good */
async function signedIn() {
  const cookie = await sessionCookie(gate, idp.identity, idp.record);
  return { cookie, status: async () => (await gate.fetch('/gate/me', { headers: { cookie } })).status };
}

const logoutRequest = (isStranger = false) => idp.logoutRequest(gate.origin, { isStranger });

describe('Single Logout by POST, in a real browser', () => {
  test('ends the session for a form from the provider and sends a signed answer back', async () => {
    const alice = await signedIn();
    expect(await alice.status()).toBe(200);
    const { fields } = await logoutRequest();
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${idp.origin}/`);
    await page.evaluate(
      ({ action, fields }) => {
        const form = document.createElement('form');
        form.method = 'post';
        form.action = action;
        for (const [name, value] of Object.entries(fields)) {
          const input = document.createElement('input');
          input.name = name;
          input.value = value;
          form.append(input);
        }
        document.body.append(form);
        form.submit();
      },
      { action: `${gate.origin}/gate/uni/slo`, fields },
    );
    await page.waitForURL(`${idp.origin}/slo`);
    expect(await alice.status()).toBe(401);
    const answer = Buffer.from(idp.received.at(-1)?.get('SAMLResponse') ?? '', 'base64').toString();
    expect(answer).toContain('status:Success');
    expect(answer).toContain('<ds:SignatureValue>');
    expect(idp.received.at(-1)?.get('RelayState')).toBe(fields.RelayState);
    await page.context().close();
  }, 60_000);

  test('posts a sign-out to the provider, and names one that never answers', async () => {
    const alice = await signedIn();
    const page = await (await browser.newContext()).newPage();
    const [name = '', value = ''] = alice.cookie.split('=');
    await page.context().addCookies([{ name, value, url: gate.origin }]);
    await page.goto(`${gate.origin}/gate/sign-out`);
    await Promise.all([page.waitForURL(`${idp.origin}/slo`), page.click('button[type=submit]')]);
    await expect.poll(() => page.textContent('h1')).toBe('The identity provider');
    expect(Buffer.from(idp.received.at(-1)?.get('SAMLRequest') ?? '', 'base64').toString()).toContain('alice@example.com');
    expect(await alice.status()).toBe(401);
    await page.goto(`${gate.origin}/x`);
    await expect.poll(() => page.textContent('.note')).toContain('University never confirmed that it signed you out everywhere.');
    // Said once; then the page does its work again.
    await page.goto(`${gate.origin}/x`);
    await page.waitForURL(`${idp.origin}/sso**`);
    await page.context().close();
  }, 60_000);
});

test.each(['HTTP-POST', 'HTTP-Redirect'] as const)(
  'keeps the cookie of a browser that carries the logout of another person by %s',
  async binding => {
    const sent = async (cookie: string) => {
      const { fields, url } = await idp.logoutRequest(gate.origin, { binding });
      const answer =
        binding === 'HTTP-POST'
          ? await gate.fetch('/gate/uni/slo', { method: 'POST', headers: { cookie }, body: new URLSearchParams(fields) })
          : await fetch(url, { redirect: 'manual', headers: { cookie } });
      expect(answer.status).toBeLessThan(400);
      const forgotten = answer.headers.get('clear-site-data') ?? [];
      return [...answer.headers.getSetCookie().filter(one => one.startsWith('gate=')), forgotten].flat();
    };
    const bob = await sessionCookie(gate, { ...idp.identity, subject: 'bob' }, idp.record);
    const alice = await signedIn();
    expect(await sent(bob)).toEqual([]);
    expect(await alice.status()).toBe(401);
    expect((await gate.fetch('/gate/me', { headers: { cookie: bob } })).status).toBe(200);
    // The person who is meant loses it with the session.
    expect(await sent((await signedIn()).cookie)).toEqual([expect.stringContaining('Max-Age=0'), '"cache"']);
  },
);

test.each(['SOAP', 'HTTP-POST'])('accepts a logout by %s again after the store failed', async how => {
  const real = await openStore(gate.store);
  let isDown = false;
  const store = new Proxy(real, {
    get: (target, name) =>
      name === 'endSessions' && isDown ? () => Promise.reject(new StoreError('STORE_UNAVAILABLE')) : Reflect.get(target, name),
  });
  await using other = await startGate(
    { providers: [idp.provider], rules: [{ paths: ['/**'], allow: 'signed-in' }] },
    { env: idp.env, overrides: { store }, store: gate.store },
  );
  const alice = await signedIn();
  const { xml, fields } = await idp.logoutRequest(other.origin, {});
  const send = async () => {
    const message = how === 'SOAP' ? inEnvelope(xml) : { body: new URLSearchParams(fields) };
    return (await other.fetch('/gate/uni/slo', { method: 'POST', ...message })).status;
  };
  isDown = true;
  expect(await send()).toBe(503);
  isDown = false;
  expect([await send(), await alice.status()]).toEqual([200, 401]);
  expect(await send()).toBe(400);
  await real.close();
});

test.each([
  ['SOAP', -50],
  ['SOAP', 50],
  ['HTTP-POST', -50],
  ['HTTP-POST', 50],
] as const)('ends what began before a logout by %s, and nothing later, with a clock %i s ahead', async (how, aheadSeconds) => {
  // A gate of its own: what is remembered of a logout would cover the sign-ins of other tests.
  await using other = await startGate({ providers: [idp.provider] }, { env: idp.env });
  const { xml, fields } = await idp.logoutRequest(other.origin, { aheadSeconds });
  const message = how === 'SOAP' ? inEnvelope(xml) : { body: new URLSearchParams(fields) };
  expect((await other.fetch('/gate/uni/slo', { method: 'POST', ...message })).status).toBe(200);
  const at = Date.parse(
    /IssueInstant="([^"]+)"/.exec(xml || Buffer.from(fields.SAMLRequest ?? '', 'base64').toString())?.[1] ?? '',
  );
  const store = await openStore(other.store);
  const isStored = (afterSeconds: number) =>
    store.createSession({
      id: crypto.randomUUID(),
      issuer: idp.entityId,
      subject: String(idp.identity.subject),
      signedInAt: new Date(at + afterSeconds * 1000),
      idleSeconds: 60,
      expiresAt: new Date(Date.now() + 60_000),
      value: 'x',
    });
  expect([await isStored(-5), await isStored(5)]).toEqual([false, true]);
  await store.close();
});

describe('Single Logout by SOAP', () => {
  const post = (xml: string) => gate.fetch('/gate/uni/slo', { method: 'POST', ...inEnvelope(xml) });

  test('ends the session, answers in an envelope, and accepts the request once', async () => {
    const alice = await signedIn();
    const { xml } = await logoutRequest();
    const answer = await post(xml);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/xml; charset=utf-8']);
    const text = await answer.text();
    expect(text).toContain('status:Success');
    expect(text).toMatch(/Envelope[\s\S]*LogoutResponse/);
    expect(await alice.status()).toBe(401);
    expect(gate.log.filter(line => line.audit === 'signed-out-by-provider').at(-1)).toMatchObject({
      how: 'slo-soap',
      sessions: 1,
    });
    expect((await post(xml)).status).toBe(400);
  });

  test.each([
    ['signed by another key', async () => (await logoutRequest(true)).xml],
    ['not signed', async () => (await logoutRequest()).xml.replace(/<ds:Signature[\s\S]*<\/ds:Signature>/, '')],
    ['about another person than the signed one', async () => (await logoutRequest()).xml.replaceAll('alice@', 'bob@')],
  ])('refuses a request that is %s', async (_name, make) => {
    const alice = await signedIn();
    const refused = await post(await make());
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'text/xml; charset=utf-8']);
    const fault = /<soap:Body><soap:Fault><faultcode>soap:Client<\/faultcode><faultstring>SAML_[A-Z_]+: [^<]+<\/faultstring>/;
    expect(await refused.text()).toMatch(fault);
    expect(await alice.status()).toBe(200);
  });
});
