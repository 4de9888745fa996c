import type { Configuration } from '../client/configuration.ts';
import { claimOnce, replayKey } from '../client/replay.ts';
import { nowSeconds } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { type IncomingParameters, type IncomingRequest, readIncoming } from '../http/incoming-request.ts';
import type { ProviderMetadata } from '../issuer/provider-metadata.ts';
import type { KeySource } from '../keys/jwks.ts';
import { isSameText } from '../values/same-text.ts';
import { readAuthorizationResponse } from './jarm.ts';
import { type PendingSignIn, readPendingSignIn } from './pending-sign-in.ts';

const maxCodeLength = 4096;
const fragmentOnly = ['access_token', 'id_token', 'token_type', 'expires_in', 'response'];

/** The facts that a callback is checked against. */
export interface CallbackParts {
  configuration: Configuration;
  metadata: Pick<ProviderMetadata, 'authorization_response_iss_parameter_supported'>;
  /** The published keys, for signed responses. */
  keys: KeySource;
}

/**
 * Reads the authorization response (RFC 6749 §4.1.2, RFC 9207). The state is checked first: if a response does not belong to this
 * browser's sign-in, not even its error text is read, which an attacker may have written.
 *
 * @returns the code, and the pending sign-in that it belongs to
 * @throws {@link OidcError} `OIDC_CALLBACK_…`, `OIDC_PENDING_…`, `OIDC_PROVIDER_ERROR`
 */
export async function readCallback(
  parts: CallbackParts,
  request: IncomingRequest,
  kept: unknown,
): Promise<{ code: string; pending: PendingSignIn }> {
  const { configuration } = parts;
  const { responseMode } = configuration;
  const incoming = await readIncoming(request, {
    subject: 'callback',
    methods: [responseMode.startsWith('form_post') ? 'POST' : 'GET'],
    maxBytes: configuration.limits.maxRequestBytes,
    malformed: 'OIDC_CALLBACK_MALFORMED',
    duplicate: 'OIDC_CALLBACK_DUPLICATE',
  });
  const pending = readPendingSignIn(kept);
  const signed = responseMode.endsWith('.jwt');
  const response = signed ? await readAuthorizationResponse(configuration, parts.keys, incoming) : incoming;
  requireBelonging(response, pending, configuration);
  await requireUnanswered(configuration, pending);
  checkIssuer(parts, response, signed);
  checkProviderError(response);
  return { code: readCode(response), pending };
}

function requireBelonging(incoming: IncomingParameters, pending: PendingSignIn, configuration: Configuration): void {
  const state = incoming.parameters.get('state');
  if (state === undefined || !isSameText(state, pending.state))
    throw new OidcError('OIDC_CALLBACK_STATE', { check: 'callback.state' });
  // Mix-up attack: a code from one provider must not be sent to the token endpoint of another.
  if (pending.issuer !== configuration.issuer) {
    throw new OidcError('OIDC_CALLBACK_ISS', {
      check: 'pending.issuer',
      expected: configuration.issuer,
      received: pending.issuer,
    });
  }
  // Only the path is compared: behind a proxy the server does not know its own origin.
  const path = URL.canParse(pending.redirectUri) ? new URL(pending.redirectUri).pathname : undefined;
  if (incoming.pathname !== path)
    throw new OidcError('OIDC_CALLBACK_URL', { check: 'callback.path', expected: path, received: incoming.pathname });
  if (pending.expiresAt <= nowSeconds(configuration.environment))
    throw new OidcError('OIDC_PENDING_EXPIRED', { check: 'pending.expiresAt' });
}

async function requireUnanswered({ answered, issuer }: Configuration, pending: PendingSignIn): Promise<void> {
  const key = await replayKey('state', issuer, pending.state);
  if (!(await claimOnce(answered, key, pending.expiresAt, 'pending.state')))
    throw new OidcError('OIDC_PENDING_USED', { check: 'pending.state' });
}

function checkIssuer({ configuration, metadata }: CallbackParts, incoming: IncomingParameters, signed: boolean): void {
  const iss = incoming.parameters.get('iss');
  const expected = configuration.issuer;
  const promised = metadata.authorization_response_iss_parameter_supported === true || configuration.securityProfile === 'fapi2';
  // A signed response names its issuer in the JWT (JARM §2.4), where it was already checked.
  if (iss === undefined ? promised && !signed : !configuration.issuerRule.acceptsBare(iss))
    throw new OidcError('OIDC_CALLBACK_ISS', { check: 'callback.iss', expected, received: iss ?? 'none' });
}

function checkProviderError({ parameters }: IncomingParameters): void {
  const error = parameters.get('error');
  if (error === undefined) return;
  if (parameters.has('code'))
    throw new OidcError('OIDC_CALLBACK_MALFORMED', { check: 'callback', expected: 'a code or an error, not both' });
  const providerDescription = parameters.get('error_description') ?? '';
  throw new OidcError('OIDC_PROVIDER_ERROR', { check: 'callback.error', providerError: error, providerDescription });
}

function readCode({ parameters }: IncomingParameters): string {
  const stray = fragmentOnly.find(name => parameters.has(name));
  // We never request tokens in the address bar, where history and logs would keep them.
  if (stray !== undefined)
    throw new OidcError('OIDC_CALLBACK_MALFORMED', { check: `callback.${stray}`, expected: 'only a code' });
  const code = parameters.get('code');
  if (code === undefined || code.length > maxCodeLength || !/^[\x20-\x7e]+$/.test(code)) {
    throw new OidcError('OIDC_CALLBACK_CODE', { check: 'callback.code', expected: `1 to ${maxCodeLength} ASCII characters` });
  }
  return code;
}
