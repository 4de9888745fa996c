import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { IncomingRequest } from '../../src/bindings/incoming-request.ts';
import { renderPostForm } from '../../src/bindings/post-binding.ts';
import { codeOf } from '../support/refusal.ts';
import { buildResponse } from '../support/response.ts';
import { createServiceProvider, pending, postResponse } from '../support/world.ts';

const honest = postResponse(buildResponse());
const finish = async (http: IncomingRequest) => {
  try {
    return (await createServiceProvider().finishSignIn(http, pending)).nameId?.value;
  } catch (error) {
    return codeOf(error);
  }
};
const value = /SAMLResponse=([^&]*)/.exec(honest.body)?.[1] ?? '';
const form = (body: string) => ({ ...honest, body });
const folded = encodeURIComponent(decodeURIComponent(value).replace(/.{76}/g, '$&\r\n'));

describe('HTTP-POST (saml-bindings-2.0 3.5)', () => {
  test.each([
    ['as it is', honest],
    ['base64 with line breaks', form(`SAMLResponse=${folded}&RelayState=relay-1`)],
    ['a charset behind the content type', { ...honest, contentType: 'application/x-www-form-urlencoded; charset=UTF-8' }],
    ['parameters of another party', form(`${honest.body}&utf8=%E2%9C%93`)],
    ['read by a form parser', { ...honest, body: Object.fromEntries(new URLSearchParams(honest.body)) }],
    ['as URLSearchParams', { ...honest, body: new URLSearchParams(honest.body) }],
    ['as bytes', { ...honest, body: Buffer.from(honest.body) }],
    [
      'as a web Request',
      new Request('https://sp.example.org/saml/acs', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: honest.body,
      }),
    ],
    [
      'read by a form parser that says no content type',
      { method: 'POST', url: '/', body: Object.fromEntries(new URLSearchParams(honest.body)) },
    ],
  ])('accepts %s', async (_name, http) => {
    expect(await finish(http)).toBe('alice');
  });

  test.each([
    [
      'GET (a Response by Redirect, saml-profiles-2.0 4.1.2)',
      { method: 'GET', url: `/saml/acs?${honest.body}` },
      'SAML_HTTP_METHOD',
    ],
    ['HEAD', { ...honest, method: 'HEAD' }, 'SAML_HTTP_METHOD'],
    ['multipart', { ...honest, contentType: 'multipart/form-data; boundary=x' }, 'SAML_HTTP_METHOD'],
    ['JSON', { ...honest, contentType: 'application/json' }, 'SAML_HTTP_METHOD'],
    ['no content type', { ...honest, contentType: undefined }, 'SAML_HTTP_METHOD'],
    ['no parameter', form(''), 'SAML_PARAMETER'],
    ['SAMLRequest instead', form(honest.body.replace('SAMLResponse', 'SAMLRequest')), 'SAML_PARAMETER'],
    ['both', form(`${honest.body}&SAMLRequest=x`), 'SAML_PARAMETER'],
    ['twice', form(`${honest.body}&SAMLResponse=${value}`), 'SAML_PARAMETER'],
    ['SAMLResponse[]', form(`${honest.body}&SAMLResponse[]=x`), 'SAML_PARAMETER'],
    ['%53AMLResponse in its place', form(honest.body.replace('SAMLResponse=', '%53AMLResponse=')), 'SAML_PARAMETER'],
    ['RelayState twice', form(`${honest.body}&RelayState=relay-1`), 'SAML_PARAMETER'],
    [
      'twice, read by a form parser',
      { ...honest, body: { SAMLResponse: [decodeURIComponent(value), 'x'], RelayState: 'relay-1' } },
      'SAML_PARAMETER',
    ],
    [
      'SAMLResponse[x], read by a form parser',
      { ...honest, body: { SAMLResponse: { x: 'y' }, RelayState: 'relay-1' } },
      'SAML_PARAMETER',
    ],
    [
      'a second one in other letters, read by a form parser',
      { ...honest, body: { ...Object.fromEntries(new URLSearchParams(honest.body)), samlresponse: 'x' } },
      'SAML_PARAMETER',
    ],
    ['a body that is an array', { ...honest, body: [] as never }, 'SAML_CONFIG_INVALID'],
    ['an address', 'https://sp.example.org/saml/acs?SAMLResponse=x', 'SAML_HTTP_METHOD'],
    ['not base64', form('SAMLResponse=%2A%2A&RelayState=relay-1'), 'SAML_ENCODING'],
    [
      'url-safe base64',
      form(`SAMLResponse=${encodeURIComponent(decodeURIComponent(value).slice(0, -4))}-_-_&RelayState=relay-1`),
      'SAML_ENCODING',
    ],
    ['without padding', form(`SAMLResponse=${'A'.repeat(41)}&RelayState=relay-1`), 'SAML_ENCODING'],
    [
      'blanks in base64',
      form(`SAMLResponse=${value.slice(0, 8)}%20%20%20%20${value.slice(8)}&RelayState=relay-1`),
      'SAML_ENCODING',
    ],
    ['deflated, as by Redirect', form('SAMLResponse=S0xKTklNAwA%3D&RelayState=relay-1'), 'SAML_XML_MALFORMED'],
    ['1 MB', form(`SAMLResponse=${'A'.repeat(1_000_000)}`), 'SAML_MESSAGE_TOO_LARGE'],
    ['RelayState missing', form(`SAMLResponse=${value}`), 'SAML_RELAY_STATE'],
    ['RelayState empty', form(`SAMLResponse=${value}&RelayState=`), 'SAML_RELAY_STATE'],
    ['RelayState with a NUL', form(`SAMLResponse=${value}&RelayState=relay-1%00`), 'SAML_PARAMETER'],
    ['RelayState as an address', form(`SAMLResponse=${value}&RelayState=https%3A%2F%2Fevil.example`), 'SAML_RELAY_STATE'],
  ])('refuses: %s', async (_name, http, code) => {
    expect(await finish(http)).toBe(code);
  });

  test('escapes everything in our form', () => {
    fc.assert(
      // Mostly what has to be escaped: among all characters it is too rare to come up.
      fc.property(
        fc.string({ unit: fc.oneof(fc.constantFrom(...'<>&"\'#;'), fc.string({ unit: 'binary', maxLength: 1 })) }),
        text => {
          const sent = renderPostForm('https://idp.example.edu/sso?a=1&b="2"', { SAMLRequest: 'abc', RelayState: text });
          if (sent.kind !== 'post') throw new Error('a form was expected');
          const found = /name="RelayState" value="([^"]*)"/.exec(sent.html)?.[1] ?? '';
          const read = found.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
          expect(read).toBe(text);
          expect(found).not.toMatch(/[<>"']/);
        },
      ),
    );
  });

  // Chromium applies `form-action` to the redirects after a post: https://github.com/w3c/webappsec-csp/issues/8
  test.each([
    ['https://idp.example.edu/sso?a=1', 'https:'],
    ['http://localhost:8080/sso', 'https: http://localhost:8080'],
  ])('lets a provider at %s redirect our post to another of its https hosts, and nothing else', (url, targets) => {
    const sent = renderPostForm(url, { SAMLRequest: 'abc' });
    if (sent.kind !== 'post') throw new Error('a form was expected');
    const directives = sent.contentSecurityPolicy.split('; ');
    expect(directives.filter(directive => !directive.startsWith('script-src'))).toEqual([
      "default-src 'none'",
      `form-action ${targets}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(directives[1]).toMatch(/^script-src 'sha256-[\w+/]{43}='$/);
  });
});
