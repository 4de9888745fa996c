import { authenticateClient } from '../client/client-authentication.ts';
import type { Configuration } from '../client/configuration.ts';
import { nowSeconds } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { exchange, type HttpAnswer, readJsonAnswer, requireStatus } from '../http/http.ts';
import type { JsonObject } from '../values/json.ts';

/** The tokens of a sign-in. The access token is for the provider's APIs; it says nothing about who signed in. */
export interface TokenSet {
  accessToken: string;
  /** `DPoP`: each use needs a proof with the key that the token is bound to. */
  tokenType: 'Bearer' | 'DPoP';
  /** The ID Token as received: never a credential. */
  idToken?: string;
  refreshToken?: string;
  /** When the access token expires, in seconds since 1970, if the provider said so. */
  expiresAt?: number;
  /** The scopes of the access token, if the provider or a refresh named them; otherwise the requested ones were granted. */
  scopes?: readonly string[];
  /** The type of token that an exchange issued (RFC 8693 §2.2.1). */
  issuedTokenType?: string;
}

/** The tokens of an exchange, with the type of what was issued (RFC 8693 §2.2.1). */
export interface ExchangedToken extends Omit<TokenSet, 'tokenType'> {
  /** `N_A`: the issued token is not an access token, although `access_token` carries it. It is not a credential for any API. */
  tokenType: TokenSet['tokenType'] | 'N_A';
  issuedTokenType: string;
}

/** Parameters of a request, by name, or as pairs if a name may repeat. */
export type Parameters = Record<string, string> | readonly [string, string][];

const maxTokenLength = 65_536;

/**
 * Posts to an endpoint where the client authenticates.
 *
 * @throws {@link OidcError} `OIDC_TOKEN_ERROR` with `providerError` when the endpoint refused, `OIDC_HTTP_…` otherwise
 */
export async function postAsClient(
  configuration: Configuration,
  url: URL,
  subject: string,
  parameters: Parameters,
  statuses: readonly number[] = [200],
): Promise<HttpAnswer> {
  const { answer, hasNewNonce } = await post(configuration, url, subject, parameters);
  // RFC 9449 §8: the server wants its nonce in the proof. Repeated only once: a server that keeps asking will not answer.
  const again = hasNewNonce && answer.status >= 400 && wantsNonce(answer, subject);
  const final = again ? (await post(configuration, url, subject, parameters)).answer : answer;
  if (isRefusal(final)) throw endpointError(final, subject);
  requireStatus(final, statuses, subject);
  return final;
}

async function post(
  configuration: Configuration,
  url: URL,
  subject: string,
  parameters: Parameters,
): Promise<{ answer: HttpAnswer; hasNewNonce: boolean }> {
  // A fresh proof each time: its id is valid for one use.
  const proof = await authenticateClient(configuration.clientAuthentication, configuration);
  const body = new URLSearchParams(parameters as Record<string, string>);
  for (const [name, value] of Object.entries(proof.parameters)) body.set(name, value);
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded', ...proof.headers };
  const bound = await configuration.dpop?.proof('POST', url);
  if (bound !== undefined) headers.dpop = bound.text;
  const answer = await exchange(configuration, { subject, url, method: 'POST', headers, body });
  return { answer, hasNewNonce: configuration.dpop?.remember(url, answer.headers, bound?.nonce) === true };
}

function wantsNonce(answer: HttpAnswer, subject: string): boolean {
  return isRefusal(answer) && endpointError(answer, subject).providerError === 'use_dpop_nonce';
}

// The standard's error statuses are 400 and 401; Auth0 answers 403, others 404 or 422. 429 asks to wait.
function isRefusal(answer: HttpAnswer): boolean {
  const { status } = answer;
  if (status === 400 || status === 401) return true;
  return status > 401 && status < 500 && status !== 408 && status !== 429 && namesAnError(answer);
}

function namesAnError(answer: HttpAnswer): boolean {
  try {
    return typeof readJsonAnswer(answer, 'error').error === 'string';
  } catch {
    return false;
  }
}

/** Asks the token endpoint and reads the response (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3). */
export async function requestTokens(configuration: Configuration, url: URL, parameters: Parameters): Promise<TokenSet> {
  const response = readJsonAnswer(await postAsClient(configuration, url, 'token', parameters), 'token');
  return readTokenSet(response, nowSeconds(configuration.environment), accessTokenTypeOf(configuration));
}

/** The same for a token exchange, which may issue something other than an access token. */
export async function requestExchange(configuration: Configuration, url: URL, parameters: Parameters): Promise<ExchangedToken> {
  const response = readJsonAnswer(await postAsClient(configuration, url, 'token', parameters), 'token');
  const type = isForNoApi(response) ? 'N_A' : accessTokenTypeOf(configuration);
  const { issuedTokenType, ...tokens } = readTokenSet(response, nowSeconds(configuration.environment), type);
  if (issuedTokenType === undefined)
    throw new OidcError('OIDC_TOKEN_RESPONSE', { check: 'token.issued_token_type', expected: 'a token type' });
  return { ...tokens, issuedTokenType };
}

function accessTokenTypeOf({ dpop }: Configuration): TokenSet['tokenType'] {
  return dpop === undefined ? 'Bearer' : 'DPoP';
}

function isForNoApi({ token_type: type, issued_token_type: issued }: JsonObject): boolean {
  return typeof type === 'string' && type.toLowerCase() === 'n_a' && issued !== 'urn:ietf:params:oauth:token-type:access_token';
}

function readTokenSet<T extends ExchangedToken['tokenType']>(
  response: JsonObject,
  now: number,
  wanted: T,
): Omit<TokenSet, 'tokenType'> & { tokenType: T } {
  const accessToken = readToken(response, 'access_token');
  if (accessToken === undefined) throw malformed('access_token', 'text');
  requireTokenType(response.token_type, wanted);
  const lifetime = readLifetime(response.expires_in);
  const scopes = readScopes(response.scope);
  const idToken = readToken(response, 'id_token');
  const refreshToken = readToken(response, 'refresh_token');
  const issuedTokenType = readToken(response, 'issued_token_type');
  return {
    accessToken,
    tokenType: wanted,
    ...(idToken === undefined ? {} : { idToken }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(lifetime === undefined ? {} : { expiresAt: Math.floor(now + lifetime) }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(issuedTokenType === undefined ? {} : { issuedTokenType }),
  };
}

// A Bearer token in place of one bound to our key is a downgrade (RFC 9449 §5).
function requireTokenType(type: unknown, wanted: ExchangedToken['tokenType']): void {
  if (typeof type !== 'string' || type.toLowerCase() !== wanted.toLowerCase())
    throw new OidcError('OIDC_TOKEN_TYPE', { check: 'token.token_type', expected: wanted, received: type ?? 'none' });
}

// Some providers send the number as text (Entra ID v1, AD FS), or null.
function readLifetime(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 0) throw malformed('expires_in', 'seconds', value);
  return seconds;
}

// Some providers send a list instead of words separated by spaces.
function readScopes(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const words: unknown[] = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [undefined];
  if (!words.every((word): word is string => typeof word === 'string')) throw malformed('scope', 'text');
  return words.filter(word => word !== '');
}

/** Reads a token from a response; null counts as absent. */
function readToken(response: JsonObject, member: string): string | undefined {
  const value = response[member];
  if (value === undefined || value === null) return undefined;
  // Only what a header may carry: a line break in an access token would inject headers.
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
