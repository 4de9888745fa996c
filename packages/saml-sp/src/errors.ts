/**
 * The catalog: every code this package throws, with the check that failed. `docs/saml/errors.md` repeats it, and a test keeps
 * the two equal. A code never changes its meaning; messages may.
 * @example samlErrors.SAML_REPLAYED // 'replay: this request or assertion has been used before'
 */
export const samlErrors = {
  SAML_CONFIG_INVALID: 'configuration: a setting is missing, unknown or unsafe',
  SAML_PENDING_INVALID: 'pending: the stored sign-in or sign-out is damaged or not ours',
  SAML_STORE_UNAVAILABLE: 'store: the replay store or the directory of providers did not respond',
  SAML_HTTP_METHOD: 'binding: the method or content type is not one that the binding uses',
  SAML_PARAMETER: 'binding: a parameter is missing, duplicated or not allowed by the binding',
  SAML_MESSAGE_TOO_LARGE: 'binding: the message is larger than the limit, compressed or decompressed',
  SAML_ENCODING: 'binding: base64 or DEFLATE does not decode',
  SAML_RELAY_STATE: 'binding: RelayState is too long or not the one we sent',
  SAML_ARTIFACT: 'artifact: malformed, from another provider, or no longer known to the provider',
  SAML_ARTIFACT_RESOLUTION: 'artifact: the provider did not respond to our request for the message',
  SAML_XML_BYTES: 'bytes: not plain UTF-8 XML 1.0',
  SAML_XML_DOCTYPE: 'bytes: a DOCTYPE, entity, CDATA section, comment or processing instruction',
  SAML_XML_MALFORMED: 'parse: libxml2 finds the document not well-formed, too deep or too wide',
  SAML_SCHEMA_INVALID: "schema: not valid against the standard's own schema",
  SAML_STRUCTURE: 'structure: an element is missing, misplaced or duplicated',
  SAML_DUPLICATE_ID: 'structure: two attributes that could be an ID have the same value',
  SAML_VERSION: 'structure: Version is not 2.0',
  SAML_SIGNATURE_MISSING: 'signature: an element that must be signed is not signed',
  SAML_SIGNATURE_PROFILE: 'signature: the shape is outside the strict profile',
  SAML_SIGNATURE_ALGORITHM: 'signature: an algorithm is not on the allow-list',
  SAML_SIGNATURE_INVALID: 'signature: no key of the metadata verifies it',
  SAML_CANONICAL_MISMATCH: 'signature: two canonical forms of the signed element differ',
  SAML_KEY: 'keys: a key is too weak, of the wrong kind, or missing',
  SAML_ENCRYPTION_PROFILE: 'encryption: the shape or an algorithm is not accepted',
  SAML_DECRYPTION_FAILED: 'encryption: decryption failed (the same error for every cause)',
  SAML_UNKNOWN_IDP: 'issuer: no such identity provider is configured, or it is switched off',
  SAML_ISSUER: 'issuer: not the identity provider that the request was sent to',
  SAML_STATUS: 'status: the identity provider responded with a status other than Success',
  SAML_DESTINATION: 'destination: the message is for another address',
  SAML_IN_RESPONSE_TO: 'request: not the response to the pending request',
  SAML_UNSOLICITED: 'request: no request was made, and this provider may not start a sign-in',
  SAML_REQUEST_EXPIRED: 'request: the pending sign-in or logout is too old',
  SAML_ISSUE_INSTANT: 'time: issued in the future, or before the request',
  SAML_SUBJECT: 'subject: missing, empty or not usable',
  SAML_SUBJECT_CONFIRMATION: 'subject confirmation: no bearer confirmation is valid',
  SAML_RECIPIENT: 'subject confirmation: Recipient is another address',
  SAML_CONDITIONS: 'conditions: missing, contradictory or not supported',
  SAML_NOT_YET_VALID: 'time: NotBefore is in the future',
  SAML_EXPIRED: 'time: NotOnOrAfter has passed or is missing',
  SAML_AUDIENCE: 'audience: the assertion is for another service provider',
  SAML_AUTHN_STATEMENT: 'authentication: no statement, more than one, or not usable',
  SAML_AUTHN_CONTEXT: 'authentication: not in a context that was requested',
  SAML_AUTHN_TOO_OLD: 'authentication: a fresh sign-in was requested, this one is older',
  SAML_INSTANT: 'time: not a UTC date and time in the SAML format',
  SAML_REPLAYED: 'replay: this request or assertion has been used before',
  SAML_METADATA_INVALID: 'metadata: does not describe a usable identity provider',
  SAML_METADATA_EXPIRED: 'metadata: validUntil is missing, in the past or too far in the future',
  SAML_METADATA_ENDPOINT: 'metadata: an endpoint is not an https address',
  SAML_METADATA_FETCH: 'metadata: it could not be fetched',
  SAML_LOGOUT_REQUEST: 'logout: the request identifies no subject or has expired',
  SAML_PAOS: 'ECP: the client or the envelope does not follow the profile',
  SAML_SOAP_FAULT: 'ECP: the peer responded with a SOAP fault',
  SAML_GRANT: 'token exchange: the grant is not usable',
  SAML_TOKEN_REQUEST: 'token exchange: the authorization server refused or did not respond',
  SAML_DISCOVERY: 'discovery: the response names no known provider',
  SAML_SUBJECT_ID: 'subject identifier: malformed or outside the scopes of its provider',
} as const;

const badRequest = 400;
/** The HTTP status of a refusal, where it is not 403. */
const statuses: Partial<Record<SamlErrorCode, number>> = {
  SAML_CONFIG_INVALID: 500,
  SAML_KEY: 500,
  SAML_METADATA_INVALID: 500,
  SAML_METADATA_ENDPOINT: 500,
  SAML_STORE_UNAVAILABLE: 503,
  SAML_METADATA_FETCH: 503,
  SAML_ARTIFACT_RESOLUTION: 503,
  SAML_METADATA_EXPIRED: 503,
  SAML_HTTP_METHOD: 405,
  SAML_MESSAGE_TOO_LARGE: 413,
  SAML_PENDING_INVALID: badRequest,
  SAML_PARAMETER: badRequest,
  SAML_ENCODING: badRequest,
  SAML_XML_BYTES: badRequest,
  SAML_XML_DOCTYPE: badRequest,
  SAML_XML_MALFORMED: badRequest,
  SAML_SCHEMA_INVALID: badRequest,
  SAML_GRANT: badRequest,
  SAML_TOKEN_REQUEST: 502,
};

/** A code of the catalog. */
export type SamlErrorCode = keyof typeof samlErrors;

/** The status that a peer sent instead of Success: the outer status code, the nested ones, and its message (untrusted text). */
export interface SamlStatus {
  /** The outermost StatusCode value, a URI. */
  code: string;
  /** Nested StatusCode values from the outside in, URIs. */
  detail: string[];
  /** StatusMessage as the peer wrote it: untrusted text, never shown unescaped. */
  message: string | undefined;
}

/**
 * The error for every refusal by this package. `code` is stable, `check` names the step, the message says what was found.
 * @example
 * if (error instanceof SamlError) return new Response(error.code, { status: error.status });
 */
export class SamlError extends Error {
  override readonly name = 'SamlError';
  readonly code: SamlErrorCode;
  /** The step that failed, in words (from the catalog). */
  readonly check: string;
  /** The HTTP status to answer with: 503 for an outage that may pass, 4xx for a refusal, 500 for a configuration fault. */
  readonly status: number;
  /** Set with `SAML_STATUS`: what the identity provider answered. */
  readonly answer: SamlStatus | undefined;

  constructor(code: SamlErrorCode, message: string, options: { cause?: unknown; answer?: SamlStatus } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.check = samlErrors[code];
    this.status = statuses[code] ?? 403;
    this.answer = options.answer;
  }
}

/** Untrusted text for an error message: printable ASCII only, quoted and truncated. */
export const quote = (text: string): string => {
  const cut = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return `"${cut.replace(/[^\x20-\x7e…]|["\\]/g, found => `\\u{${found.codePointAt(0)?.toString(16)}}`)}"`;
};
