/**
 * Every code that this package uses, and its message for a person. Codes are stable: programs may branch on them, and a code is
 * never reused for another meaning. The API reference has the same table.
 */
export const errorCatalogue = {
  OIDC_CONFIG_INVALID: 'The relying party is configured incorrectly',
  OIDC_CLIENT_CREDENTIAL: 'The client credential is not available',
  OIDC_STORE_UNAVAILABLE: 'The store is unavailable',
  OIDC_ENDPOINT_MISSING: 'The provider metadata has no such endpoint',

  OIDC_HTTP_URL_REFUSED: 'This address is not allowed',
  OIDC_HTTP_NETWORK: 'The provider could not be reached',
  OIDC_HTTP_TIMEOUT: 'The provider did not respond in time',
  OIDC_HTTP_TOO_LARGE: 'The response from the provider, or a request body, is too large',
  OIDC_HTTP_REDIRECT: 'The provider responded with a redirect, which is not followed',
  OIDC_HTTP_STATUS: 'The provider responded with an unexpected status',
  OIDC_HTTP_CONTENT_TYPE: 'The provider responded with an unexpected content type',

  OIDC_JSON_INVALID: 'The text is not a JSON object in UTF-8',
  OIDC_JSON_DUPLICATE_MEMBER: 'Duplicate member in a JSON object',
  OIDC_JSON_TOO_DEEP: 'The JSON is nested too deeply',

  OIDC_DISCOVERY_ISSUER: 'The discovery document is from another issuer',
  OIDC_DISCOVERY_INVALID: 'The discovery document has a missing or invalid member',
  OIDC_JWKS_INVALID: 'The key set is not a usable JWK set',
  OIDC_KEY_UNKNOWN: 'No key of the provider matches the token',
  OIDC_KEY_UNUSABLE: 'The key that the token names cannot be used to verify it',
  OIDC_KEY_AMBIGUOUS: 'More than one key matches the token',

  OIDC_JWT_MALFORMED: 'The token is not a JWS in compact form',
  OIDC_JWT_TOO_LARGE: 'The token is too large',
  OIDC_JWT_HEADER: 'The header of the token is not acceptable',
  OIDC_JWT_ALGORITHM: 'The token is signed with an algorithm that is not registered for this client',
  OIDC_JWT_CRITICAL: 'The token requires an unsupported extension',
  OIDC_JWT_TYPE: 'The token has the wrong type',
  OIDC_JWT_SIGNATURE: 'The signature of the token is not valid',
  OIDC_JWE_REQUIRED: 'The token is not encrypted, although encryption is registered',
  OIDC_JWE_UNEXPECTED: 'The token is encrypted, although no encryption is registered',
  OIDC_JWE_HEADER: 'The encryption header of the token is not acceptable',
  OIDC_JWE_DECRYPTION: 'The token could not be decrypted',

  OIDC_CLAIM_ISS: 'The token comes from another issuer',
  OIDC_CLAIM_SUB: 'The subject is missing or malformed',
  OIDC_CLAIM_AUD: 'The token is meant for another client',
  OIDC_CLAIM_AZP: 'The token was issued to another party',
  OIDC_CLAIM_EXP: 'The expiry time is missing or malformed',
  OIDC_TOKEN_EXPIRED: 'The token has expired',
  OIDC_CLAIM_IAT: 'The issue time is missing, malformed, in the future or too old',
  OIDC_CLAIM_NBF: 'The token is not valid yet, or its start is malformed',
  OIDC_CLAIM_NONCE: 'The nonce does not belong to this sign-in',
  OIDC_CLAIM_AUTH_TIME: 'The time of authentication is missing, malformed or too old',
  OIDC_CLAIM_ACR: 'The required authentication context was not reached',
  OIDC_CLAIM_AT_HASH: 'The access token does not match the ID Token',
  OIDC_CLAIM_C_HASH: 'The code does not match the ID Token',
  OIDC_CLAIM_EVENTS: 'The token is not a logout event',
  OIDC_CLAIM_JTI: 'The token id is missing or malformed',
  OIDC_CLAIM_SID: 'The session id is missing or malformed',

  OIDC_CALLBACK_MALFORMED: 'The callback is not an authorization response',
  OIDC_CALLBACK_URL: 'The callback arrived at a different address than the one requested',
  OIDC_CALLBACK_DUPLICATE: 'Duplicate parameter in the callback',
  OIDC_CALLBACK_STATE: 'The callback does not belong to this sign-in',
  OIDC_CALLBACK_ISS: 'The callback comes from another issuer',
  OIDC_CALLBACK_CODE: 'The callback has no usable code',
  OIDC_PENDING_INVALID: 'The stored sign-in is damaged',
  OIDC_PENDING_EXPIRED: 'The sign-in took too long',
  OIDC_PENDING_USED: 'The sign-in was already completed',
  OIDC_PROVIDER_ERROR: 'The provider refused the sign-in',
  OIDC_INITIATE_LOGIN: 'The third-party request to sign in is not acceptable',

  OIDC_TOKEN_ERROR: 'The token endpoint refused the request',
  OIDC_TOKEN_RESPONSE: 'The token response has a missing or invalid member',
  OIDC_TOKEN_TYPE: 'The access token is not of the requested type',
  OIDC_ID_TOKEN_MISSING: 'The token response has no ID Token',
  OIDC_REFRESH_REFUSED: 'The provider no longer accepts the refresh token: the session is over',
  OIDC_REFRESH_IDENTITY: 'The refreshed ID Token belongs to another sign-in',

  OIDC_USERINFO_SUB: 'The UserInfo response is about another person',
  OIDC_USERINFO_UNAUTHORIZED: 'The UserInfo endpoint refused the access token',
  OIDC_USERINFO_UNSIGNED: 'The UserInfo response is not signed, although signing is registered',

  OIDC_LOGOUT_REQUEST: 'The logout request is malformed',
  OIDC_LOGOUT_ISS: 'The logout request comes from another issuer',
  OIDC_LOGOUT_REPLAY: 'The logout token was already used',

  OIDC_INTROSPECTION: 'The introspection response is not acceptable',
  OIDC_DEVICE_RESPONSE: 'The device authorization response has a missing or invalid member',
  OIDC_DEVICE_EXPIRED: 'The device code was not entered in time',
  OIDC_STEP_UP: 'The challenge for a stronger sign-in is malformed',

  OIDC_NATIVE_TIMEOUT: 'No response reached the loopback address in time',
  OIDC_NATIVE_BROWSER: 'The system browser could not be opened',
} as const satisfies Record<`OIDC_${string}`, string>;

/** A stable error code, `OIDC_…`. */
export type OidcErrorCode = keyof typeof errorCatalogue;

/** The facts that an {@link OidcError} may carry besides its code. They never contain a token, a secret, a state or a nonce. */
export interface OidcErrorFacts {
  /** The check that failed, as `subject.member`, for example `id_token.aud`. */
  check: string;
  /** The expected value, where it may be shown. */
  expected?: unknown;
  /** The value that came instead, where it may be shown; shortened, control characters removed. */
  received?: unknown;
  /** The underlying error. */
  cause?: unknown;
  /** The error code that the provider gave (RFC 6749 §4.1.2.1, §5.2), if it gave one. */
  providerError?: string;
  /** The provider's own words, control characters removed. Escape them before showing them in a page. */
  providerDescription?: string;
  /** Nothing was decided, because the provider may be asked again only after this many seconds. */
  retryAfterSeconds?: number;
}

/**
 * The only error that this package throws on purpose.
 *
 * @example
 * ```ts
 * if (error instanceof OidcError) reply.code(error.status).send({ code: error.code });
 * ```
 */
export class OidcError extends Error {
  override readonly name = 'OidcError';
  /** The stable code; see {@link errorCatalogue}. */
  readonly code: OidcErrorCode;
  /** The check that failed. */
  readonly check: string;
  /** The expected value, where safe to show. */
  readonly expected: string | undefined;
  /** The received value, where safe to show. */
  readonly received: string | undefined;
  /** The provider's error code, if the provider answered with one. */
  readonly providerError: string | undefined;
  /** The provider's error description, to be escaped before it is shown. */
  readonly providerDescription: string | undefined;
  /** After how many whole seconds, at least 1, a new try makes sense, where that is known; for `Retry-After`. Only with status 503. */
  readonly retryAfterSeconds: number | undefined;
  /**
   * The HTTP status to answer with: 503 when something was unavailable and a later try may succeed, 502 when the provider's
   * answer was invalid, 500 when the client is set up wrongly, otherwise 4xx.
   */
  readonly status: number;

  constructor(code: OidcErrorCode, facts: OidcErrorFacts) {
    const expected = showable(facts.expected);
    const received = showable(facts.received);
    super(sentence(code, facts.check, expected, received), facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.check = facts.check;
    this.status = statusOf(code, facts);
    this.expected = expected;
    this.received = received;
    this.providerError = facts.providerError && showable(facts.providerError);
    this.providerDescription = facts.providerDescription && showable(facts.providerDescription);
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/**
 * Whether the error means that a refreshed session is over, rather than that the provider is unavailable or the client is set up
 * wrongly.
 *
 * @example
 * ```ts
 * const renewed = await relyingParty.refresh(signIn).catch(error => (endsSession(error) ? undefined : signIn));
 * ```
 */
export function endsSession(error: unknown): boolean {
  return error instanceof OidcError && (error.code === 'OIDC_REFRESH_REFUSED' || error.code === 'OIDC_REFRESH_IDENTITY');
}

const outages: ReadonlySet<OidcErrorCode> = new Set([
  'OIDC_STORE_UNAVAILABLE',
  'OIDC_CLIENT_CREDENTIAL',
  'OIDC_HTTP_NETWORK',
  'OIDC_HTTP_TIMEOUT',
]);
const badGateway =
  /^OIDC_(HTTP|JSON|DISCOVERY|JWKS|TOKEN_(ERROR|RESPONSE|TYPE)|ID_TOKEN_MISSING|USERINFO|INTROSPECTION|DEVICE_RESPONSE)/;
const refusals = /^OIDC_(KEY|JWT|JWE|CLAIM|TOKEN_EXPIRED|PROVIDER_ERROR)/;

const requests: ReadonlySet<OidcErrorCode> = new Set(['OIDC_CALLBACK_MALFORMED', 'OIDC_LOGOUT_REQUEST', 'OIDC_INITIATE_LOGIN']);

/**
 * RFC 6749 §5.2, RFC 8628 §3.5: refusals by the token endpoint that concern the sign-in, such as a code that is used, expired or
 * invented.
 */
const refusedGrants: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_request', 'access_denied', 'expired_token']);
/** RFC 6749 §5.2, RFC 8693 §2.2.2: refusals that concern the setup of the client, here or at the provider. */
const refusedClients: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
]);

function statusOf(code: OidcErrorCode, facts: OidcErrorFacts): number {
  const { check, received, cause, retryAfterSeconds, providerError = '' } = facts;
  // A key that is unknown because the key set could not be fetched, or not so soon again, may be known in a moment.
  const isUndecided = code === 'OIDC_KEY_UNKNOWN' && (cause !== undefined || retryAfterSeconds !== undefined);
  if (outages.has(code) || isUndecided) return 503;
  // `request.method`: the calling program passed something that is not a request.
  if (requests.has(code) && check.endsWith('.method') && check !== 'request.method') return 405;
  // An adapter read this body from the client. All others that are too large come from the provider.
  if (code === 'OIDC_HTTP_TOO_LARGE' && check === 'request.body') return 413;
  if (code === 'OIDC_HTTP_STATUS' && (received === 429 || Number(received) >= 500)) return 503;
  if (code === 'OIDC_CONFIG_INVALID' || code === 'OIDC_ENDPOINT_MISSING' || code.startsWith('OIDC_NATIVE')) return 500;
  if (code === 'OIDC_REFRESH_REFUSED' || code === 'OIDC_REFRESH_IDENTITY' || code === 'OIDC_USERINFO_UNAUTHORIZED') return 401;
  if (code === 'OIDC_TOKEN_ERROR' && check === 'token.error' && refusedGrants.has(providerError)) return 400;
  if (code === 'OIDC_TOKEN_ERROR' && refusedClients.has(providerError)) return 500;
  if (badGateway.test(code)) return 502;
  return refusals.test(code) ? 403 : 400;
}

function sentence(code: OidcErrorCode, check: string, expected?: string, received?: string): string {
  const came =
    expected === undefined && received === undefined
      ? ''
      : `; expected ${expected ?? 'nothing'}, received ${received ?? 'nothing'}`;
  return `${errorCatalogue[code]} (${check}${came})`;
}

// A hostile provider may write these values: no control characters in a log line, no megabytes in a message.
function showable(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : safeJson(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '\u{fffd}');
  return clean.length > 200 ? `${clean.slice(0, 200)}…` : clean;
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value;
  }
}
