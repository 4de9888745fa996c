import { directoryOf, MemoryReplayStore, type NameId, nameIdFormats, readIdpMetadata, ServiceProvider } from '@octavo/saml-sp';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../../tools/chromium.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { freePort, serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { certificateData, createKeyPair } from '../support/simplesamlphp.ts';

// Single Logout by the bindings that SimpleSAMLphp does not send: a form in the browser, and SOAP from server to server. The other side is
// our own package in the provider's place: its LogoutRequest is the same message.

const bindings = 'urn:oasis:names:tc:SAML:2.0:bindings';
const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol';
const [idpKey, gateKey, strangerKey] = [createKeyPair(), createKeyPair(), createKeyPair()];
let browser: Browser;
let idp: TestServer;
let gate: TestGate;
let asProvider: ServiceProvider;
/** Forms that came back to the provider. */
const received: URLSearchParams[] = [];

const endpoint = (name: string, binding: string, location: string) =>
  `<${name} Binding="${bindings}:${binding}" Location="${location}"/>`;
const keyOf = (pair: { certificate: string }) =>
  `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificateData(pair.certificate)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`;
const metadataOf = (entityId: string, pair: { certificate: string }, endpoints: string) =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><IDPSSODescriptor protocolSupportEnumeration="${protocol}">${keyOf(pair)}${endpoints}</IDPSSODescriptor></EntityDescriptor>`;

function serviceProviderAs(pair: { privateKey: string; certificate: string }): ServiceProvider {
  const slo = `${gate.origin}/gate/uni/slo`;
  const gateMetadata = metadataOf(
    `${gate.origin}/gate/uni/metadata`,
    gateKey,
    endpoint('SingleLogoutService', 'HTTP-POST', slo) + endpoint('SingleSignOnService', 'HTTP-POST', slo),
  );
  return new ServiceProvider({
    entityId: `${idp.origin}/idp`,
    assertionConsumerServiceUrl: `${idp.origin}/acs`,
    singleLogoutServiceUrl: `${idp.origin}/slo`,
    signingKeys: [pair],
    identityProviders: directoryOf(readIdpMetadata(gateMetadata)),
    replayStore: new MemoryReplayStore(),
  });
}

beforeAll(async () => {
  const port = await freePort();
  idp = await serve(async (request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.url === '/metadata') {
      const endpoints =
        endpoint('SingleLogoutService', 'HTTP-POST', `${origin}/slo`) +
        endpoint('SingleSignOnService', 'HTTP-Redirect', `${origin}/sso`);
      response.setHeader('content-type', 'application/samlmetadata+xml').end(metadataOf(`${origin}/idp`, idpKey, endpoints));
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method === 'POST') received.push(new URLSearchParams(body));
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>IdP</title><h1>The identity provider</h1>');
  });
  browser = await launchChromium();
  gate = await startGate(
    {
      providers: [
        {
          id: 'uni',
          protocol: 'saml',
          name: 'University',
          metadata: { url: `${idp.origin}/metadata` },
          keys: [{ privateKey: { env: 'SP_KEY' }, certificate: { env: 'SP_CRT' } }],
        },
      ],
      rules: [{ paths: ['/**'], allow: 'signed-in' }],
    },
    { port, env: { SP_KEY: gateKey.privateKey, SP_CRT: gateKey.certificate } },
  );
  asProvider = serviceProviderAs(idpKey);
}, 60_000);

beforeEach(() => {
  received.length = 0;
});

afterAll(async () => {
  await browser?.close();
  for (const one of [gate, idp]) await one?.[Symbol.asyncDispose]();
});

const nameId: NameId = {
  value: 'alice@example.com',
  format: nameIdFormats.emailAddress,
  nameQualifier: undefined,
  spNameQualifier: undefined,
  spProvidedId: undefined,
};

/** Somebody who signed in at this provider. @returns their cookie and whether it is still good */
async function signedIn() {
  const cookie = await sessionCookie(
    gate,
    { provider: 'uni', issuer: `${idp.origin}/idp`, subject: JSON.stringify([nameId.value, nameId.format, null, null]) },
    { nameId, sessionIndex: 'one' },
  );
  return { cookie, status: async () => (await gate.fetch('/gate/me', { headers: { cookie } })).status };
}

async function logoutRequest(from = asProvider): Promise<{ xml: string; fields: Record<string, string> }> {
  const { send } = await from.startSignOut(`${gate.origin}/gate/uni/metadata`, { nameId, sessionIndexes: [] });
  if (send.kind !== 'post') throw new Error('not by POST');
  return { xml: Buffer.from(send.fields.SAMLRequest ?? '', 'base64').toString(), fields: { ...send.fields } };
}

describe('Single Logout by POST, in a real browser', () => {
  test('a form from the provider ends the session and carries a signed answer back', async () => {
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
    const answer = Buffer.from(received.at(-1)?.get('SAMLResponse') ?? '', 'base64').toString();
    expect(answer).toContain('status:Success');
    expect(answer).toContain('<ds:SignatureValue>');
    expect(received.at(-1)?.get('RelayState')).toBe(fields.RelayState);
    await page.context().close();
  }, 60_000);

  test('signing out here posts to the provider; one that never answers is named when the person comes back', async () => {
    const alice = await signedIn();
    const page = await (await browser.newContext()).newPage();
    const [name = '', value = ''] = alice.cookie.split('=');
    await page.context().addCookies([{ name, value, url: gate.origin }]);
    await page.goto(`${gate.origin}/gate/sign-out`);
    await Promise.all([page.waitForURL(`${idp.origin}/slo`), page.click('button[type=submit]')]);
    await expect.poll(() => page.textContent('h1')).toBe('The identity provider');
    expect(Buffer.from(received.at(-1)?.get('SAMLRequest') ?? '', 'base64').toString()).toContain('alice@example.com');
    expect(await alice.status()).toBe(401);
    await page.goto(`${gate.origin}/x`);
    await expect.poll(() => page.textContent('.note')).toContain('University never confirmed that it signed you out everywhere.');
    // Said once; then the page does its work again.
    await page.goto(`${gate.origin}/x`);
    await page.waitForURL(`${idp.origin}/sso**`);
    await page.context().close();
  }, 60_000);
});

describe('Single Logout by SOAP', () => {
  const envelope = (xml: string) =>
    `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>${xml.replace(/^<\?xml[^>]*\?>/, '')}</soap:Body></soap:Envelope>`;
  const post = (body: string) =>
    gate.fetch('/gate/uni/slo', {
      method: 'POST',
      headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: '""' },
      body,
    });

  test('ends the session and answers in an envelope; the same request is good once', async () => {
    const alice = await signedIn();
    const { xml } = await logoutRequest();
    const answer = await post(envelope(xml));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/xml; charset=utf-8']);
    const text = await answer.text();
    expect(text).toContain('status:Success');
    expect(text).toMatch(/Envelope[\s\S]*LogoutResponse/);
    expect(await alice.status()).toBe(401);
    expect(gate.log.filter(line => line.audit === 'signed-out-by-provider').at(-1)).toMatchObject({
      how: 'slo-soap',
      sessions: 1,
    });
    expect((await post(envelope(xml))).status).toBe(400);
  });

  test.each([
    ['signed by somebody else', async () => (await logoutRequest(serviceProviderAs(strangerKey))).xml],
    ['not signed', async () => (await logoutRequest()).xml.replace(/<ds:Signature[\s\S]*<\/ds:Signature>/, '')],
    ['about somebody else than was signed', async () => (await logoutRequest()).xml.replaceAll('alice@', 'bob@')],
  ])('a request that is %s ends nothing', async (_name, make) => {
    const alice = await signedIn();
    expect((await post(envelope(await make()))).status).toBe(400);
    expect(await alice.status()).toBe(200);
  });
});
