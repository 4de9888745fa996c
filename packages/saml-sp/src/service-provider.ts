import { type SignInOptions, type StartedSignIn, startSignIn } from './authn-request.ts';
import { type Configuration, readConfiguration, type ServiceProviderOptions } from './configuration.ts';
import { discoveryUrl, readDiscoveryAnswer } from './discovery-service.ts';
import { readEcpAnswer, startEcp } from './ecp.ts';
import { SamlError } from './errors.ts';
import type { HttpMessage, OutgoingMessage } from './http-message.ts';
import { type IdentityProvider, requireIdentityProvider } from './identity-provider.ts';
import {
  type ReceivedLogoutRequest,
  type ReceivedLogoutResponse,
  type ReceivedSoapLogout,
  receiveLogout,
  receiveSoapLogout,
} from './logout.ts';
import { type LogoutSubject, startLogout } from './logout-message.ts';
import type { PendingLogout, PendingSignIn } from './pending.ts';
import { readPostedMessage } from './post-binding.ts';
import { claimIdentity, type SamlIdentity, verifyResponse } from './response.ts';
import { type MetadataOptions, renderMetadata } from './sp-metadata.ts';
import { type ExchangedAssertion, type TokenEndpoint, verifyAssertionGrant, verifyClientAssertion } from './token-exchange.ts';

/** What comes back to the assertion consumer service. */
export interface SignInReturn {
  http: HttpMessage;
  /** The sign-in that this very browser has under way. Nothing: the sign-in is unsolicited. */
  pending?: PendingSignIn | undefined;
  /** The browser's network address, to hold an Address in the assertion to it. */
  clientAddress?: string | undefined;
}

/**
 * A SAML 2.0 service provider: no framework, no global state, nothing read from disk or network while it verifies.
 * Every method that refuses throws a `SamlError` with a stable code.
 */
export class ServiceProvider {
  readonly #configuration: Configuration;

  constructor(options: ServiceProviderOptions) {
    this.#configuration = readConfiguration(options);
  }

  get entityId(): string {
    return this.#configuration.entityId;
  }

  /** Our metadata, to give to identity providers: `application/samlmetadata+xml`. */
  metadata(options: MetadataOptions = {}): string {
    return renderMetadata(this.#configuration, options);
  }

  /** The provider of that entity ID if it is known and switched on. */
  getIdentityProvider(entityId: string): IdentityProvider {
    return requireIdentityProvider(this.#configuration.identityProviders, entityId, this.#configuration.now());
  }

  /** Begins a sign-in: send `send` to the browser, keep `pending` for its return. */
  startSignIn(identityProvider: string, options: SignInOptions = {}): StartedSignIn {
    return startSignIn(this.#configuration, this.getIdentityProvider(identityProvider), options);
  }

  /**
   * Ends a sign-in: verifies the Response that was posted to the assertion consumer service and uses it up.
   * Responses by Redirect are refused (saml-profiles-2.0 4.1.2).
   */
  async finishSignIn({ http, pending, clientAddress }: SignInReturn): Promise<SamlIdentity> {
    const posted = readPostedMessage(http);
    if (posted.kind !== 'SAMLResponse') throw new SamlError('SAML_PARAMETER', 'a SAMLRequest came where a SAMLResponse belongs');
    return await this.#finish(posted.xml, posted.relayState, pending, clientAddress);
  }

  /** Answers an enhanced client (ECP) that wants in: send `envelope` as `application/vnd.paos+xml`. */
  startEcp(identityProvider: string, options: SignInOptions = {}): { envelope: string; pending: PendingSignIn } {
    return startEcp(this.#configuration, this.getIdentityProvider(identityProvider), options);
  }

  /** Ends a sign-in of an enhanced client. */
  async finishEcp({ http, pending, clientAddress }: SignInReturn): Promise<SamlIdentity> {
    const answer = readEcpAnswer(http);
    if (pending === undefined || (answer.refersTo !== undefined && answer.refersTo !== pending.requestId)) {
      throw new SamlError('SAML_PAOS', 'the envelope does not refer to our request');
    }
    return await this.#finish(answer.xml, answer.relayState, pending, clientAddress);
  }

  /** Asks the identity provider to end a session everywhere; end the own one first. */
  startLogout(identityProvider: string, subject: LogoutSubject): { send: OutgoingMessage; pending: PendingLogout } {
    return startLogout(this.#configuration, this.getIdentityProvider(identityProvider), subject);
  }

  /** Reads what arrived at the Single Logout address through a browser. */
  async receiveLogout(http: HttpMessage, pending?: PendingLogout): Promise<ReceivedLogoutRequest | ReceivedLogoutResponse> {
    return await receiveLogout(this.#configuration, http, pending);
  }

  /** Reads a LogoutRequest that came directly, by SOAP. */
  async receiveSoapLogout(http: HttpMessage): Promise<ReceivedSoapLogout> {
    return await receiveSoapLogout(this.#configuration, http);
  }

  /** Where to send a visitor who should choose an identity provider. */
  discoveryUrl(serviceUrl: string, options: { isPassive?: boolean; state?: string } = {}): string {
    return discoveryUrl(this.#configuration, serviceUrl, options);
  }

  /** The provider that a visitor chose, if any. */
  readDiscoveryAnswer(query: string): string | undefined {
    return readDiscoveryAnswer(this.#configuration, query);
  }

  /** The token endpoint's side of RFC 7522: an assertion as authorization grant. */
  async verifyAssertionGrant(endpoint: TokenEndpoint, body: string): Promise<ExchangedAssertion> {
    return await verifyAssertionGrant(this.#configuration, endpoint, body);
  }

  /** The token endpoint's side of RFC 7522: an assertion that authenticates a client. */
  async verifyClientAssertion(endpoint: TokenEndpoint, body: string): ReturnType<typeof verifyClientAssertion> {
    return await verifyClientAssertion(this.#configuration, endpoint, body);
  }

  async #finish(
    xml: Uint8Array,
    relayState: string | undefined,
    pending: PendingSignIn | undefined,
    clientAddress: string | undefined,
  ): Promise<SamlIdentity> {
    const configuration = this.#configuration;
    if (pending !== undefined && relayState !== pending.relayState)
      throw new SamlError('SAML_RELAY_STATE', 'the RelayState is not the one we sent');
    const identity = verifyResponse(xml, {
      configuration,
      pending,
      clientAddress,
      destination: configuration.assertionConsumerServiceUrl,
    });
    await claimIdentity(configuration, identity, pending);
    return identity;
  }
}
