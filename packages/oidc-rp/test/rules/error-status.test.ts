import { describe, expect, test } from 'vitest';
import { endsSession, OidcError, type OidcErrorCode } from '../../src/index.ts';

describe('an error says with which status to answer', () => {
  test.each<[OidcErrorCode, unknown, number]>([
    ['OIDC_STORE_UNAVAILABLE', undefined, 503],
    ['OIDC_CLIENT_CREDENTIAL', undefined, 503],
    ['OIDC_HTTP_NETWORK', undefined, 503],
    ['OIDC_HTTP_TIMEOUT', undefined, 503],
    ['OIDC_HTTP_STATUS', 429, 503],
    ['OIDC_HTTP_STATUS', 500, 503],
    ['OIDC_HTTP_STATUS', 499, 502],
    ['OIDC_CONFIG_INVALID', undefined, 500],
    ['OIDC_ENDPOINT_MISSING', undefined, 500],
    ['OIDC_NATIVE_TIMEOUT', undefined, 500],
    ['OIDC_REFRESH_REFUSED', undefined, 401],
    ['OIDC_REFRESH_IDENTITY', undefined, 401],
    ['OIDC_USERINFO_UNAUTHORIZED', undefined, 401],
    ['OIDC_DISCOVERY_ISSUER', undefined, 502],
    ['OIDC_JSON_INVALID', undefined, 502],
    ['OIDC_TOKEN_ERROR', undefined, 502],
    ['OIDC_KEY_UNKNOWN', undefined, 403],
    ['OIDC_JWT_SIGNATURE', undefined, 403],
    ['OIDC_CLAIM_NONCE', undefined, 403],
    ['OIDC_TOKEN_EXPIRED', undefined, 403],
    ['OIDC_PROVIDER_ERROR', undefined, 403],
    ['OIDC_CALLBACK_STATE', undefined, 400],
  ])('%s (%j): %i', (code, received, status) => {
    expect(new OidcError(code, { check: 'x', received }).status).toBe(status);
  });

  test.each([
    ['invalid_grant', 400],
    ['invalid_request', 400],
    ['access_denied', 400],
    ['expired_token', 400],
    ['invalid_client', 500],
    ['unauthorized_client', 500],
    ['unsupported_grant_type', 500],
    ['invalid_scope', 500],
    ['invalid_target', 500],
    ['server_error', 502],
  ])('the token endpoint says %s: %i', (providerError, status) => {
    expect(new OidcError('OIDC_TOKEN_ERROR', { check: 'token.error', providerError }).status).toBe(status);
  });

  test.each([
    ['invalid_request', 502],
    ['access_denied', 502],
    ['invalid_client', 500],
  ])('another endpoint says %s: %i, because nothing is said of the sign-in', (providerError, status) => {
    expect(new OidcError('OIDC_TOKEN_ERROR', { check: 'introspection.error', providerError }).status).toBe(status);
  });

  test('a request that is too large is the sender’s fault, an answer is the provider’s', () => {
    expect(new OidcError('OIDC_HTTP_TOO_LARGE', { check: 'request.body' }).status).toBe(413);
    expect(new OidcError('OIDC_HTTP_TOO_LARGE', { check: 'token' }).status).toBe(502);
    expect(new OidcError('OIDC_HTTP_TOO_LARGE', { check: 'request.body' }).message).toMatch(/request body/);
  });

  test('a key that is unknown because the key set was out of reach is an outage', () => {
    expect(new OidcError('OIDC_KEY_UNKNOWN', { check: 'x', cause: new Error('down') }).status).toBe(503);
  });
});

describe('the sentence of an error', () => {
  const said = (facts: { expected?: string; received?: unknown }) =>
    new OidcError('OIDC_CLAIM_AUD', { check: 'x', ...facts }).message.replace('The token is meant for another client ', '');

  test('names what is missing as nothing, and neither where there is neither', () => {
    expect(said({})).toBe('(x)');
    expect(said({ expected: 'a' })).toBe('(x; expected a, received nothing)');
    expect(said({ received: 'b' })).toBe('(x; expected nothing, received b)');
  });

  test('holds 200 characters of what came, and no control characters', () => {
    const received = (value: unknown) => new OidcError('OIDC_CLAIM_AUD', { check: 'x', received: value }).received;
    expect(received('a'.repeat(200))).toBe('a'.repeat(200));
    expect(received('a'.repeat(201))).toBe(`${'a'.repeat(200)}…`);
    expect(received('a\u0000\u001f\u007f\u009f\u2028\u2029b')).toBe(`a${'\u{fffd}'.repeat(6)}b`);
  });

  test('a cause is kept where there is one', () => {
    const cause = new Error('why');
    expect(new OidcError('OIDC_CLAIM_AUD', { check: 'x', cause }).cause).toBe(cause);
    expect('cause' in new OidcError('OIDC_CLAIM_AUD', { check: 'x' })).toBe(false);
  });

  test('two codes end a session, and no other error does', () => {
    for (const code of ['OIDC_REFRESH_REFUSED', 'OIDC_REFRESH_IDENTITY'] as const)
      expect(endsSession(new OidcError(code, { check: 'x' }))).toBe(true);
    expect(endsSession(new OidcError('OIDC_HTTP_TIMEOUT', { check: 'x' }))).toBe(false);
    expect(endsSession({ code: 'OIDC_REFRESH_REFUSED' })).toBe(false);
  });
});
