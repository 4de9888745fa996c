import type { Configuration } from './configuration.ts';
import { nowSeconds } from './environment.ts';
import { OidcError } from './errors.ts';
import { type IncomingParameters, type IncomingRequest, readIncoming } from './incoming-request.ts';
import type { PendingSignIn } from './pending-sign-in.ts';
import type { ProviderMetadata } from './provider-metadata.ts';
import type { ReplayStore } from './replay.ts';
import { isSameText } from './same-text.ts';

const maxCodeLength = 4096;
const fragmentOnly = ['access_token', 'id_token', 'token_type', 'expires_in', 'response'];

/** What a callback is judged by. */
export interface CallbackParts {
  configuration: Configuration;
  metadata: Pick<ProviderMetadata, 'authorization_response_iss_parameter_supported'>;
  /** Remembers the states that were answered, so that each is answered once. */
  answered: ReplayStore;
}

/**
 * Reads the authorization response (RFC 6749 §4.1.2, RFC 9207). State comes first: a response that does not belong to this browser's sign-in is not even
 * read for its error text, which an attacker may have written.
 *
 * @returns the code
 * @throws {@link OidcError} `OIDC_CALLBACK_…`, `OIDC_PENDING_…`, `OIDC_PROVIDER_ERROR`
 */
export async function readCallback(
  parts: CallbackParts,
  request: IncomingRequest,
  pending: PendingSignIn | undefined,
): Promise<string> {
  const { configuration } = parts;
  const incoming = await readIncoming(request, {
    subject: 'callback',
    methods: [configuration.responseMode === 'form_post' ? 'POST' : 'GET'],
    maxBytes: configuration.limits.maxRequestBytes,
    malformed: 'OIDC_CALLBACK_MALFORMED',
    duplicate: 'OIDC_CALLBACK_DUPLICATE',
  });
  const started = requirePending(incoming, pending, configuration);
  await requireUnanswered(parts, started);
  checkIssuer(parts, incoming);
  checkProviderError(incoming);
  return readCode(incoming);
}

function requirePending(
  incoming: IncomingParameters,
  pending: PendingSignIn | undefined,
  configuration: Configuration,
): PendingSignIn {
  const state = incoming.parameters.get('state');
  if (pending === undefined || state === undefined || !isSameText(state, pending.state)) {
    throw new OidcError('OIDC_CALLBACK_STATE', { check: 'callback.state' });
  }
  // Mix-up: the answer to a sign-in at one provider must not be taken to the token endpoint of another.
  if (pending.issuer !== configuration.issuer) {
    throw new OidcError('OIDC_CALLBACK_ISS', {
      check: 'pending.issuer',
      expected: configuration.issuer,
      received: pending.issuer,
    });
  }
  // Only the path: behind a proxy the server does not know its own origin.
  const path = new URL(pending.redirectUri).pathname;
  if (incoming.pathname !== path)
    throw new OidcError('OIDC_CALLBACK_URL', { check: 'callback.path', expected: path, received: incoming.pathname });
  if (pending.expiresAt <= nowSeconds(configuration.environment))
    throw new OidcError('OIDC_PENDING_EXPIRED', { check: 'pending.expiresAt' });
  return pending;
}

async function requireUnanswered(parts: CallbackParts, pending: PendingSignIn): Promise<void> {
  if (!(await parts.answered.use(pending.state, pending.expiresAt)))
    throw new OidcError('OIDC_PENDING_USED', { check: 'pending.state' });
}

function checkIssuer(parts: CallbackParts, incoming: IncomingParameters): void {
  const iss = incoming.parameters.get('iss');
  const expected = parts.configuration.issuer;
  const promised = parts.metadata.authorization_response_iss_parameter_supported === true;
  if (iss === undefined ? promised : iss !== expected)
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
  // No token was asked for in the address bar, where history and logs would keep it.
  if (stray !== undefined)
    throw new OidcError('OIDC_CALLBACK_MALFORMED', { check: `callback.${stray}`, expected: 'a code alone' });
  const code = parameters.get('code');
  if (code === undefined || code.length > maxCodeLength || !/^[\x20-\x7e]+$/.test(code)) {
    throw new OidcError('OIDC_CALLBACK_CODE', { check: 'callback.code', expected: `1 to ${maxCodeLength} ASCII characters` });
  }
  return code;
}
