import { type Configuration, readConfiguration } from './client/configuration.ts';
import { requireProofRequest } from './client/dpop.ts';
import type { RelyingPartyOptions } from './client/options.ts';
import { nowSeconds } from './environment.ts';
import { OidcError } from './errors.ts';
import type { IncomingRequest } from './http/incoming-request.ts';
import { type ProviderMetadata, requireEndpoint } from './issuer/provider-metadata.ts';
import { readKeyHint } from './keys/jwks.ts';
import { answerBackChannelLogout, type BackChannelLogout, readBackChannelLogout } from './logout/backchannel-logout.ts';
import { type FrontChannelLogout, readFrontChannelLogout } from './logout/frontchannel-logout.ts';
import {
  createLogoutRequest,
  type PendingSignOut,
  readLogoutReturn,
  type SignOutRequest,
  type SignOutReturn,
  type StartedSignOut,
} from './logout/rp-logout.ts';
import { createProvider, type Provider } from './provider/provider.ts';
import { type RefreshRequest, renewed, requestRefresh, requireRefreshToken } from './refresh/refresh.ts';
import { RefreshFlights } from './refresh/refresh-flights.ts';
import type { Refreshable } from './refresh/refreshable.ts';
import {
  createAuthorizationRequest,
  readTokenParameters,
  type SignInRequest,
  type StartedSignIn,
} from './sign-in/authorization-request.ts';
import { readCallback } from './sign-in/callback.ts';
import { codeGrant } from './sign-in/code-grant.ts';
import {
  type PendingDeviceSignIn,
  pollForTokens,
  readPendingDevice,
  type StartedDeviceSignIn,
  startDeviceSignIn,
} from './sign-in/device-sign-in.ts';
import {
  exchangeToken,
  requestClientCredentials,
  type TokenExchangeRequest,
  type TokenRequest,
  tokenRequestShape,
} from './sign-in/grants.ts';
import type { PendingSignIn } from './sign-in/pending-sign-in.ts';
import { completeSignIn, type SignIn } from './sign-in/sign-in.ts';
import { readThirdPartySignIn, type ThirdPartySignIn } from './sign-in/third-party-sign-in.ts';
import { waitFor } from './sign-in/wait.ts';
import type { Identity, IdTokenClaims } from './tokens/claims.ts';
import { type IdTokenExpectations, requireExpectations, validateIdToken } from './tokens/id-token.ts';
import { type Introspection, introspectToken } from './tokens/introspection.ts';
import { type RevocationHint, requireToken, revokeToken } from './tokens/revocation.ts';
import { type ExchangedToken, requestTokens, type TokenSet } from './tokens/token-request.ts';
import { fetchUserInfo, requireAsker, type UserInfo } from './tokens/userinfo.ts';
import { requireShape } from './values/shape.ts';

/**
 * A relying party of one OpenID provider. Create one per provider and keep it: it holds the provider's metadata and keys. It
 * keeps no sessions; what it returns is yours to store. {@link OidcError} is the only error that methods throw on purpose.
 *
 * @example
 * ```ts
 * const relyingParty = new RelyingParty({
 *   issuer: 'https://op.example.org',
 *   clientId: 'notes',
 *   clientAuthentication: { method: 'client_secret_basic', secret: opSecret },
 *   redirectUri: 'https://notes.example.org/callback',
 * });
 * const { url, pending } = await relyingParty.startSignIn({ returnTo: '/' });
 * // send the browser to url; when it is back at the callback:
 * const signIn = await relyingParty.finishSignIn(request, pending);
 * ```
 */
export class RelyingParty {
  /** The provider's issuer. */
  readonly issuer: string;
  /** This client's id at the provider. */
  readonly clientId: string;
  readonly #configuration: Configuration;
  readonly #provider: Provider;
  readonly #refreshes: RefreshFlights;

  /** @throws {@link OidcError} `OIDC_CONFIG_INVALID`. Nothing is fetched yet. */
  constructor(options: RelyingPartyOptions) {
    this.#configuration = readConfiguration(options);
    this.#provider = createProvider(this.#configuration);
    this.#refreshes = new RefreshFlights(this.#configuration.environment);
    this.issuer = this.#configuration.issuer;
    this.clientId = this.#configuration.clientId;
  }

  /** The provider's metadata, fetched when first needed. Call it at startup to learn early if the provider is unavailable. */
  metadata(): Promise<ProviderMetadata> {
    return this.#provider.metadata();
  }

  /** Starts a sign-in: send the browser to `url`, and keep `pending` bound to that browser. */
  async startSignIn(request: SignInRequest = {}): Promise<StartedSignIn> {
    return createAuthorizationRequest(this.#configuration, await this.metadata(), request);
  }

  /**
   * Finishes a sign-in: checks the callback, redeems the code, validates the ID Token.
   *
   * @param request the callback as it came
   * @param pending what {@link startSignIn} returned for this browser; if it is undefined, the callback is refused
   */
  async finishSignIn(request: IncomingRequest, pending: PendingSignIn | null | undefined): Promise<SignIn> {
    const metadata = await this.metadata();
    const parts = { configuration: this.#configuration, metadata, keys: this.#provider.keys };
    const { code, pending: started } = await readCallback(parts, request, pending);
    const tokens = await requestTokens(this.#configuration, new URL(metadata.token_endpoint), codeGrant(code, started));
    return completeSignIn(tokens, { ...started, code }, this.#provider.answerRules, this.#now());
  }

  /** Starts a sign-in on a device without a browser (RFC 8628): show the code and the address. */
  async startDeviceSignIn(request: TokenRequest = {}): Promise<StartedDeviceSignIn> {
    const endpoint = requireEndpoint(await this.metadata(), 'device_authorization_endpoint');
    return startDeviceSignIn(this.#configuration, endpoint, request);
  }

  /**
   * Waits until the person has entered the code elsewhere. The wait ends when the code expires or the signal aborts.
   *
   * @throws {@link OidcError} `OIDC_DEVICE_EXPIRED`; `OIDC_PROVIDER_ERROR` when the person refused
   */
  async finishDeviceSignIn(pending: PendingDeviceSignIn, more: { signal?: AbortSignal } = {}): Promise<SignIn> {
    const started = readPendingDevice(pending, this.issuer);
    const endpoint = new URL((await this.metadata()).token_endpoint);
    const tokens = await pollForTokens(this.#configuration, endpoint, started, seconds => waitFor(seconds, more.signal));
    return completeSignIn(tokens, { startedAt: started.startedAt }, this.#provider.answerRules, this.#now());
  }

  /** Reads a request to this site's `initiate_login_uri`; pass the result to {@link startSignIn}. */
  readThirdPartySignIn(request: IncomingRequest, siteOrigin: string): Promise<ThirdPartySignIn> {
    return readThirdPartySignIn(this.#configuration, request, siteOrigin);
  }

  /** Validates an ID Token that did not come through {@link finishSignIn}. */
  async validateIdToken(token: string, expectations: Omit<IdTokenExpectations, 'now'>): Promise<IdTokenClaims> {
    requireExpectations(expectations);
    return (await validateIdToken(token, this.#provider.idTokenRules, { ...expectations, now: this.#now() })).claims;
  }

  /**
   * The published keys for a token of another kind, such as a JWT access token (RFC 9068), that you verify yourself. Try each of
   * them: a token without a key id may have up to four. Choose the algorithm from your own list; never trust the token's alone.
   *
   * @param header the token's header
   * @param token the token itself, unverified, for providers that publish keys for single tenants
   * @throws {@link OidcError} `OIDC_JWT_HEADER`, `OIDC_KEY_…`, `OIDC_JWKS_INVALID`, `OIDC_HTTP_…`
   */
  async findPublishedKeys(header: { alg?: string; kid?: string }, token?: string): Promise<CryptoKey[]> {
    return this.#provider.keys.find(readKeyHint(header, token));
  }

  /** Fetches more claims about the person who signed in. */
  async fetchUserInfo(signIn: { identity: Identity; tokens: Pick<TokenSet, 'accessToken'> }): Promise<UserInfo> {
    requireAsker(signIn);
    const endpoint = requireEndpoint(await this.metadata(), 'userinfo_endpoint');
    return fetchUserInfo(
      this.#configuration,
      endpoint,
      this.#provider.answerKeys,
      signIn.tokens.accessToken,
      signIn.identity.subject,
    );
  }

  /**
   * Renews the tokens of a sign-in. Concurrent calls with one refresh token share one request; each checks its answer. Calls that ask
   * for something else, such as another `resource`, take turns, each with the refresh token that the previous one returned: store the
   * result that came last. An answer that cannot be checked while the key set is unavailable (status 503) is kept in memory for 60 s:
   * call again with the same sign-in within that time.
   *
   * @returns a new object: the sign-in with its new tokens; store it in place of the old one
   * @throws {@link OidcError}; `endsSession(error)` tells a lost session from an unavailable provider
   */
  async refresh<T extends Refreshable>(signIn: T, request: RefreshRequest = {}): Promise<T> {
    requireShape(request, 'request', tokenRequestShape);
    readTokenParameters(request.tokenParameters ?? {}, 'request.tokenParameters');
    const refreshToken = requireRefreshToken(signIn);
    const endpoint = new URL((await this.metadata()).token_endpoint);
    const { scopes = null, resource = null, tokenParameters = null } = request;
    return this.#refreshes.run(
      [refreshToken, scopes, resource, tokenParameters],
      newest => requestRefresh(this.#configuration, endpoint, newest, request),
      fresh => renewed(this.#configuration, this.#provider.answerRules, signIn, fresh, request.scopes),
    );
  }

  /**
   * Revokes a token at the provider. Of a refresh token that was just used, the one that replaced it is revoked, too, also when its answer
   * was refused.
   */
  async revoke(token: string, hint: RevocationHint): Promise<void> {
    requireToken(token, hint);
    const newer = await this.#refreshes.forget(token);
    const endpoint = requireEndpoint(await this.metadata(), 'revocation_endpoint');
    for (const one of newer === undefined ? [token] : [newer, token]) await revokeToken(this.#configuration, endpoint, one, hint);
  }

  /** Asks the provider whether a token is valid now (RFC 7662). */
  async introspect(token: string, hint?: RevocationHint): Promise<Introspection> {
    requireToken(token, hint);
    return introspectToken(this.#configuration, requireEndpoint(await this.metadata(), 'introspection_endpoint'), token, hint);
  }

  /** Requests a token for this client itself, without a person (RFC 6749 §4.4). */
  async requestClientCredentials(request: TokenRequest = {}): Promise<TokenSet> {
    return requestClientCredentials(this.#configuration, new URL((await this.metadata()).token_endpoint), request);
  }

  /** Exchanges a token for one that another service accepts (RFC 8693). */
  async exchangeToken(request: TokenExchangeRequest): Promise<ExchangedToken> {
    return exchangeToken(this.#configuration, new URL((await this.metadata()).token_endpoint), request);
  }

  /**
   * A DPoP proof for a request of your own to an API (RFC 9449 §7): send it as `DPoP`, next to `Authorization: DPoP <token>`.
   *
   * @param nonce the `DPoP-Nonce` of the API's last answer, if it had one
   */
  createDpopProof(request: { method: string; url: URL; accessToken: string; nonce?: string }): Promise<string> {
    const { dpop } = this.#configuration;
    if (dpop === undefined) throw new OidcError('OIDC_CONFIG_INVALID', { check: 'options.dpop', expected: 'a key' });
    requireProofRequest(request);
    if (request.nonce !== undefined) dpop.remember(request.url, new Headers({ 'dpop-nonce': request.nonce }));
    return dpop.proof(request.method, request.url, request.accessToken).then(({ text }) => text);
  }

  /** Starts a sign-out at the provider: end your session, then send the browser to `url`, or make it post the form. */
  async startSignOut(request: SignOutRequest = {}): Promise<StartedSignOut> {
    return createLogoutRequest(this.#configuration, requireEndpoint(await this.metadata(), 'end_session_endpoint'), request);
  }

  /** Reads the return from a sign-out. Never throws. */
  finishSignOut(request: IncomingRequest, pending: PendingSignOut | null | undefined): Promise<SignOutReturn> {
    return readLogoutReturn(request, pending, this.#configuration.limits.maxRequestBytes);
  }

  /** Reads a front-channel logout request. */
  readFrontChannelLogout(request: IncomingRequest): Promise<FrontChannelLogout> {
    return readFrontChannelLogout(this.#configuration, request);
  }

  /** Validates a back-channel logout request and marks its token as used. */
  readBackChannelLogout(request: IncomingRequest): Promise<BackChannelLogout> {
    return readBackChannelLogout(this.#configuration, this.#provider.idTokenRules.keys, request);
  }

  /** Validates a back-channel logout request, calls `endSessions`, and returns the response to send. */
  answerBackChannelLogout(
    request: IncomingRequest,
    endSessions: (logout: BackChannelLogout) => Promise<void> | void,
  ): Promise<Response> {
    return answerBackChannelLogout(this.#configuration, this.#provider.idTokenRules.keys, request, endSessions);
  }

  #now(): number {
    return nowSeconds(this.#configuration.environment);
  }
}
