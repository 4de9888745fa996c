import { describe, expect, test } from 'vitest';
import type { ServiceProvider } from '../../src/service-provider.ts';
import { tokenErrorOf } from '../../src/tokens/token-exchange.ts';
import { renewToken, requestToken, revokeToken } from '../../src/tokens/token-request.ts';
import { readBody, serve } from '../support/http-server.ts';
import { buildAssertion } from '../support/response.ts';
import { createServiceProvider, sp } from '../support/world.ts';

const endpoint = { url: 'https://as.example.org/token' };
const toEndpoint = (xml: string) =>
  xml
    .replaceAll(`"${sp.acs}"`, `"${endpoint.url}"`)
    .replace(`>${sp.entityId}<`, `>${endpoint.url}<`)
    .replace(/ InResponseTo="[^"]*"/g, '');
const assertionXml = buildAssertion({ assertion: toEndpoint });

/** An authorization server that is our own other half. */
const authorizationServer = (server: ServiceProvider, seen: string[] = []) =>
  serve(async (request, response) => {
    seen.push(request.headers.authorization ?? '');
    try {
      const facts = await server.verifyAssertionGrant(endpoint, await readBody(request));
      response.end(
        JSON.stringify({
          access_token: `for ${facts.nameId?.value}`,
          token_type: 'Bearer',
          expires_in: '300',
          scope: facts.scope,
        }),
      );
    } catch (error) {
      response.writeHead(400).end(JSON.stringify(tokenErrorOf(error)));
    }
  });

describe('an assertion is traded for an access token (RFC 7522 2.1)', () => {
  test('sent, answered, and good for one use', async () => {
    const seen: string[] = [];
    await using server = await authorizationServer(createServiceProvider(), seen);
    const request = { tokenEndpoint: server.origin, assertionXml, scope: 'notes', clientId: 'a b', clientSecret: 'c:d' };
    expect(await requestToken(request)).toEqual({
      accessToken: 'for alice',
      tokenType: 'Bearer',
      expiresIn: 300,
      scope: 'notes',
      refreshToken: undefined,
    });
    expect(seen[0]).toBe(`Basic ${Buffer.from('a+b:c%3Ad').toString('base64')}`);
    await expect(requestToken(request)).rejects.toMatchObject({
      code: 'SAML_TOKEN_REQUEST',
      status: 502,
      message: 'the token endpoint refused: invalid_grant',
    });
  });

  test.each([
    ['no JSON', 200, '<html>'],
    ['an array', 200, '[]'],
    ['no token', 200, '{"token_type":"Bearer"}'],
    ['no token type', 200, '{"access_token":"x"}'],
    ['far too much', 200, `"${'x'.repeat(70_000)}"`],
    ['an error with markup in it', 400, '{"error":"\\u0000<script>"}'],
    ['a redirect', 302, '{}'],
  ])('refuses %s', async (_name, status, body) => {
    await using server = await serve(
      (_request, response) => void response.writeHead(status, { location: '/elsewhere' }).end(body),
    );
    await expect(requestToken({ tokenEndpoint: server.origin, assertionXml })).rejects.toMatchObject({
      code: 'SAML_TOKEN_REQUEST',
    });
  });

  test('no connection', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed'));
    await expect(requestToken({ tokenEndpoint: 'https://as.example.org', assertionXml, fetch })).rejects.toMatchObject({
      code: 'SAML_TOKEN_REQUEST',
    });
  });

  test.each([
    [
      'an http endpoint',
      { tokenEndpoint: 'http://as.example.org', assertionXml },
      'request.tokenEndpoint: expected an https address',
    ],
    [
      'an unknown member',
      { tokenEndpoint: 'https://as.example.org', assertionXml, scopes: 'a' },
      'request.scopes: there is no such setting',
    ],
  ])('refuses %s by name', async (_name, request, message) => {
    await expect(requestToken(request as never)).rejects.toThrow(message);
  });
});

describe('such a token is renewed (RFC 6749 6)', () => {
  const tokens = { access_token: 'new', token_type: 'Bearer', expires_in: 60, refresh_token: 'next' };

  test.each([
    ['as a client with a secret', { clientId: 'gate', clientSecret: 's' }, `Basic ${btoa('gate:s')}`, {}],
    ['as a client without one', { clientId: 'gate' }, undefined, { client_id: 'gate' }],
    ['without a client', {}, undefined, {}],
  ])('%s', async (_name, client, authorization, said) => {
    const seen: [string | undefined, Record<string, string>][] = [];
    await using server = await serve(async (request, response) => {
      seen.push([request.headers.authorization, Object.fromEntries(new URLSearchParams(String(await readBody(request))))]);
      response.end(JSON.stringify(tokens));
    });
    const answer = await renewToken({ tokenEndpoint: server.origin, refreshToken: 'kept', scope: 'notes', ...client });
    expect(answer).toMatchObject({ accessToken: 'new', expiresIn: 60, refreshToken: 'next' });
    expect(seen).toEqual([[authorization, { grant_type: 'refresh_token', refresh_token: 'kept', scope: 'notes', ...said }]]);
  });

  test('names the code of a refusal, never the token', async () => {
    await using server = await serve((_request, response) => void response.writeHead(400).end('{"error":"invalid_grant"}'));
    const refused = renewToken({ tokenEndpoint: server.origin, refreshToken: 'kept-secret' });
    await expect(refused).rejects.toMatchObject({ code: 'SAML_TOKEN_REQUEST', message: expect.not.stringContaining('kept') });
    await expect(renewToken({ tokenEndpoint: server.origin, assertionXml } as never)).rejects.toThrow('request.');
  });
});

describe('what such a token is renewed with is revoked (RFC 7009)', () => {
  test.each([
    ['as a client with a secret', { clientId: 'gate', clientSecret: 's' }, `Basic ${btoa('gate:s')}`, {}],
    ['as a client without one', { clientId: 'gate' }, undefined, { client_id: 'gate' }],
    ['without a client', {}, undefined, {}],
  ])('%s', async (_name, client, authorization, said) => {
    const seen: [string | undefined, Record<string, string>][] = [];
    await using server = await serve(async (request, response) => {
      seen.push([request.headers.authorization, Object.fromEntries(new URLSearchParams(String(await readBody(request))))]);
      response.end();
    });
    await revokeToken({ revocationEndpoint: server.origin, refreshToken: 'kept', ...client });
    expect(seen).toEqual([[authorization, { token: 'kept', token_type_hint: 'refresh_token', ...said }]]);
  });

  test.each([
    ['with a code', 400, '{"error":"unsupported_token_type"}', 'unsupported_token_type'],
    ['without one', 503, 'busy', 'status 503'],
    ['by sending us elsewhere', 302, '{}', 'status 302'],
  ])('or refused %s, of which the error says no more', async (_name, status, body, code) => {
    await using server = await serve(
      (_request, response) => void response.writeHead(status, { location: '/elsewhere' }).end(body),
    );
    const refused = revokeToken({ revocationEndpoint: server.origin, refreshToken: 'kept-secret' });
    await expect(refused).rejects.toMatchObject({
      code: 'SAML_TOKEN_REQUEST',
      message: `the revocation endpoint refused: ${code}`,
    });
  });

  test('but not over http, and not where nobody is', async () => {
    const revoke = (revocationEndpoint: string) => revokeToken({ revocationEndpoint, refreshToken: 'kept-secret' });
    await expect(revoke('http://as.example.org')).rejects.toThrow('request.revocationEndpoint: expected an https address');
    await expect(revoke('http://127.0.0.1:9')).rejects.toThrow('the revocation endpoint did not respond');
    const more = { revocationEndpoint: 'https://as.example.org', refreshToken: 'kept-secret', scope: 'notes' };
    await expect(revokeToken(more as never)).rejects.toThrow('request.scope: there is no such setting');
  });
});
