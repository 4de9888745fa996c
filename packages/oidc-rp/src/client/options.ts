import type { Clock, Environment } from '../environment.ts';
import { isTenantId } from '../issuer/issuer-rule.ts';
import type { ProviderMetadata } from '../issuer/provider-metadata.ts';
import { type AsymmetricAlgorithm, algorithmFacts, isHmac, type SigningAlgorithm } from '../keys/algorithms.ts';
import { type Decryption, decryptionShape } from '../keys/jwe.ts';
import { type Limits, limitsShape } from '../limits.ts';
import { type Check, callable, flag, listOf, may, members, must, numberIn, oneOf, text, that } from '../values/shape.ts';
import { type ClientAuthentication, clientAuthenticationShape } from './client-authentication.ts';
import { type DpopSetting, dpopShape } from './dpop.ts';
import type { ReplayStore } from './replay.ts';

/** How the authorization response comes back: in the URL, as a form, or as a signed JWT in either of them (JARM). */
export type ResponseMode = 'query' | 'form_post' | 'query.jwt' | 'form_post.jwt';

/**
 * How a relying party is set up for one provider. Only the first four have no default. Everything is checked when the relying
 * party is created: types, ranges, unknown names; the error names the path, such as `options.scopes`.
 *
 * @example
 * ```ts
 * const options: RelyingPartyOptions = {
 *   issuer: 'https://op.example.org',
 *   clientId: 'notes',
 *   clientAuthentication: { method: 'client_secret_basic', secret: opSecret },
 *   redirectUri: 'https://notes.example.org/callback',
 * };
 * ```
 */
export interface RelyingPartyOptions extends Clock {
  /** The issuer, exactly as the provider writes it. */
  issuer: string;
  clientId: string;
  /** How this client authenticates at the token endpoint. */
  clientAuthentication: ClientAuthentication;
  /** Where the provider sends people back. */
  redirectUri: string;
  /**
   * `native`: an installed program, which may use a loopback address or a private-use scheme as its redirect URI (RFC 8252).
   * Default: `native` for public clients, `web` for those with a secret or a key.
   */
  applicationType?: 'web' | 'native' | undefined;
  /** Scopes of every sign-in; `openid` is always included. */
  scopes?: readonly string[] | undefined;
  /** `id_token_signed_response_alg` as registered. Default `['RS256']`. The token never chooses. */
  idTokenAlgorithms?: readonly SigningAlgorithm[] | undefined;
  /** Set it when encryption of ID Tokens is registered; unencrypted ones are then refused. */
  idTokenDecryption?: Decryption | undefined;
  /** Set it when signing of UserInfo is registered; unsigned responses are then refused. */
  userInfoAlgorithms?: readonly AsymmetricAlgorithm[] | undefined;
  /** How the callback arrives. Default `query`. */
  responseMode?: ResponseMode | undefined;
  /** `authorization_signed_response_alg` as registered, for the two signed response modes. Default: the asymmetric ones of `idTokenAlgorithms`. */
  authorizationResponseAlgorithms?: readonly AsymmetricAlgorithm[] | undefined;
  /** Whether authorization requests are pushed to the provider first (RFC 9126). Default `when-required`: when its metadata demands it. */
  pushedAuthorizationRequests?: 'when-required' | 'always' | undefined;
  /** Binds tokens to a key that only this client has (RFC 9449). A plain Bearer token is then refused. */
  dpop?: DpopSetting | undefined;
  /** `fapi2`: refuses, when the relying party is created, any option that the FAPI 2.0 Security Profile forbids. Default: no profile. */
  securityProfile?: 'fapi2' | undefined;
  /**
   * For Microsoft Entra ID with the issuer `https://login.microsoftonline.com/common/v2.0` or `…/organizations/v2.0`: which
   * tenants may sign in, as a list of their ids, or `any`. The issuer of each token must then be that of its own `tid`.
   */
  entraTenants?: 'any' | readonly string[] | undefined;
  /** Whether `offline_access` adds `prompt=consent`, as OpenID Connect Core §11 asks. Default true; some providers do not need it. */
  consentForOfflineAccess?: boolean | undefined;
  /** Where the provider sends people after sign-out. */
  postLogoutRedirectUri?: string | undefined;
  /** Whether a front-channel logout must name issuer and session. Default true. */
  frontChannelLogoutSessionRequired?: boolean | undefined;
  /** Whether a logout token must name a session. Default false. */
  backChannelLogoutSessionRequired?: boolean | undefined;
  /** How many seconds the clocks may differ, 0 to 300. Default 30. */
  clockToleranceSeconds?: number | undefined;
  /** The provider's metadata, if it offers no discovery. */
  metadata?: ProviderMetadata | undefined;
  /** Remembers answered sign-ins and used logout tokens; give one that all your processes share. Default: this process's memory. */
  replayStore?: ReplayStore | undefined;
  /** Called before every outbound request; throws to forbid it. See `refusePrivateAddresses`. */
  guardUrl?: ((url: URL) => Promise<void> | void) | undefined;
  limits?: Partial<Limits> | undefined;
  /** Calls the provider; must honor `redirect: 'manual'`. Default: the platform's. */
  fetch?: Environment['fetch'] | undefined;
  /** Returns that many bytes from a cryptographic generator. Default: WebCrypto. */
  randomBytes?: Environment['randomBytes'] | undefined;
  /** Accept plain http for a provider and a redirect URI on a loopback address: development and tests. */
  dangerouslyAllowLoopbackHttp?: boolean | undefined;
  /** Accept `http://localhost` as the redirect URI of a native client, if its provider registers nothing else. */
  dangerouslyAllowLocalhostRedirect?: boolean | undefined;
}

/** A scope token (RFC 6749 §3.3): printable ASCII without space, quote and backslash. */
export const scopeName: Check = that(
  'a scope without spaces',
  value => typeof value === 'string' && value.length <= 200 && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value),
);

const asymmetric = [...algorithmFacts.keys()].filter(name => !isHmac(name));
const guid = that('a tenant id, a GUID in lower case', value => typeof value === 'string' && isTenantId(value));
const someTenants = listOf(guid, 'tenant ids', 1);
const anyTenant = that('any, or an array of tenant ids', value => value === 'any');
const anObject = that('an object', value => typeof value === 'object' && value !== null && !Array.isArray(value));

const replayStore: Check = (value, path) => anObject(value, path) ?? claimAndRelease(value as ReplayStore, path);

// An instance of the caller's own class, which may have more members than these.
function claimAndRelease(store: ReplayStore, path: string) {
  return callable(store.claim, `${path}.claim`) ?? callable(store.release, `${path}.release`);
}

/** The shape of {@link RelyingPartyOptions}. Rules that involve several options are checked where they are completed. */
export const optionsShape: Check = members<RelyingPartyOptions>({
  issuer: must(text()),
  clientId: must(text()),
  clientAuthentication: must(clientAuthenticationShape),
  redirectUri: must(text()),
  applicationType: may(oneOf(['web', 'native'])),
  scopes: may(listOf(scopeName, 'strings')),
  idTokenAlgorithms: may(listOf(oneOf([...algorithmFacts.keys()]), 'algorithms', 1)),
  idTokenDecryption: may(decryptionShape),
  userInfoAlgorithms: may(listOf(oneOf(asymmetric), 'asymmetric algorithms', 1)),
  responseMode: may(oneOf(['query', 'form_post', 'query.jwt', 'form_post.jwt'] satisfies ResponseMode[])),
  authorizationResponseAlgorithms: may(listOf(oneOf(asymmetric), 'asymmetric algorithms', 1)),
  pushedAuthorizationRequests: may(oneOf(['when-required', 'always'])),
  dpop: may(dpopShape),
  securityProfile: may(oneOf(['fapi2'])),
  entraTenants: may((value, path) => (Array.isArray(value) ? someTenants : anyTenant)(value, path)),
  consentForOfflineAccess: may(flag),
  postLogoutRedirectUri: may(text()),
  frontChannelLogoutSessionRequired: may(flag),
  backChannelLogoutSessionRequired: may(flag),
  clockToleranceSeconds: may(numberIn(0, 300)),
  metadata: may(anObject),
  replayStore: may(replayStore),
  guardUrl: may(callable),
  limits: may(limitsShape),
  now: may(callable),
  fetch: may(callable),
  randomBytes: may(callable),
  dangerouslyAllowLoopbackHttp: may(flag),
  dangerouslyAllowLocalhostRedirect: may(flag),
});
