import { describe, expect, test } from 'vitest';
import { quote, SamlError } from '../../src/errors.ts';
import { renderAssertionGrant, tokenErrorOf } from '../../src/tokens/token-exchange.ts';
import { renewToken, requestToken } from '../../src/tokens/token-request.ts';
import { refusalIn } from '../support/refusal.ts';
import { buildAssertion } from '../support/response.ts';
import { createServiceProvider, sp } from '../support/world.ts';

// What is sent to a token endpoint and what may come back, at each limit.

const tokenEndpoint = 'https://as.example.org/token';
const good = { access_token: 'x', token_type: 'Bearer' };

/** Asks an endpoint that answers this, and notes what it was sent. */
async function asked(answer: string | object, options: object = {}, status = 200) {
  const seen: { url: string; headers: Record<string, string>; body: string }[] = [];
  const fetch = async (url: string, sent: RequestInit) => {
    seen.push({ url, headers: sent.headers as Record<string, string>, body: String(sent.body) });
    return new Response(typeof answer === 'string' ? answer : JSON.stringify(answer), { status });
  };
  const token = await requestToken({ tokenEndpoint, assertionXml: '<a/>', fetch: fetch as never, ...options });
  return { token, sent: seen[0] };
}

describe('a token request', () => {
  test('is a form for JSON, with scope and client only where they were given', async () => {
    const { sent } = await asked(good);
    expect(sent?.headers).toEqual({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' });
    expect(sent?.body).toBe(renderAssertionGrant('<a/>'));
    expect([...new URLSearchParams(sent?.body).keys()]).toEqual(['grant_type', 'assertion']);
    const more = await asked(good, { scope: 's', clientId: 'c' });
    expect(more.sent?.body.endsWith('&scope=s&client_id=c')).toBe(true);
    const basic = await asked(good, { clientSecret: 'p' });
    expect(basic.sent?.headers.authorization).toBe(`Basic ${Buffer.from(':p').toString('base64')}`);
  });

  test('a renewal says no more than it was told', async () => {
    let body = '';
    const fetch = async (_: string, sent: RequestInit) => {
      body = String(sent.body);
      return Response.json(good);
    };
    await renewToken({ tokenEndpoint, refreshToken: 'r', fetch: fetch as never });
    expect(body).toBe('grant_type=refresh_token&refresh_token=r');
    await renewToken({ tokenEndpoint, refreshToken: 'r', scope: 's', clientId: 'c', fetch: fetch as never });
    expect(body).toBe('grant_type=refresh_token&refresh_token=r&scope=s&client_id=c');
  });

  test.each([
    ['300', 300],
    [0, 0],
    [-1, undefined],
    ['soon', undefined],
    [undefined, undefined],
    [null, undefined],
    ['', undefined],
    [[], undefined],
    [true, undefined],
  ])('expires_in %j: %j', async (expires_in, seconds) => {
    expect((await asked({ ...good, expires_in })).token.expiresIn).toBe(seconds);
  });

  test('what is no text or empty is not there', async () => {
    const { token } = await asked({ ...good, scope: '', refresh_token: 5 });
    expect(token).toEqual({
      accessToken: 'x',
      tokenType: 'Bearer',
      expiresIn: undefined,
      scope: undefined,
      refreshToken: undefined,
    });
    for (const wrong of [
      { ...good, access_token: '' },
      { ...good, access_token: 1 },
      { ...good, token_type: '' },
    ])
      await expect(asked(wrong)).rejects.toThrow(refusalIn('SAML_TOKEN_REQUEST', /did not return a valid response/));
  });

  test.each(['null', '5', '"text"', '[]', '', '{'])('refuses %s', async answer => {
    for (const status of [200, 400])
      await expect(asked(answer, {}, status)).rejects.toThrow(refusalIn('SAML_TOKEN_REQUEST', /did not return a valid response/));
  });

  test('64 KiB and not one byte more; a fault of the network is the cause', async () => {
    const padded = (size: number) => {
      const text = JSON.stringify({ ...good, pad: '' });
      return text.replace('"pad":""', `"pad":"${'p'.repeat(size - text.length)}"`);
    };
    expect((await asked(padded(65_536))).token.accessToken).toBe('x');
    await expect(asked(padded(65_537))).rejects.toThrow(refusalIn('SAML_TOKEN_REQUEST', /more than 65536 bytes/));
    const cause = new TypeError('network');
    await expect(asked(good, { fetch: () => Promise.reject(cause) })).rejects.toMatchObject({
      code: 'SAML_TOKEN_REQUEST',
      cause,
    });
  });

  test.each([
    ['invalid_grant', 'invalid_grant'],
    ['x'.repeat(60), 'x'.repeat(60)],
    ['x'.repeat(61), 'status 400'],
    ['a"b', 'status 400'],
    ['"a', 'status 400'],
    ['', 'status 400'],
    [5, 'status 400'],
    [undefined, 'status 400'],
  ])('a refusal %j is told as %j', async (error, told) => {
    await expect(asked({ error }, {}, 400)).rejects.toMatchObject({ message: `the token endpoint refused: ${told}` });
  });
});

describe('an assertion that is exchanged', () => {
  const endpoint = { url: tokenEndpoint };
  const assertion = (id: string, change: (xml: string) => string = xml => xml) =>
    buildAssertion({
      assertion: xml =>
        change(
          xml
            .replace('"_assertion1"', `"${id}"`)
            .replaceAll(`"${sp.acs}"`, `"${tokenEndpoint}"`)
            .replace(`>${sp.entityId}<`, `>${tokenEndpoint}<`)
            .replace(/ InResponseTo="[^"]*"/g, ''),
        ),
    });
  const exchange = (body: string, provider = createServiceProvider()) => provider.verifyAssertionGrant(endpoint, body);

  test('another one may follow, the same one not', async () => {
    const provider = createServiceProvider();
    expect(await exchange(renderAssertionGrant(assertion('_a')), provider)).toMatchObject({
      assertionId: '_a',
      scope: undefined,
    });
    expect(await exchange(renderAssertionGrant(assertion('_b'), { scope: 's' }), provider)).toMatchObject({
      assertionId: '_b',
      scope: 's',
    });
    await expect(exchange(renderAssertionGrant(assertion('_b')), provider)).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  });

  test('holds no other one', async () => {
    const inner =
      '<saml:Advice><saml:Assertion ID="_i" Version="2.0" IssueInstant="2026-11-20T12:00:00Z"><saml:Issuer>x</saml:Issuer></saml:Assertion></saml:Advice>';
    const hidden = assertion('_a', xml => xml.replace('</saml:Conditions>', `</saml:Conditions>${inner}`));
    await expect(exchange(renderAssertionGrant(hidden))).rejects.toMatchObject({ code: 'SAML_STRUCTURE' });
  });

  test('is base64url, padded or not, and not too large', async () => {
    const body = (text: string) =>
      `grant_type=${encodeURIComponent('urn:ietf:params:oauth:grant-type:saml2-bearer')}&assertion=${encodeURIComponent(text)}`;
    const text = Buffer.from(assertion('_a')).toString('base64url');
    const padded = text.padEnd(Math.ceil(text.length / 4) * 4, '=');
    expect(await exchange(body(padded))).toMatchObject({ assertionId: '_a' });
    for (const wrong of [`=${text}`, `${text.slice(0, 8)}==${text.slice(8)}`, `${text}!`])
      await expect(exchange(body(wrong))).rejects.toThrow(refusalIn('SAML_ENCODING', /not base64url/));
    await expect(exchange(body('A'.repeat(367_004)))).rejects.toMatchObject({ code: 'SAML_MESSAGE_TOO_LARGE' });
    await expect(exchange('grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Asaml2-bearer')).rejects.toMatchObject({
      code: 'SAML_PARAMETER',
      message: 'the parameter assertion is missing',
    });
    const name = 'n'.repeat(41);
    await expect(exchange(`${name}=1&${name}=2`)).rejects.toMatchObject({
      message: `duplicate parameter "${'n'.repeat(40)}"`,
    });
  });

  test('is refused in the words of OAuth; an outage and a fault of ours are thrown on', () => {
    const of = (code: 'SAML_GRANT' | 'SAML_PARAMETER' | 'SAML_AUDIENCE', use: 'grant' | 'client') =>
      tokenErrorOf(new SamlError(code, 'x'), use).error;
    expect([
      of('SAML_GRANT', 'grant'),
      of('SAML_GRANT', 'client'),
      of('SAML_PARAMETER', 'grant'),
      of('SAML_PARAMETER', 'client'),
    ]).toEqual(['unsupported_grant_type', 'invalid_client', 'invalid_request', 'invalid_request']);
    expect([of('SAML_AUDIENCE', 'grant'), of('SAML_AUDIENCE', 'client')]).toEqual(['invalid_grant', 'invalid_client']);
    for (const thrown of [new SamlError('SAML_STORE_UNAVAILABLE', 'down'), new TypeError('x')])
      expect(() => tokenErrorOf(thrown)).toThrow(thrown);
  });
});

describe('an error', () => {
  test('has its name, its step, its status, and its cause only where there is one', () => {
    const cause = new Error('why');
    expect(new SamlError('SAML_KEY', 'words', { cause })).toMatchObject({
      name: 'SamlError',
      code: 'SAML_KEY',
      message: 'words',
      cause,
    });
    expect(Object.hasOwn(new SamlError('SAML_KEY', 'words'), 'cause')).toBe(false);
    expect([new SamlError('SAML_HTTP_METHOD', '').status, new SamlError('SAML_AUDIENCE', '').status]).toEqual([405, 403]);
  });

  test.each([
    ['a b', '"a b"'],
    ['a"b\\c', '"a\\u{22}b\\u{5c}c"'],
    ['\n\u00e9', '"\\u{a}\\u{e9}"'],
    ['x'.repeat(120), `"${'x'.repeat(120)}"`],
    ['x'.repeat(121), `"${'x'.repeat(120)}…"`],
  ])('untrusted text %j is quoted', (text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });
});
