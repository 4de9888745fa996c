import { createAuthorizationRequest, type SignInRequest, type StartedSignIn } from './authorization-request.ts';
import { answerBackChannelLogout, type BackChannelLogout, readBackChannelLogout } from './backchannel-logout.ts';
import { readCallback } from './callback.ts';
import type { IdTokenClaims } from './claims.ts';
import { type Configuration, type RelyingPartyOptions, readConfiguration } from './configuration.ts';
import { nowSeconds } from './environment.ts';
import { type FrontChannelLogout, readFrontChannelLogout } from './frontchannel-logout.ts';
import { type IdTokenExpectations, validateIdToken } from './id-token.ts';
import type { IncomingRequest } from './incoming-request.ts';
import type { PendingSignIn } from './pending-sign-in.ts';
import { createProvider, type Provider } from './provider.ts';
import { type ProviderMetadata, requireEndpoint } from './provider-metadata.ts';
import { type Refreshable, RefreshFlights, refreshTokens } from './refresh.ts';
import { MemoryReplayStore } from './replay.ts';
import { type RevocationHint, revokeToken } from './revocation.ts';
import {
  createLogoutRequest,
  type PendingSignOut,
  readLogoutReturn,
  type SignOutRequest,
  type SignOutReturn,
} from './rp-logout.ts';
import { completeSignIn, type SignIn } from './sign-in.ts';
import { readThirdPartySignIn, type ThirdPartySignIn } from './third-party-sign-in.ts';
import { codeGrant, requestTokens } from './token-request.ts';
import { fetchUserInfo, type UserInfo } from './userinfo.ts';

/**
 * A relying party of one OpenID provider. Make one per provider and keep it: it holds the provider's metadata and keys.
 * It keeps no sessions; what it returns is yours to store. Every method throws {@link OidcError} and nothing else on
 * purpose.
 */
export class RelyingParty {
  /** The provider's issuer. */
  readonly issuer: string;
  /** This client's id at the provider. */
  readonly clientId: string;
  readonly #configuration: Configuration;
  readonly #provider: Provider;
  readonly #answered: MemoryReplayStore;
  readonly #refreshes: RefreshFlights;

  /** @throws {@link OidcError} `OIDC_CONFIG_INVALID`. Nothing is fetched yet. */
  constructor(options: RelyingPartyOptions) {
    this.#configuration = readConfiguration(options);
    this.#provider = createProvider(this.#configuration);
    this.#answered = new MemoryReplayStore(this.#configuration.environment);
    this.#refreshes = new RefreshFlights(this.#configuration.environment);
    this.issuer = this.#configuration.issuer;
    this.clientId = this.#configuration.clientId;
  }

  /** The provider's metadata, fetched when first needed. Call it at start-up to learn early that the provider is out of reach. */
  metadata(): Promise<ProviderMetadata> {
    return this.#provider.metadata();
  }

  /** Starts a sign-in: send the browser to `url`, keep `pending` bound to that browser. */
  async startSignIn(request: SignInRequest = {}): Promise<StartedSignIn> {
    return createAuthorizationRequest(this.#configuration, await this.metadata(), request);
  }

  /**
   * Finishes a sign-in: checks the callback, redeems the code, validates the ID Token.
   *
   * @param request the callback as it came
   * @param pending what {@link startSignIn} gave for this browser; undefined when there is none, which refuses
   */
  async finishSignIn(request: IncomingRequest, pending: PendingSignIn | undefined): Promise<SignIn> {
    const metadata = await this.metadata();
    const code = await readCallback({ configuration: this.#configuration, metadata, answered: this.#answered }, request, pending);
    const started = pending as PendingSignIn;
    const tokens = await requestTokens(this.#configuration, new URL(metadata.token_endpoint), codeGrant(code, started));
    return completeSignIn(tokens, code, started, this.#provider.idTokenRules, this.#now());
  }

  /** Reads a request to this site's `initiate_login_uri`; give the result to {@link startSignIn}. */
  readThirdPartySignIn(request: IncomingRequest, siteOrigin: string): Promise<ThirdPartySignIn> {
    return readThirdPartySignIn(this.#configuration, request, siteOrigin);
  }

  /** Validates an ID Token that came another way than through {@link finishSignIn}. */
  validateIdToken(token: string, expectations: Omit<IdTokenExpectations, 'now'>): Promise<IdTokenClaims> {
    return validateIdToken(token, this.#provider.idTokenRules, { ...expectations, now: this.#now() });
  }

  /** Asks the provider for more about the person who signed in. */
  async fetchUserInfo(signIn: Pick<SignIn, 'identity' | 'tokens'>): Promise<UserInfo> {
    const endpoint = requireEndpoint(await this.metadata(), 'userinfo_endpoint');
    return fetchUserInfo(this.#configuration, endpoint, this.#provider.keys, signIn.tokens.accessToken, signIn.identity.subject);
  }

  /**
   * Renews the tokens of a sign-in. Concurrent calls with one refresh token share one request.
   *
   * @returns the sign-in with its new tokens; store it in place of the old one
   * @throws {@link OidcError} where `endsSession(error)` tells a lost session from a provider out of reach
   */
  async refresh<T extends Refreshable>(signIn: T): Promise<T> {
    const endpoint = new URL((await this.metadata()).token_endpoint);
    const work = () => refreshTokens(this.#configuration, endpoint, this.#provider.idTokenRules, signIn);
    return signIn.tokens.refreshToken === undefined ? work() : this.#refreshes.run(signIn.tokens.refreshToken, work);
  }

  /** Revokes a token at the provider. */
  async revoke(token: string, hint: RevocationHint): Promise<void> {
    await revokeToken(this.#configuration, requireEndpoint(await this.metadata(), 'revocation_endpoint'), token, hint);
  }

  /** Starts a sign-out at the provider: end your session, then send the browser to `url`. */
  async startSignOut(request: SignOutRequest = {}): Promise<{ url: URL; pending: PendingSignOut }> {
    return createLogoutRequest(this.#configuration, requireEndpoint(await this.metadata(), 'end_session_endpoint'), request);
  }

  /** Reads the return from a sign-out. Never throws. */
  readSignOutReturn(request: IncomingRequest, pending: PendingSignOut | undefined): Promise<SignOutReturn> {
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

  /** Validates a back-channel logout request, has the sessions ended, and gives the response to send. */
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
