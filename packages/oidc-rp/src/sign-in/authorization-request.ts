import type { Configuration } from '../client/configuration.ts';
import { scopeName } from '../client/options.ts';
import { readRedirectUri } from '../client/redirect-uri.ts';
import { readResource, resourceShape } from '../client/resource.ts';
import { nowSeconds, randomText } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { readJsonAnswer } from '../http/http.ts';
import { readReturnTo } from '../http/return-to.ts';
import { type ProviderMetadata, requireEndpoint } from '../issuer/provider-metadata.ts';
import { postAsClient } from '../tokens/token-request.ts';
import { dictionaryOf, flag, listOf, may, members, requireShape, text, wholeNumber } from '../values/shape.ts';
import type { PendingSignIn } from './pending-sign-in.ts';
import { createPkce, type Pkce } from './pkce.ts';

/**
 * What one sign-in requests from the provider, beyond the configuration.
 *
 * @example
 * ```ts
 * const request: SignInRequest = { returnTo: '/n/abc', prompt: 'login', maxAgeSeconds: 300 };
 * ```
 */
export interface SignInRequest {
  /** Where the person goes afterwards: a path on this site. */
  returnTo?: string | undefined;
  /** Scopes in addition to the configured ones. */
  scopes?: readonly string[] | undefined;
  /** `none`, or any of `login`, `consent`, `select_account`, separated by spaces; a provider may define more values. */
  prompt?: string | undefined;
  /** The person must have authenticated at most this many seconds before the start; checked on return. */
  maxAgeSeconds?: number | undefined;
  loginHint?: string | undefined;
  /** Requested authentication contexts, in order of preference. */
  acrValues?: readonly string[] | undefined;
  /** Refuse the sign-in when none of `acrValues` was reached. */
  requireAcr?: boolean | undefined;
  /** A redirect URI to use instead of the configured one. It must be registered like it. */
  redirectUri?: string | undefined;
  /** The APIs that the access token is for, as absolute URIs (RFC 8707). */
  resource?: string | readonly string[] | undefined;
  /** Provider-specific parameters. They cannot replace one that this package sets. */
  extraParameters?: Readonly<Record<string, string>> | undefined;
  /** Provider-specific parameters for the token request. */
  tokenParameters?: Readonly<Record<string, string>> | undefined;
}

/** Where to send the browser, and what to keep until it returns. */
export interface StartedSignIn {
  url: URL;
  pending: PendingSignIn;
}

const reserved = new Set([
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'max_age',
  'login_hint',
  'acr_values',
  'resource',
  'dpop_jkt',
  'request',
  'request_uri',
  'client_secret',
]);

const reservedForTokens = new Set([
  'grant_type',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
  'resource',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
]);

const shape = members<SignInRequest>({
  returnTo: may(() => undefined),
  scopes: may(listOf(scopeName, 'strings')),
  prompt: may(text(200)),
  maxAgeSeconds: may(wholeNumber(0)),
  loginHint: may(text(2048)),
  acrValues: may(listOf(text(), 'strings')),
  requireAcr: may(flag),
  redirectUri: may(text()),
  resource: may(resourceShape),
  extraParameters: may(dictionaryOf(text(8192), 'strings')),
  tokenParameters: may(dictionaryOf(text(8192), 'strings')),
});

/**
 * Creates an authorization request: code flow, PKCE with S256, state and nonce, all of them always fresh. When requests are
 * pushed (RFC 9126), the URL carries only the client id and the reference.
 */
export async function createAuthorizationRequest(
  configuration: Configuration,
  metadata: ProviderMetadata,
  request: SignInRequest = {},
): Promise<StartedSignIn> {
  requireShape(request, 'request', shape);
  const pkce = await createPkce(configuration.environment);
  const resource = readResource(request.resource);
  const pending = createPending(configuration, request, pkce, resource.values);
  const jkt = await configuration.dpop?.thumbprint();
  const parameters = { ...requestParameters(configuration, request, pending, pkce), dpop_jkt: jkt };
  const pairs: [string, string][] = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const all = [...pairs, ...resource.pairs];
  const pushed = pushes(configuration, metadata) ? await push(configuration, metadata, all) : undefined;
  const url = new URL(metadata.authorization_endpoint);
  for (const [name] of pushed ?? all) url.searchParams.delete(name);
  for (const [name, value] of pushed ?? all) url.searchParams.append(name, value);
  return { url, pending };
}

function createPending(
  configuration: Configuration,
  request: SignInRequest,
  pkce: Pkce,
  resource: readonly string[],
): PendingSignIn {
  const { environment } = configuration;
  const startedAt = Math.floor(nowSeconds(environment));
  return {
    issuer: configuration.issuer,
    state: randomText(environment),
    nonce: randomText(environment),
    codeVerifier: pkce.verifier,
    redirectUri:
      request.redirectUri === undefined
        ? configuration.redirectUri
        : readRedirectUri(request.redirectUri, configuration.redirectRules, 'request.redirectUri'),
    responseMode: configuration.responseMode,
    startedAt,
    expiresAt: startedAt + configuration.limits.pendingLifetimeSeconds,
    returnTo: request.returnTo === undefined ? null : readReturnTo(request.returnTo, 'request.returnTo'),
    maxAgeSeconds: request.maxAgeSeconds ?? null,
    acrValues: request.requireAcr ? requireAcrValues(request.acrValues) : null,
    resource: resource.length === 0 ? null : resource,
    tokenParameters:
      request.tokenParameters === undefined ? null : readTokenParameters(request.tokenParameters, 'request.tokenParameters'),
  };
}

function requestParameters(
  configuration: Configuration,
  request: SignInRequest,
  pending: PendingSignIn,
  pkce: Pkce,
): Record<string, string | undefined> {
  const scopes = [...new Set([...configuration.scopes, ...(request.scopes ?? [])])];
  return {
    ...requireExtra(request.extraParameters ?? {}, reserved, 'request.extraParameters'),
    response_type: 'code',
    response_mode: pending.responseMode === 'query' ? undefined : pending.responseMode,
    client_id: configuration.clientId,
    redirect_uri: pending.redirectUri,
    scope: scopes.join(' '),
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    prompt: promptFor(request.prompt, scopes, configuration.consentForOfflineAccess),
    max_age: request.maxAgeSeconds?.toString(),
    login_hint: request.loginHint,
    acr_values: request.acrValues?.length ? request.acrValues.join(' ') : undefined,
  };
}

// OpenID Connect Core §11: a refresh token for offline access needs the person's consent now.
function promptFor(prompt: string | undefined, scopes: readonly string[], consents: boolean): string | undefined {
  const words = new Set(prompt?.split(' ').filter(word => word !== '') ?? []);
  if (words.has('none') && words.size > 1) throw invalid('request.prompt', '"none" alone');
  if (consents && scopes.includes('offline_access') && !words.has('none')) words.add('consent');
  return words.size === 0 ? undefined : [...words].join(' ');
}

function pushes(configuration: Configuration, metadata: ProviderMetadata): boolean {
  if (configuration.securityProfile === 'fapi2' || configuration.pushesRequests === 'always') return true;
  return metadata.require_pushed_authorization_requests === true;
}

/** Pushes the request to the provider (RFC 9126): nobody can read it in the address bar or change it there. */
async function push(
  configuration: Configuration,
  metadata: ProviderMetadata,
  pairs: [string, string][],
): Promise<[string, string][]> {
  const endpoint = requireEndpoint(metadata, 'pushed_authorization_request_endpoint');
  const answer = await postAsClient(configuration, endpoint, 'pushed_request', pairs, [200, 201]);
  const { request_uri: reference } = readJsonAnswer(answer, 'pushed_request');
  if (typeof reference !== 'string' || reference.length > 4096 || !/^[\x21-\x7e]+$/.test(reference)) {
    throw new OidcError('OIDC_TOKEN_RESPONSE', {
      check: 'pushed_request.request_uri',
      expected: '1 to 4096 printable ASCII characters',
    });
  }
  return [
    ['client_id', configuration.clientId],
    ['request_uri', reference],
  ];
}

/** Reads provider-specific parameters for the token endpoint. */
export function readTokenParameters(given: Readonly<Record<string, string>>, check: string): Readonly<Record<string, string>> {
  return requireExtra(given, reservedForTokens, check);
}

function requireExtra(
  extra: Readonly<Record<string, string>>,
  taken: ReadonlySet<string>,
  check: string,
): Readonly<Record<string, string>> {
  const stranger = Object.keys(extra).find(name => taken.has(name));
  if (stranger !== undefined) throw invalid(check, 'only names that this package does not set itself', stranger);
  return { ...extra };
}

function requireAcrValues(values: readonly string[] | undefined): readonly string[] {
  if (values === undefined || values.length === 0)
    throw invalid('request.acrValues', 'at least one value when requireAcr is set');
  return [...values];
}

function invalid(check: string, expected: string, received?: unknown): OidcError {
  return new OidcError('OIDC_CONFIG_INVALID', { check, expected, received });
}
