import { proveClient } from './client-authentication.ts';
import type { Configuration } from './configuration.ts';
import { nowSeconds } from './environment.ts';
import { OidcError } from './errors.ts';
import { exchange, type HttpAnswer, readJsonAnswer, requireStatus } from './http.ts';
import type { JsonObject } from './json.ts';

/** The tokens of a sign-in. The access token is for the provider's APIs; it says nothing about who signed in. */
export interface TokenSet {
  accessToken: string;
  tokenType: 'Bearer';
  /** The ID Token as received: for `id_token_hint`, never as a credential. */
  idToken?: string;
  refreshToken?: string;
  /** When the access token ends, in seconds since 1970, if the provider said so. */
  expiresAt?: number;
  /** The granted scopes, if the provider named them; otherwise they are the requested ones. */
  scopes?: readonly string[];
}

const maxTokenLength = 65_536;

/**
 * Posts to an endpoint where the client authenticates itself.
 *
 * @throws {@link OidcError} `OIDC_TOKEN_ERROR` with `providerError` when the endpoint refused, `OIDC_HTTP_…` otherwise
 */
export async function postAsClient(
  configuration: Configuration,
  url: URL,
  subject: string,
  parameters: Record<string, string>,
): Promise<HttpAnswer> {
  const proof = await proveClient(configuration.clientAuthentication, configuration);
  const body = new URLSearchParams({ ...parameters, ...proof.parameters });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...proof.headers };
  const answer = await exchange(configuration, { subject, url, method: 'POST', headers, body });
  if (answer.status === 400 || answer.status === 401) throw endpointError(answer, subject);
  requireStatus(answer, 200, subject);
  return answer;
}

/** Asks the token endpoint and reads the response (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3). */
export async function requestTokens(
  configuration: Configuration,
  url: URL,
  parameters: Record<string, string>,
): Promise<TokenSet> {
  const answer = await postAsClient(configuration, url, 'token', parameters);
  return readTokenSet(readJsonAnswer(answer, 'token'), nowSeconds(configuration.environment));
}

/** The parameters that redeem a code. */
export function codeGrant(code: string, pending: { redirectUri: string; codeVerifier: string }): Record<string, string> {
  return { grant_type: 'authorization_code', code, redirect_uri: pending.redirectUri, code_verifier: pending.codeVerifier };
}

function readTokenSet(response: JsonObject, now: number): TokenSet {
  const { token_type: type, expires_in: lifetime, scope } = response;
  const accessToken = readToken(response, 'access_token');
  if (accessToken === undefined) throw malformed('access_token', 'text');
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw new OidcError('OIDC_TOKEN_TYPE', { check: 'token.token_type', expected: 'Bearer', received: type ?? 'none' });
  }
  if (lifetime !== undefined && !(typeof lifetime === 'number' && Number.isFinite(lifetime) && lifetime >= 0))
    throw malformed('expires_in', 'seconds', lifetime);
  if (scope !== undefined && typeof scope !== 'string') throw malformed('scope', 'text');
  const idToken = readToken(response, 'id_token');
  const refreshToken = readToken(response, 'refresh_token');
  return {
    accessToken,
    tokenType: 'Bearer',
    ...(idToken === undefined ? {} : { idToken }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(lifetime === undefined ? {} : { expiresAt: Math.floor(now + lifetime) }),
    ...(scope === undefined ? {} : { scopes: scope.split(' ').filter(word => word !== '') }),
  };
}

function readToken(response: JsonObject, member: string): string | undefined {
  const value = response[member];
  if (value === undefined) return undefined;
  // Only what a header may carry; a line break in an access token would write headers of its own.
  if (typeof value !== 'string' || value.length > maxTokenLength || !/^[\x21-\x7e]+$/.test(value))
    throw malformed(member, 'printable ASCII text');
  return value;
}

function endpointError(answer: HttpAnswer, subject: string): OidcError {
  const response = readJsonAnswer(answer, subject);
  const { error, error_description: description } = response;
  return new OidcError('OIDC_TOKEN_ERROR', {
    check: `${subject}.error`,
    received: answer.status,
    providerError: typeof error === 'string' ? error : 'unknown',
    providerDescription: typeof description === 'string' ? description : '',
  });
}

function malformed(member: string, expected: string, received?: unknown): OidcError {
  return new OidcError('OIDC_TOKEN_RESPONSE', { check: `token.${member}`, expected, received });
}
