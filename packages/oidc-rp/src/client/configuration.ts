import { type Environment, readEnvironment } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { readEndpointUrl, type UrlRules } from '../http/endpoint-url.ts';
import type { HttpParts } from '../http/http.ts';
import { type IssuerRule, readIssuerRule } from '../issuer/issuer-rule.ts';
import { type ProviderMetadata, readProviderMetadata } from '../issuer/provider-metadata.ts';
import { type AsymmetricAlgorithm, isHmac, type SigningAlgorithm } from '../keys/algorithms.ts';
import type { Decryption } from '../keys/jwe.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { requireShape } from '../values/shape.ts';
import type { ClientAuthentication } from './client-authentication.ts';
import { DpopProver } from './dpop.ts';
import { requireFapi2 } from './fapi.ts';
import { optionsShape, type RelyingPartyOptions, type ResponseMode } from './options.ts';
import { type RedirectRules, readRedirectUri } from './redirect-uri.ts';
import { MemoryReplayStore, type ReplayStore } from './replay.ts';

/** The options, checked and completed. */
export interface Configuration extends HttpParts {
  issuer: string;
  /** Which issuers a token may name: the provider's own, or those of its tenants. */
  issuerRule: IssuerRule;
  clientId: string;
  clientAuthentication: ClientAuthentication;
  redirectUri: string;
  redirectRules: RedirectRules;
  scopes: readonly string[];
  idTokenAlgorithms: readonly SigningAlgorithm[];
  idTokenDecryption: Decryption | undefined;
  userInfoAlgorithms: readonly AsymmetricAlgorithm[] | undefined;
  responseMode: ResponseMode;
  authorizationResponseAlgorithms: readonly AsymmetricAlgorithm[];
  pushesRequests: 'when-required' | 'always';
  dpop: DpopProver | undefined;
  securityProfile: 'fapi2' | undefined;
  consentForOfflineAccess: boolean;
  postLogoutRedirectUri: string | undefined;
  frontChannelLogoutSessionRequired: boolean;
  backChannelLogoutSessionRequired: boolean;
  clockToleranceSeconds: number;
  metadata: ProviderMetadata | undefined;
  /** Remembers used logout tokens. */
  replayStore: ReplayStore;
  /** Remembers answered sign-ins. In memory it is a separate store: a flood of callbacks must not push out logout tokens. */
  answered: ReplayStore;
  urlRules: UrlRules;
}

/**
 * Checks the options. An unknown option is an error: a mistyped safeguard must not be silently absent.
 *
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`, with the path of the option
 */
export function readConfiguration(options: RelyingPartyOptions): Configuration {
  requireShape(options, 'options', optionsShape);
  const urlRules = { dangerouslyAllowLoopbackHttp: options.dangerouslyAllowLoopbackHttp === true };
  const environment = readEnvironment(options);
  const issuer = readIssuer(options.issuer, urlRules);
  const issuerRule = readIssuerRule(issuer, options.entraTenants);
  const configuration: Configuration = {
    ...readDefaults(options, environment),
    ...readAlgorithms(options),
    ...readAddresses(options),
    issuer,
    issuerRule,
    clientId: options.clientId,
    clientAuthentication: options.clientAuthentication,
    metadata: options.metadata && readProviderMetadata(options.metadata, issuerRule, urlRules),
    dpop: options.dpop && new DpopProver(options.dpop, environment),
    urlRules,
    environment,
  };
  if (configuration.securityProfile === 'fapi2') requireFapi2(configuration);
  return configuration;
}

function readDefaults(options: RelyingPartyOptions, environment: Environment) {
  const { replayStore } = options;
  const clock = { now: () => new Date(environment.now()) };
  const limits: Limits = { ...defaultLimits, ...defined(options.limits ?? {}) };
  if (limits.minCacheSeconds > limits.maxCacheSeconds) throw invalid('limits.minCacheSeconds', 'at most maxCacheSeconds');
  return {
    scopes: [...new Set(['openid', ...(options.scopes ?? [])])],
    responseMode: options.responseMode ?? ('query' as const),
    pushesRequests: options.pushedAuthorizationRequests ?? ('when-required' as const),
    securityProfile: options.securityProfile,
    consentForOfflineAccess: options.consentForOfflineAccess ?? true,
    frontChannelLogoutSessionRequired: options.frontChannelLogoutSessionRequired ?? true,
    backChannelLogoutSessionRequired: options.backChannelLogoutSessionRequired ?? false,
    clockToleranceSeconds: options.clockToleranceSeconds ?? 30,
    replayStore: replayStore ?? new MemoryReplayStore(clock),
    answered: replayStore ?? new MemoryReplayStore(clock),
    guardUrl: options.guardUrl,
    limits,
  };
}

// A limit given as undefined keeps its default: as NaN it would limit nothing.
function defined<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function readAddresses(options: RelyingPartyOptions) {
  const isPublic = options.clientAuthentication.method === 'none';
  const redirectRules: RedirectRules = {
    applicationType: options.applicationType ?? (isPublic ? 'native' : 'web'),
    dangerouslyAllowLoopbackHttp: options.dangerouslyAllowLoopbackHttp === true,
    dangerouslyAllowLocalhostRedirect: options.dangerouslyAllowLocalhostRedirect === true,
  };
  const after = options.postLogoutRedirectUri;
  return {
    redirectRules,
    redirectUri: readRedirectUri(options.redirectUri, redirectRules, 'options.redirectUri'),
    postLogoutRedirectUri:
      after === undefined ? undefined : readRedirectUri(after, redirectRules, 'options.postLogoutRedirectUri'),
  };
}

function readAlgorithms(options: RelyingPartyOptions) {
  const idTokenAlgorithms = [...(options.idTokenAlgorithms ?? (['RS256'] as const))];
  if (idTokenAlgorithms.some(isHmac)) requireHmacSetup(idTokenAlgorithms, options.clientAuthentication);
  const signers = idTokenAlgorithms.filter((name): name is AsymmetricAlgorithm => !isHmac(name));
  const authorizationResponseAlgorithms = [...(options.authorizationResponseAlgorithms ?? signers)];
  if (options.responseMode?.endsWith('.jwt') && authorizationResponseAlgorithms.length === 0)
    throw invalid('authorizationResponseAlgorithms', 'at least one asymmetric algorithm for a signed response');
  return {
    idTokenAlgorithms,
    authorizationResponseAlgorithms,
    userInfoAlgorithms: options.userInfoAlgorithms && [...options.userInfoAlgorithms],
    idTokenDecryption: options.idTokenDecryption,
  };
}

// Algorithm confusion needs a verifier that accepts both kinds; this one never does. The only HMAC key is the client secret.
function requireHmacSetup(names: readonly string[], authentication: ClientAuthentication): void {
  if (!names.every(isHmac)) throw invalid('idTokenAlgorithms', 'either HMAC or asymmetric algorithms, never both');
  const secret = 'secret' in authentication ? authentication.secret : '';
  if (typeof secret !== 'string')
    throw invalid('clientAuthentication.secret', 'text, because it is also the key of the ID Tokens');
  const needed = Math.max(...names.map(name => Number(name.slice(2)) / 8));
  if (new TextEncoder().encode(secret).length < needed)
    throw invalid('clientAuthentication.secret', `at least ${needed} bytes, as RFC 7518 §3.2 requires for an HMAC key`);
}

function readIssuer(issuer: string, rules: UrlRules): string {
  const url = readEndpointUrl(issuer, 'options.issuer', rules, 'OIDC_CONFIG_INVALID');
  if (url.search !== '' || issuer.includes('?')) throw invalid('issuer', 'a URL without a query', issuer);
  return issuer;
}

function invalid(option: string, expected: string, received?: unknown): OidcError {
  return new OidcError('OIDC_CONFIG_INVALID', { check: `options.${option}`, expected, received });
}
