import type { Configuration } from './configuration.ts';
import { nowSeconds, randomText } from './environment.ts';
import { OidcError } from './errors.ts';
import type { PendingSignIn } from './pending-sign-in.ts';
import { createPkce, type Pkce } from './pkce.ts';
import type { ProviderMetadata } from './provider-metadata.ts';
import { readReturnPath } from './return-path.ts';

/** What one sign-in asks of the provider, beyond the configuration. */
export interface SignInRequest {
  /** Where the person goes afterwards: a path on this site. */
  returnPath?: string;
  /** Scopes besides the configured ones. */
  scopes?: readonly string[];
  /** `none`, or any of `login`, `consent`, `select_account`, separated by spaces. */
  prompt?: string;
  /** The person must have authenticated within so many seconds; checked on return. */
  maxAgeSeconds?: number;
  loginHint?: string;
  /** Wanted authentication contexts, the best first. */
  acrValues?: readonly string[];
  /** Refuse the sign-in when none of `acrValues` was reached. */
  requireAcr?: boolean;
  /** Parameters of the provider's own. They cannot replace one that this package sets. */
  extraParameters?: Readonly<Record<string, string>>;
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
  'request',
  'request_uri',
  'client_secret',
]);

/** Makes an authorization request: code flow, PKCE with S256, state and nonce, each of them fresh, always. */
export async function createAuthorizationRequest(
  configuration: Configuration,
  metadata: ProviderMetadata,
  request: SignInRequest = {},
): Promise<StartedSignIn> {
  const { environment } = configuration;
  const pkce = await createPkce(environment);
  const pending: PendingSignIn = {
    issuer: configuration.issuer,
    state: randomText(environment),
    nonce: randomText(environment),
    codeVerifier: pkce.verifier,
    redirectUri: configuration.redirectUri,
    responseMode: configuration.responseMode,
    expiresAt: Math.floor(nowSeconds(environment)) + configuration.limits.pendingLifetimeSeconds,
    ...(request.returnPath === undefined ? {} : { returnPath: readReturnPath(request.returnPath) }),
    ...(request.maxAgeSeconds === undefined ? {} : { maxAgeSeconds: requireAge(request.maxAgeSeconds) }),
    ...(request.requireAcr ? { acrValues: requireAcrValues(request.acrValues) } : {}),
  };
  const url = new URL(metadata.authorization_endpoint);
  for (const [name, value] of Object.entries(parameters(configuration, request, pending, pkce))) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return { url, pending };
}

function parameters(
  configuration: Configuration,
  request: SignInRequest,
  pending: PendingSignIn,
  pkce: Pkce,
): Record<string, string | undefined> {
  const scopes = [...new Set([...configuration.scopes, ...(request.scopes ?? [])])];
  return {
    ...requireExtra(request.extraParameters ?? {}),
    response_type: 'code',
    response_mode: pending.responseMode === 'query' ? undefined : pending.responseMode,
    client_id: configuration.clientId,
    redirect_uri: pending.redirectUri,
    scope: scopes.join(' '),
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    prompt: promptFor(request.prompt, scopes),
    max_age: request.maxAgeSeconds?.toString(),
    login_hint: request.loginHint,
    acr_values: request.acrValues?.join(' '),
  };
}

// OpenID Connect Core §11: a refresh token for later needs the person's consent now.
function promptFor(prompt: string | undefined, scopes: readonly string[]): string | undefined {
  const words = new Set(prompt?.split(' ').filter(word => word !== '') ?? []);
  if (words.has('none') && words.size > 1) throw invalid('prompt', '"none" alone');
  if (scopes.includes('offline_access') && !words.has('none')) words.add('consent');
  return words.size === 0 ? undefined : [...words].join(' ');
}

function requireExtra(extra: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const taken = Object.keys(extra).find(name => reserved.has(name));
  if (taken !== undefined) throw invalid('extraParameters', 'names that this package does not set itself', taken);
  return extra;
}

function requireAge(seconds: number): number {
  if (!Number.isInteger(seconds) || seconds < 0) throw invalid('maxAgeSeconds', 'whole seconds, 0 or more', seconds);
  return seconds;
}

function requireAcrValues(values: readonly string[] | undefined): readonly string[] {
  if (values === undefined || values.length === 0) throw invalid('acrValues', 'at least one value when requireAcr is set');
  return values;
}

function invalid(check: string, expected: string, received?: unknown): OidcError {
  return new OidcError('OIDC_CONFIG_INVALID', { check, expected, received });
}
