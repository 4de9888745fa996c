import { SamlError, type SamlIdentity, ServiceProvider } from '@octavo/saml-sp';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { shownOn } from '../support/shown.ts';
import { enhancedClient } from '../support/simplesamlphp.ts';
import { alice, type SmallIdp, startSmallIdp } from '../support/small-idp.ts';
import { cookiesOf } from '../support/small-sign-in.ts';

// Whole pages and answers of a sign-in by SAML. What the package verifies is mocked here.

const page = { accept: 'text/html' };
let [uni, lab]: SmallIdp[] = [];
let gate: TestGate;

beforeAll(async () => {
  [uni, lab] = await Promise.all([startSmallIdp(), startSmallIdp('HTTP-POST')]);
  gate = await startGate(
    {
      providers: [uni?.provider, { ...lab?.provider, id: 'lab', name: 'Laboratory' }],
      rules: [
        { paths: ['/lab'], allow: { provider: 'lab' } },
        { paths: ['/**'], allow: 'signed-in' },
      ],
    },
    { env: uni?.env ?? {} },
  );
});

beforeEach(() => {
  vi.restoreAllMocks();
  gate.log.length = 0;
});

afterAll(async () => {
  vi.restoreAllMocks();
  for (const one of [gate, lab, uni]) await one?.[Symbol.asyncDispose]();
});

const open = (path: string, headers: Record<string, string> = page) => gate.fetch(path, { headers });
const linesOf = async (answer: Response) => shownOn(await answer.text()).slice(1);
const post = (id: string, fields: Record<string, string>, cookie = '') =>
  gate.fetch(`/gate/${id}/acs`, { method: 'POST', headers: { ...page, cookie }, body: new URLSearchParams(fields) });

/** The answer to a sign-in whose assertion the package refuses, or takes for Alice. */
async function comeBack(refusal: Error | undefined): Promise<Response> {
  const started = await open('/gate/sign-in?provider=uni&returnTo=/x');
  const now = new Date();
  const identity = { issuer: uni?.entityId, nameId: alice, attributes: [], issuedAt: now, authentication: { instant: now } };
  const finish = vi.spyOn(ServiceProvider.prototype, 'finishSignIn');
  if (refusal === undefined) finish.mockResolvedValueOnce(identity as unknown as SamlIdentity);
  // The door may read the metadata anew and try again.
  else finish.mockRejectedValue(refusal);
  const handle = new URL(started.headers.get('location') ?? '').searchParams.get('RelayState') ?? '';
  return post('uni', { RelayState: handle, SAMLResponse: 'x' }, cookiesOf(started));
}

describe('on the way to the provider', () => {
  test('a form goes by itself, or by its button', async () => {
    const answer = await open('/gate/sign-in?provider=lab');
    const html = await answer.text();
    expect([answer.status, shownOn(html).slice(1)]).toEqual([
      200,
      ['Continue to your provider', 'Taking you to Laboratory.', 'Continue'],
    ]);
    expect(html).toContain(`<form method="post" action="${lab?.origin}/sso"`);
    expect(html).toContain('name="SAMLRequest"');
    expect(answer.headers.get('content-security-policy')).toContain(`form-action 'self' https: ${lab?.origin};`);
  });

  test('an enhanced client gets the request for the provider that it asks for, or that the rule asks for', async () => {
    const destination = async (path: string, headers = enhancedClient) => {
      const answer = await open(path, headers);
      expect([answer.status, answer.headers.get('content-type'), answer.headers.getSetCookie()]).toEqual([
        200,
        'application/vnd.paos+xml',
        [],
      ]);
      return /<samlp:AuthnRequest[^>]*>.*?<\/samlp:AuthnRequest>/s.exec(await answer.text())?.[0] ?? '';
    };
    const requests = [
      await destination('/x'),
      await destination('/lab'),
      await destination('/gate/sign-in?provider=lab'),
      await destination('/gate/sign-in'),
    ];
    for (const request of requests) expect(request).toContain('<samlp:AuthnRequest');
    const idOf = async (path: string) => {
      const text = await (await open(path, enhancedClient)).text();
      return /AssertionConsumerServiceURL="([^"]*)"/.exec(text)?.[1];
    };
    expect([await idOf('/x'), await idOf('/lab'), await idOf('/gate/sign-in?provider=lab'), await idOf('/gate/sign-in')]).toEqual(
      ['uni', 'lab', 'lab', 'uni'].map(id => `${gate.origin}/gate/${id}/acs`),
    );
    // Only by GET and HEAD, and with both headers.
    expect((await gate.fetch('/x', { method: 'PUT', headers: enhancedClient })).status).toBe(401);
    expect((await open('/x', { accept: enhancedClient.accept })).status).toBe(303);
    expect((await open('/gate/sign-in?provider=nobody', enhancedClient)).headers.get('content-type')).toMatch(/^text\/html/);
  });

  test('an enhanced client that is signed in goes where it wanted, at the provider that it was sent to', async () => {
    const envelopeOf = async () => {
      const text = await (await open('/x?a=1', enhancedClient)).text();
      const relayState = /<ecp:RelayState[^>]*>[^<]*<\/ecp:RelayState>/.exec(text)?.[0] ?? '';
      const status = '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>';
      const response = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_r" Version="2.0" IssueInstant="${new Date().toISOString()}">${status}</samlp:Response>`;
      return `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Header>${relayState}</soap:Header><soap:Body>${response}</soap:Body></soap:Envelope>`;
    };
    const send = (id: string, body: string) =>
      gate.fetch(`/gate/${id}/acs`, { method: 'POST', headers: { 'content-type': 'application/vnd.paos+xml' }, body });
    const now = new Date();
    const identity = { issuer: uni?.entityId, nameId: alice, attributes: [], issuedAt: now, authentication: { instant: now } };
    const finish = vi.spyOn(ServiceProvider.prototype, 'finishEcp').mockResolvedValue(identity as unknown as SamlIdentity);
    const elsewhere = await send('lab', await envelopeOf());
    expect([elsewhere.status, await elsewhere.text()]).toEqual([400, expect.stringContaining('<faultstring>SIGN_IN_EXPIRED: ')]);
    expect((await send('uni', (await envelopeOf()).replace(/<ecp:RelayState.*<\/ecp:RelayState>/, ''))).status).toBe(400);
    expect(finish).not.toHaveBeenCalled();
    const body = await envelopeOf();
    const answer = await send('uni', body);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/x?a=1']);
    expect(gate.log.filter(line => line.audit === 'signed-in')).toMatchObject([{ provider: 'uni', how: 'ecp' }]);
    expect((await send('uni', body)).status).toBe(400);
  });

  test('where a server in front asks, the envelope comes from the sign-in page', async () => {
    const ask = (uri: string, method: string) =>
      open('/gate/forward', { ...enhancedClient, 'x-forwarded-uri': uri, 'x-forwarded-method': method });
    const answer = await ask('/lab?a=1', 'GET');
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `${gate.origin}/gate/sign-in?provider=lab&returnTo=%2Flab%3Fa%3D1`,
    ]);
    expect((await ask('/x', 'HEAD')).headers.get('location')).toBe(`${gate.origin}/gate/sign-in?provider=uni&returnTo=%2Fx`);
    expect((await ask('/x', 'PUT')).status).toBe(401);
  });
});

describe('back from the provider', () => {
  test('a person is signed in', async () => {
    const answer = await comeBack(undefined);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/x']);
    expect(gate.log.filter(line => line.audit === 'signed-in')).toEqual([
      {
        time: expect.any(String),
        level: 'info',
        audit: 'signed-in',
        provider: 'uni',
        issuer: uni?.entityId,
        subject: alice.value,
        client: '127.0.0.1',
      },
    ]);
  });

  const again = 'Try University again -> /gate/sign-in?provider=uni&returnTo=%2Fx';
  const another = 'Sign in another way -> /gate/sign-in?returnTo=%2Fx';
  const help = (code: string) =>
    expect.stringMatching(new RegExp(`^Get help from University -> http.*/idp/help\\?code=${code}&rp=http`));

  test.each([
    [
      'SAML_STATUS',
      403,
      [
        again,
        'Sign in with another account -> /gate/sign-in?another=1&provider=uni&returnTo=%2Fx',
        another,
        help('AUTHENTICATION_FAILURE'),
      ],
    ],
    ['SAML_SUBJECT', 403, [again, another, help('IDENTIFICATION_FAILURE')]],
    ['SAML_AUDIENCE', 403, [again, another, help('OTHER_ERROR')]],
    ['SAML_REPLAYED', 400, [again, another]],
    ['SAML_METADATA_FETCH', 503, [again, another]],
  ] as const)('%s is told with its ways on', async (code, status, links) => {
    const answer = await comeBack(new SamlError(code, 'for the test'));
    const lines = await linesOf(answer);
    expect([answer.status, lines.filter(line => line.includes(' -> ')), lines.at(-1)]).toEqual([status, links, code]);
    expect(gate.log.filter(line => line.audit === 'sign-in-failed')).toMatchObject([
      { provider: 'uni', reason: code, client: '127.0.0.1', error: expect.stringContaining('for the test') },
    ]);
  });

  test.each([
    ['SAML_ISSUE_INSTANT', 'The clocks of the provider and this site are too far apart. Contact the site’s administrator.'],
    ['SAML_NOT_YET_VALID', 'The clocks of the provider and this site are too far apart. Contact the site’s administrator.'],
    ['SAML_EXPIRED', 'The clocks of the provider and this site are too far apart. Contact the site’s administrator.'],
    [
      'SAML_SIGNATURE_INVALID',
      'The provider signed with a key that this site does not know. Its certificate may have changed. Contact the site’s administrator.',
    ],
  ] as const)('%s says what to report', async (code, text) => {
    expect(await linesOf(await comeBack(new SamlError(code, 'for the test')))).toContain(text);
  });

  test('an error that nobody foresaw is ours, and nothing of it is shown', async () => {
    const answer = await comeBack(new Error('not mocked'));
    const html = await answer.text();
    expect([answer.status, shownOn(html).at(-1)]).toEqual([500, 'INTERNAL']);
    expect(html).not.toContain('not mocked');
    expect(gate.log.filter(line => line.audit === 'sign-in-failed')).toMatchObject([{ reason: 'INTERNAL', error: 'not mocked' }]);
  });

  test.each([
    [undefined, 'begun'],
    ['https://gate.example/start', 'begun'],
    ['s'.repeat(31), 'begun'],
    ['s'.repeat(33), 'begun'],
    ['s'.repeat(32), 'cookies'],
  ])('an answer for %j belongs to no sign-in, because of %s', async (relayState, notice) => {
    const answer = await post('uni', { SAMLResponse: 'x', ...(relayState === undefined ? {} : { RelayState: relayState }) });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/gate/sign-in?notice=${notice}`]);
  });
});

test('what a provider needs to know of us is there for it', async () => {
  const answer = await open('/gate/uni/metadata');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/samlmetadata+xml']);
  expect(await answer.text()).toContain(`entityID="${gate.origin}/gate/uni/metadata"`);
});
