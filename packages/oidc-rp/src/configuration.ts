import { type AsymmetricAlgorithm, algorithmFacts, isHmac, type SigningAlgorithm } from './algorithms.ts';
import { type ClientAuthentication, readClientAuthentication } from './client-authentication.ts';
import { readEndpointUrl, type UrlRules } from './endpoint-url.ts';
import { type Environment, platformEnvironment } from './environment.ts';
import { OidcError } from './errors.ts';
import type { HttpParts } from './http.ts';
import { contentEncryptions, type Decryption, keyManagementAlgorithms } from './jwe.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { type ProviderMetadata, readProviderMetadata } from './provider-metadata.ts';
import { readRedirectUri } from './redirect-uri.ts';
import { MemoryReplayStore, type ReplayStore } from './replay.ts';

/** How a relying party is set up for one provider. Only the first four have no default. */
export interface RelyingPartyOptions {
  /** The issuer, exactly as the provider writes it. */
  issuer: string;
  clientId: string;
  /** How this client proves itself at the token endpoint. */
  clientAuthentication: ClientAuthentication;
  /** Where the provider sends people back. */
  redirectUri: string;
  /** Scopes of every sign-in; `openid` is always among them. */
  scopes?: readonly string[];
  /** `id_token_signed_response_alg` as registered. Default `['RS256']`. The token never chooses. */
  idTokenAlgorithms?: readonly SigningAlgorithm[];
  /** Given when encryption of ID Tokens is registered; then an unencrypted one is refused. */
  idTokenDecryption?: Decryption;
  /** Given when signing of UserInfo is registered; then an unsigned response is refused. */
  userInfoAlgorithms?: readonly AsymmetricAlgorithm[];
  /** How the callback comes: in the address (default) or as a form. */
  responseMode?: 'query' | 'form_post';
  /** Where the provider sends people after sign-out. */
  postLogoutRedirectUri?: string;
  /** Whether front-channel logout must name issuer and session. Default true. */
  frontChannelLogoutSessionRequired?: boolean;
  /** Whether a logout token must name a session. Default false. */
  backChannelLogoutSessionRequired?: boolean;
  /** By how many seconds the clocks may differ, 0 to 300. Default 0. */
  clockToleranceSeconds?: number;
  /** The provider's metadata, when there is nothing to discover. */
  metadata?: ProviderMetadata;
  /** Remembers used logout tokens; give one that all your processes see. Default: this process's memory. */
  replayStore?: ReplayStore;
  /** Asked before every outbound request; throws to forbid it. See `refusePrivateAddresses`. */
  guardUrl?: (url: URL) => Promise<void> | void;
  limits?: Partial<Limits>;
  environment?: Partial<Environment>;
  /** Accept plain http for a provider and a redirect URI on a loopback address: development and tests. */
  dangerouslyAllowLoopbackHttp?: boolean;
}

/** The options, checked and completed. */
export interface Configuration extends HttpParts {
  issuer: string;
  clientId: string;
  clientAuthentication: ClientAuthentication;
  redirectUri: string;
  scopes: readonly string[];
  idTokenAlgorithms: readonly SigningAlgorithm[];
  idTokenDecryption: Decryption | undefined;
  userInfoAlgorithms: readonly AsymmetricAlgorithm[] | undefined;
  responseMode: 'query' | 'form_post';
  postLogoutRedirectUri: string | undefined;
  frontChannelLogoutSessionRequired: boolean;
  backChannelLogoutSessionRequired: boolean;
  clockToleranceSeconds: number;
  metadata: ProviderMetadata | undefined;
  replayStore: ReplayStore;
  urlRules: UrlRules;
}

const known = new Set<string>([
  'issuer',
  'clientId',
  'clientAuthentication',
  'redirectUri',
  'scopes',
  'idTokenAlgorithms',
  'idTokenDecryption',
  'userInfoAlgorithms',
  'responseMode',
  'postLogoutRedirectUri',
  'frontChannelLogoutSessionRequired',
  'backChannelLogoutSessionRequired',
  'clockToleranceSeconds',
  'metadata',
  'replayStore',
  'guardUrl',
  'limits',
  'environment',
  'dangerouslyAllowLoopbackHttp',
] satisfies (keyof RelyingPartyOptions)[]);

const maxToleranceSeconds = 300;

/**
 * Checks the options. An option that does not exist is an error: a mistyped safeguard must not be silently absent.
 *
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`
 */
export function readConfiguration(options: RelyingPartyOptions): Configuration {
  const stranger = Object.keys(options).find(name => !known.has(name));
  if (stranger !== undefined) throw invalid('options', 'known option names', stranger);
  const urlRules = { dangerouslyAllowLoopbackHttp: options.dangerouslyAllowLoopbackHttp === true };
  const environment = { ...platformEnvironment, ...options.environment };
  const clientAuthentication = readClientAuthentication(options.clientAuthentication);
  return {
    ...readDefaults(options, environment),
    ...readAlgorithms(options, clientAuthentication),
    issuer: readIssuer(options.issuer, urlRules),
    clientId: requireText(options.clientId, 'clientId'),
    clientAuthentication,
    redirectUri: readRedirectUri(
      options.redirectUri,
      clientAuthentication.method !== 'none',
      urlRules.dangerouslyAllowLoopbackHttp,
    ),
    metadata: options.metadata && readProviderMetadata(options.metadata, options.issuer, urlRules),
    clockToleranceSeconds: readTolerance(options.clockToleranceSeconds ?? 0),
    urlRules,
    environment,
  };
}

function readDefaults(options: RelyingPartyOptions, environment: Environment) {
  return {
    scopes: [...new Set(['openid', ...(options.scopes ?? [])])],
    responseMode: options.responseMode ?? ('query' as const),
    postLogoutRedirectUri: options.postLogoutRedirectUri,
    frontChannelLogoutSessionRequired: options.frontChannelLogoutSessionRequired ?? true,
    backChannelLogoutSessionRequired: options.backChannelLogoutSessionRequired ?? false,
    replayStore: options.replayStore ?? new MemoryReplayStore(environment),
    guardUrl: options.guardUrl,
    limits: { ...defaultLimits, ...options.limits },
  };
}

function readAlgorithms(options: RelyingPartyOptions, authentication: ClientAuthentication) {
  const idTokenAlgorithms = options.idTokenAlgorithms ?? (['RS256'] as const);
  requireAlgorithms(idTokenAlgorithms, 'idTokenAlgorithms');
  if (idTokenAlgorithms.some(isHmac)) requireHmacSetup(idTokenAlgorithms, authentication);
  if (options.userInfoAlgorithms !== undefined) {
    requireAlgorithms(options.userInfoAlgorithms, 'userInfoAlgorithms');
    if (options.userInfoAlgorithms.some(isHmac)) throw invalid('userInfoAlgorithms', 'asymmetric algorithms');
  }
  const decryption = options.idTokenDecryption;
  if (decryption !== undefined) requireDecryption(decryption);
  return { idTokenAlgorithms, userInfoAlgorithms: options.userInfoAlgorithms, idTokenDecryption: decryption };
}

function requireAlgorithms(names: readonly string[], check: string): void {
  const stranger = names.find(name => !algorithmFacts.has(name));
  if (names.length === 0 || stranger !== undefined)
    throw invalid(check, `one or more of ${[...algorithmFacts.keys()].join(', ')}`, stranger ?? 'none');
}

// Algorithm confusion needs a verifier that accepts both kinds; this one never does. The key is the client secret alone.
function requireHmacSetup(names: readonly string[], authentication: ClientAuthentication): void {
  if (!names.every(isHmac)) throw invalid('idTokenAlgorithms', 'either HMAC or asymmetric algorithms, never both');
  const bytes = 'secret' in authentication ? new TextEncoder().encode(authentication.secret).length : 0;
  const needed = Math.max(...names.map(name => Number(name.slice(2)) / 8));
  if (bytes < needed)
    throw invalid('clientAuthentication.secret', `at least ${needed} bytes, as RFC 7518 §3.2 asks of an HMAC key`);
}

function requireDecryption(decryption: Decryption): void {
  if (!keyManagementAlgorithms.includes(decryption.algorithm))
    throw invalid('idTokenDecryption.algorithm', keyManagementAlgorithms.join(', '), decryption.algorithm);
  if (!contentEncryptions.includes(decryption.encryption))
    throw invalid('idTokenDecryption.encryption', contentEncryptions.join(', '), decryption.encryption);
  if (decryption.keys.length === 0) throw invalid('idTokenDecryption.keys', 'at least one key');
}

function readIssuer(issuer: string, rules: UrlRules): string {
  const url = readEndpointUrl(issuer, 'issuer', rules, 'OIDC_CONFIG_INVALID');
  if (url.search !== '' || issuer.includes('?')) throw invalid('issuer', 'a URL without a query', issuer);
  return issuer;
}

function readTolerance(seconds: number): number {
  if (!(seconds >= 0 && seconds <= maxToleranceSeconds))
    throw invalid('clockToleranceSeconds', `0 to ${maxToleranceSeconds}`, seconds);
  return seconds;
}

function requireText(value: unknown, check: string): string {
  if (typeof value !== 'string' || value === '') throw invalid(check, 'text');
  return value;
}

function invalid(check: string, expected: string, received?: unknown): OidcError {
  return new OidcError('OIDC_CONFIG_INVALID', { check, expected, received });
}
