import type { OutgoingMessage } from './bindings/http-message.ts';
import { type IncomingRequest, readIncoming } from './bindings/incoming-request.ts';
import { maxFormBytes, messageOf } from './bindings/post-binding.ts';
import { SamlError } from './errors.ts';
import { type IdentityProvider, requireIdentityProvider } from './idp/identity-provider.ts';
import {
  type ReceivedLogoutRequest,
  type ReceivedLogoutResponse,
  type ReceivedSoapLogout,
  receiveLogout,
  receiveSoapLogout,
} from './logout/logout.ts';
import { type SignOutRequest, startSignOut } from './logout/logout-message.ts';
import { fetchResponse, readArrivedArtifact, readConsumed } from './sign-in/artifact-sign-in.ts';
import { readSignInRequest, type SignInRequest, type StartedSignIn, startSignIn } from './sign-in/authn-request.ts';
import { discoveryUrl, readDiscoveryAnswer } from './sign-in/discovery-service.ts';
import { readEcpAnswer, startEcp } from './sign-in/ecp.ts';
import { type PendingSignIn, type PendingSignOut, readPendingSignIn } from './sign-in/pending.ts';
import { claimIdentity, type FetchedResponse, type SamlIdentity, verifyResponse } from './sign-in/response.ts';
import type { AuditEvent } from './sp/audit.ts';
import { type Configuration, readConfiguration, type ServiceProviderOptions } from './sp/configuration.ts';
import { type MetadataOptions, renderMetadata } from './sp/sp-metadata.ts';
import {
  type ExchangedAssertion,
  type TokenEndpoint,
  verifyAssertionGrant,
  verifyClientAssertion,
} from './tokens/token-exchange.ts';
import { optional, readShape, shape, text } from './values/shape.ts';

/** Further facts that the caller knows about the returning visitor. */
export interface SignInFacts {
  /** The browser's network address, to compare with an Address in the assertion. */
  clientAddress?: string | undefined;
}

const factsReader = shape({ clientAddress: optional(text()) });

type Told = Pick<AuditEvent, 'identityProvider' | 'assertionId' | 'requestId'>;

/**
 * A SAML 2.0 service provider: no framework, no global state, no disk or network access during verification. Every method that
 * refuses throws a `SamlError` with a stable code and the HTTP status to answer with.
 * @example
 * const sp = new ServiceProvider({
 *   entityId: 'https://notes.example.org/saml/metadata',
 *   assertionConsumerServiceUrl: 'https://notes.example.org/saml/acs',
 *   identityProviders: readIdpMetadata(await readFile('idp.xml')),
 *   replayStore: new MemoryReplayStore(),
 * });
 */
export class ServiceProvider {
  readonly #configuration: Configuration;

  /** @throws SamlError `SAML_CONFIG_INVALID` or `SAML_KEY`, naming the option */
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

  /** The provider with that entity ID, if it is known and enabled. */
  async getIdentityProvider(entityId: string): Promise<IdentityProvider> {
    return await requireIdentityProvider(this.#configuration.identityProviders, entityId, this.#configuration.now());
  }

  /**
   * Begins a sign-in: send `send` to the browser, and keep `pending` until it returns.
   * @example const { send, pending } = await sp.startSignIn('https://idp.example.edu/metadata', { returnTo: '/notes' });
   */
  async startSignIn(identityProvider: string, request: SignInRequest = {}): Promise<StartedSignIn> {
    const wishes = readSignInRequest(request);
    const started = startSignIn(this.#configuration, await this.getIdentityProvider(identityProvider), wishes);
    this.#tell('sign-in-started', { identityProvider, requestId: started.pending.requestId });
    return started;
  }

  /**
   * Finishes a sign-in: verifies the Response that was posted to the assertion consumer service, or fetches the one that a SAML
   * artifact stands for (by GET or POST, if `options.artifactResolution` is set), and uses it up. Responses by Redirect are
   * refused (saml-profiles-2.0 4.1.2).
   * @param pending the sign-in that this same browser has under way; undefined if the sign-in is unsolicited
   * @example const identity = await sp.finishSignIn(request, pending);
   */
  async finishSignIn(
    request: IncomingRequest,
    pending: PendingSignIn | undefined,
    facts: SignInFacts = {},
  ): Promise<SamlIdentity> {
    return await this.#audited('sign-in-finished', async told => {
      const parameters = readConsumed(await readIncoming(request, maxFormBytes));
      if (parameters.has('SAMLart')) {
        const arrived = readArrivedArtifact(this.#configuration, parameters);
        using fetched = await fetchResponse(this.#configuration, arrived, this.#readPending(pending, arrived.relayState, told));
        return await this.#finish({ xml: fetched.xml, relayState: arrived.relayState, fetched }, pending, facts, told);
      }
      const posted = messageOf(parameters);
      if (posted.kind !== 'SAMLResponse')
        throw new SamlError('SAML_PARAMETER', 'expected a SAMLResponse, received a SAMLRequest');
      return await this.#finish(posted, pending, facts, told);
    });
  }

  /** Answers an enhanced client (ECP) that wants to sign in: send `envelope` as `application/vnd.paos+xml`. */
  async startEcp(identityProvider: string, request: SignInRequest = {}): Promise<{ envelope: string; pending: PendingSignIn }> {
    const wishes = readSignInRequest(request);
    const started = startEcp(this.#configuration, await this.getIdentityProvider(identityProvider), wishes);
    this.#tell('sign-in-started', { identityProvider, requestId: started.pending.requestId });
    return started;
  }

  /** Finishes a sign-in of an enhanced client. */
  async finishEcp(request: IncomingRequest, pending: PendingSignIn | undefined, facts: SignInFacts = {}): Promise<SamlIdentity> {
    return await this.#audited('sign-in-finished', async told => {
      const answer = readEcpAnswer(await readIncoming(request, maxFormBytes));
      if (pending === undefined || (answer.refersTo !== undefined && answer.refersTo !== pending?.requestId)) {
        throw new SamlError('SAML_PAOS', 'the envelope does not refer to our request');
      }
      return await this.#finish(answer, pending, facts, told);
    });
  }

  /**
   * Asks the identity provider to end a session everywhere; end your own first.
   * @example const { send, pending } = await sp.startSignOut(identity.issuer, { nameId, sessionIndexes: [index] });
   */
  async startSignOut(
    identityProvider: string,
    request: SignOutRequest,
  ): Promise<{ send: OutgoingMessage; pending: PendingSignOut }> {
    const started = startSignOut(this.#configuration, await this.getIdentityProvider(identityProvider), request);
    this.#tell('sign-out-started', { identityProvider, requestId: started.pending.requestId });
    return started;
  }

  /**
   * Reads what arrived at the Single Logout address through a browser: a provider's request, or the answer to ours.
   * @param pending the sign-out that this browser has under way, if any
   */
  async receiveLogout(
    request: IncomingRequest,
    pending?: PendingSignOut | undefined,
  ): Promise<ReceivedLogoutRequest | ReceivedLogoutResponse> {
    return await this.#audited('logout-request', async told => {
      const received = await receiveLogout(this.#configuration, request, pending);
      told.identityProvider = received.identityProvider;
      if (received.kind === 'request') told.requestId = received.requestId;
      else told.event = 'logout-response';
      return received;
    });
  }

  /** Reads a LogoutRequest that was sent directly, by SOAP. */
  async receiveSoapLogout(request: IncomingRequest): Promise<ReceivedSoapLogout> {
    return await this.#audited('logout-request', async told => {
      const received = await receiveSoapLogout(this.#configuration, request);
      told.identityProvider = received.identityProvider;
      told.requestId = received.requestId;
      return received;
    });
  }

  /** Where to send a visitor to choose an identity provider. */
  discoveryUrl(serviceUrl: string, options: { isPassive?: boolean; state?: string } = {}): string {
    return discoveryUrl(this.#configuration, serviceUrl, options);
  }

  /** The provider that the visitor chose, if any. */
  async readDiscoveryAnswer(request: IncomingRequest): Promise<string | undefined> {
    return await readDiscoveryAnswer(this.#configuration, request);
  }

  /** The token endpoint's side of RFC 7522: an assertion as authorization grant. */
  async verifyAssertionGrant(endpoint: TokenEndpoint, body: string): Promise<ExchangedAssertion> {
    return await this.#audited('assertion-exchanged', async told => {
      const exchanged = await verifyAssertionGrant(this.#configuration, endpoint, body);
      Object.assign(told, { identityProvider: exchanged.issuer, assertionId: exchanged.assertionId });
      return exchanged;
    });
  }

  /** The token endpoint's side of RFC 7522: an assertion that authenticates a client. */
  async verifyClientAssertion(endpoint: TokenEndpoint, body: string): ReturnType<typeof verifyClientAssertion> {
    return await this.#audited('assertion-exchanged', async told => {
      const exchanged = await verifyClientAssertion(this.#configuration, endpoint, body);
      Object.assign(told, { identityProvider: exchanged.issuer, assertionId: exchanged.assertionId });
      return exchanged;
    });
  }

  async #finish(
    { xml, relayState, fetched }: { xml: Uint8Array; relayState: string | undefined; fetched?: FetchedResponse },
    kept: PendingSignIn | undefined,
    facts: SignInFacts,
    told: Told,
  ): Promise<SamlIdentity> {
    const configuration = this.#configuration;
    const { clientAddress } = readShape(facts, 'facts', factsReader);
    const pending = this.#readPending(kept, relayState, told);
    const identity = await verifyResponse(xml, { configuration, pending, clientAddress, relayState, fetched });
    await claimIdentity(configuration, identity, pending);
    Object.assign(told, { identityProvider: identity.issuer, assertionId: identity.assertionId });
    return identity;
  }

  #readPending(kept: PendingSignIn | undefined, relayState: string | undefined, told: Told): PendingSignIn | undefined {
    if (kept === undefined) return undefined;
    const pending = readPendingSignIn(kept);
    Object.assign(told, { identityProvider: pending.identityProvider, requestId: pending.requestId });
    if (relayState !== pending.relayState) throw new SamlError('SAML_RELAY_STATE', 'the RelayState is not the one we sent');
    return pending;
  }

  async #audited<T>(event: AuditEvent['event'], work: (told: Told & { event?: AuditEvent['event'] }) => Promise<T>): Promise<T> {
    const told: Told & { event?: AuditEvent['event'] } = {};
    try {
      const done = await work(told);
      this.#tell(event, told);
      return done;
    } catch (error) {
      this.#tell(event, { ...told, outcome: 'refused', ...(error instanceof SamlError ? { code: error.code } : {}) });
      throw error;
    }
  }

  #tell(event: AuditEvent['event'], facts: Partial<AuditEvent>): void {
    try {
      this.#configuration.audit({ event, outcome: 'accepted', at: this.#configuration.now(), ...facts });
    } catch {
      // A failing log must not keep anybody from signing in or out.
    }
  }
}
