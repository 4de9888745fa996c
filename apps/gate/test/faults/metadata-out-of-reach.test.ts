import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { shownOn } from '../support/shown.ts';
import { inEnvelope, type SmallIdp, startSmallIdp } from '../support/small-idp.ts';
import { cookiesOf } from '../support/small-sign-in.ts';

// A gate that started while a SAML provider's metadata was out of reach knows nobody of that name. That is an outage, and no forgery.

const page = { accept: 'text/html' };
const rules = [{ paths: ['/**'], allow: 'signed-in' }];
let idp: SmallIdp;
/** Where the gate under test reads the metadata. */
let source: TestServer;
let isDown = true;
let reads = 0;
let aheadMs = 0;
/** Another process of the same gate, which has the metadata. */
let twin: TestGate;
let gate: TestGate;

beforeAll(async () => {
  idp = await startSmallIdp();
  source = await serve(async (_request, response) => {
    reads += 1;
    if (isDown) return void response.destroy();
    const metadata = await fetch(`${idp.origin}/metadata`);
    response.setHeader('content-type', 'application/samlmetadata+xml').end(await metadata.text());
  });
  twin = await startGate({ providers: [idp.provider], rules }, { env: idp.env });
});

/** A gate that has just started. */
async function startBlind(more: object = {}): Promise<TestGate> {
  [isDown, reads] = [true, 0];
  const uni = { ...idp.provider, metadata: { url: source.origin }, ...more };
  const overrides = { now: () => new Date(Date.now() + aheadMs) };
  gate = await startGate({ publicUrl: twin.origin, providers: [uni], rules }, { env: idp.env, store: twin.store, overrides });
  expect(reads).toBe(1);
  gate.log.length = 0;
  return gate;
}

beforeEach(() => {
  aheadMs = 0;
});

afterAll(async () => {
  for (const one of [twin, source, idp]) await one?.[Symbol.asyncDispose]();
});

const linesOf = async (answer: Response) => shownOn(await answer.text()).slice(1);
const lateEnough = () => {
  aheadMs += 5_000;
};

test('a logout is told as an outage, and counts as soon as the metadata can be read', async () => {
  await using _ = await startBlind();
  const cookie = await sessionCookie(twin, idp.identity, idp.record);
  const status = async () => (await gate.fetch('/gate/me', { headers: { cookie } })).status;
  const { fields, xml } = await idp.logoutRequest(twin.origin);
  const post = () => gate.fetch('/gate/uni/slo', { method: 'POST', headers: page, body: new URLSearchParams(fields) });
  const ask = () => gate.fetch('/gate/uni/slo', { method: 'POST', ...inEnvelope(xml) });
  const down = await post();
  expect([down.status, down.headers.get('retry-after'), await linesOf(down)]).toEqual([
    503,
    '5',
    ['The provider is unavailable', 'Your account is fine. Try again in a moment.', 'SAML_METADATA_FETCH'],
  ]);
  expect(gate.log.at(-1)).toMatchObject({
    message: 'a logout message was refused',
    provider: 'uni',
    code: 'SAML_METADATA_FETCH',
  });
  const fault = await ask();
  expect([fault.status, await fault.text()]).toEqual([
    503,
    expect.stringContaining('<faultcode>soap:Server</faultcode><faultstring>SAML_METADATA_FETCH: '),
  ]);
  expect(await status()).toBe(200);
  // It is read again by who needs it, but not for each of many.
  expect(reads).toBe(2);
  isDown = false;
  lateEnough();
  expect([(await post()).status, await status(), reads]).toEqual([200, 401, 3]);
});

test.each([
  ['of its own', {}],
  ['of a federation', { entityId: 'of the provider' }],
])('a sign-in at a provider with metadata %s is an outage, at its beginning and at its end', async (_name, more) => {
  const entityId = 'entityId' in more ? { entityId: idp.entityId } : {};
  await using _ = await startBlind(entityId);
  const begin = () => gate.fetch('/gate/sign-in?provider=uni&returnTo=/x', { headers: page });
  const down = await begin();
  expect([down.status, (await linesOf(down)).slice(0, 3)]).toEqual([
    503,
    [
      'The provider is unavailable',
      'Your account is fine. Try again in a moment.',
      'Try University again -> /gate/sign-in?provider=uni&returnTo=%2Fx',
    ],
  ]);
  const started = await twin.fetch('/gate/sign-in?provider=uni&returnTo=/x', { headers: page });
  const handle = new URL(started.headers.get('location') ?? '').searchParams.get('RelayState') ?? '';
  const response = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_r" Version="2.0" IssueInstant="${new Date().toISOString()}" Destination="${twin.origin}/gate/uni/acs"><saml:Issuer>${idp.entityId}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status></samlp:Response>`;
  const back = await gate.fetch('/gate/uni/acs', {
    method: 'POST',
    headers: { ...page, cookie: cookiesOf(started) },
    body: new URLSearchParams({ RelayState: handle, SAMLResponse: Buffer.from(response).toString('base64') }),
  });
  expect([back.status, (await linesOf(back)).at(-1)]).toEqual([503, 'SAML_METADATA_FETCH']);
  isDown = false;
  lateEnough();
  expect((await begin()).status).toBe(303);
});
