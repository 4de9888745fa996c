import type { OutgoingMessage } from '../bindings/http-message.ts';
import { renderPostForm } from '../bindings/post-binding.ts';
import { renderRedirect } from '../bindings/redirect-binding.ts';
import { SamlError } from '../errors.ts';
import { findEndpoint, type IdentityProvider } from '../idp/identity-provider.ts';
import type { LoadedKeyPair } from '../keys/key-material.ts';
import { signXml } from '../keys/signing.ts';
import { readMessage } from '../messages/protocol-message.ts';
import { type Configuration, createId, dateOf, secondsOf } from '../sp/configuration.ts';
import { writeInstant } from '../values/instant.ts';
import { returnToReader } from '../values/return-to.ts';
import { flag, listOf, number, oneOf, optional, type Reader, readShape, shape, text } from '../values/shape.ts';
import { bindings, ns } from '../xml/names.ts';
import { childElements, escapeXml, getChild } from '../xml/xml.ts';
import type { AuthnContextComparison, PendingSignIn } from './pending.ts';

/** The parameters that a sign-in may send to the identity provider. */
export interface SignInRequest {
  /** The provider must ask the person again even if a session exists there; the answer's AuthnInstant is checked against this. */
  forceAuthn?: boolean;
  /** The provider must not show anything: it fails with NoPassive instead. */
  isPassive?: boolean;
  /** A NameID format to ask for; `{}` sends a NameIDPolicy without Format. Without this member none is sent. */
  nameIdPolicy?: { format?: string; allowCreate?: boolean; spNameQualifier?: string };
  /** AuthnContext classes that the sign-in must satisfy. */
  authnContexts?: readonly string[];
  /** How they compare. Default `exact`: then one of them must come back. The meaning of the others is up to the provider. */
  authnContextComparison?: AuthnContextComparison;
  /** Where the visitor was going: a path on this site. It stays here; only an opaque RelayState is sent. */
  returnTo?: string;
  /** Binding of the request; default Redirect if the provider has both. */
  binding?: 'redirect' | 'post';
  /** How the answer is to come; default POST. `artifact` needs `options.artifactResolution`. */
  responseBinding?: 'post' | 'artifact';
  /** Which of our assertion consumer services the answer goes to; default the first. */
  assertionConsumerServiceUrl?: string;
  /** The index of the attribute set in our metadata that is wanted. */
  attributeConsumingServiceIndex?: number;
  /** Our name, to be shown on the provider's page. */
  providerName?: string;
  /** For a provider that acts as a proxy: to which providers it may pass the sign-in on, and how often. */
  scoping?: { proxyCount?: number; identityProviders?: readonly string[]; requesterIds?: readonly string[] };
  /** Elements for samlp:Extensions, as XML that declares its own namespaces. */
  extensions?: string;
}

/** A sign-in that has begun: what to send to the browser, and what to keep until it returns. */
export interface StartedSignIn {
  send: OutgoingMessage;
  pending: PendingSignIn;
}

const classes = listOf(text(), 'AuthnContext class URIs', 20);
const requestReader = shape({
  forceAuthn: optional(flag),
  isPassive: optional(flag),
  nameIdPolicy: optional(shape({ format: optional(text()), allowCreate: optional(flag), spNameQualifier: optional(text()) })),
  authnContexts: optional(classes),
  authnContextComparison: optional(oneOf('exact', 'minimum', 'maximum', 'better')),
  returnTo: optional(returnToReader),
  binding: optional(oneOf('redirect', 'post')),
  responseBinding: optional(oneOf('post', 'artifact')),
  assertionConsumerServiceUrl: optional(text()),
  attributeConsumingServiceIndex: optional(number(0, 65_535)),
  providerName: optional(text()),
  scoping: optional(
    shape({
      proxyCount: optional(number(0, 100)),
      identityProviders: optional(listOf(text(), 'entity IDs', 100)),
      requesterIds: optional(listOf(text(), 'entity IDs', 100)),
    }),
  ),
  extensions: optional(text()),
}) as unknown as Reader<SignInRequest>;

const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}="${escapeXml(value)}"`;

function renderNameIdPolicy(policy: SignInRequest['nameIdPolicy']): string {
  if (policy === undefined) return '';
  const allow = policy.allowCreate === undefined ? undefined : String(policy.allowCreate);
  return `<samlp:NameIDPolicy${attribute('Format', policy.format)}${attribute('SPNameQualifier', policy.spNameQualifier)}${attribute('AllowCreate', allow)}/>`;
}

const renderContexts = (contexts: readonly string[], comparison: AuthnContextComparison): string =>
  contexts.length === 0
    ? ''
    : `<samlp:RequestedAuthnContext Comparison="${comparison}">${contexts
        .map(one => `<saml:AuthnContextClassRef>${escapeXml(one)}</saml:AuthnContextClassRef>`)
        .join('')}</samlp:RequestedAuthnContext>`;

function renderScoping(scoping: SignInRequest['scoping']): string {
  if (scoping === undefined) return '';
  const entries = (scoping.identityProviders ?? []).map(one => `<samlp:IDPEntry${attribute('ProviderID', one)}/>`).join('');
  const requesters = (scoping.requesterIds ?? []).map(one => `<samlp:RequesterID>${escapeXml(one)}</samlp:RequesterID>`).join('');
  const count = scoping.proxyCount === undefined ? undefined : String(scoping.proxyCount);
  return `<samlp:Scoping${attribute('ProxyCount', count)}>${entries === '' ? '' : `<samlp:IDPList>${entries}</samlp:IDPList>`}${requesters}</samlp:Scoping>`;
}

/** Extensions are the caller's own XML, so the whole request is validated against the standard's schema. */
function requireValid(xml: string): string {
  try {
    using document = readMessage(Buffer.from(xml), { namespace: ns.samlp, name: 'AuthnRequest' });
    const held = childElements(getChild(document.root, ns.samlp, 'Extensions'));
    if (held.some(one => one.namespaceUri === ns.saml)) throw new SamlError('SAML_STRUCTURE', 'an element in the SAML namespace');
    return xml;
  } catch (cause) {
    throw new SamlError('SAML_CONFIG_INVALID', 'extensions: expected elements in your own namespaces', { cause });
  }
}

/** Writes an AuthnRequest (saml-core-2.0 3.4.1). The ACS is named by its URL, never by an index (SDP-SP05, 06). */
export function renderAuthnRequest(
  configuration: Configuration,
  facts: { pending: PendingSignIn; destination: string | undefined; responseBinding: string },
  request: SignInRequest,
): string {
  const { pending } = facts;
  const index = request.attributeConsumingServiceIndex;
  const xml =
    `<samlp:AuthnRequest xmlns:samlp="${ns.samlp}" xmlns:saml="${ns.saml}" ID="${pending.requestId}" Version="2.0"` +
    ` IssueInstant="${writeInstant(dateOf(pending.startedAt))}"${attribute('Destination', facts.destination)}` +
    attribute('ForceAuthn', request.forceAuthn === true ? 'true' : undefined) +
    attribute('IsPassive', request.isPassive === true ? 'true' : undefined) +
    ` ProtocolBinding="${facts.responseBinding}"${attribute('AssertionConsumerServiceURL', pending.assertionConsumerServiceUrl)}` +
    `${attribute('AttributeConsumingServiceIndex', index === undefined ? undefined : String(index))}` +
    `${attribute('ProviderName', request.providerName)}>` +
    `<saml:Issuer>${escapeXml(configuration.entityId)}</saml:Issuer>` +
    (request.extensions === undefined ? '' : `<samlp:Extensions>${request.extensions}</samlp:Extensions>`) +
    `${renderNameIdPolicy(request.nameIdPolicy)}` +
    `${renderContexts(pending.authnContexts, pending.authnContextComparison)}${renderScoping(request.scoping)}</samlp:AuthnRequest>`;
  return request.extensions === undefined ? xml : requireValid(xml);
}

/** Reads the options of a sign-in; unknown or misspelled ones are refused. */
export const readSignInRequest = (request: SignInRequest): SignInRequest => readShape(request, 'request', requestReader);

/** The pending part of a sign-in that begins now. */
export function createPendingSignIn(
  configuration: Configuration,
  provider: IdentityProvider,
  request: SignInRequest,
): PendingSignIn {
  const startedAt = secondsOf(configuration.now());
  const consumer = request.assertionConsumerServiceUrl ?? configuration.assertionConsumerServiceUrl;
  if (!configuration.assertionConsumerServiceUrls.includes(consumer))
    throw new SamlError(
      'SAML_CONFIG_INVALID',
      'request.assertionConsumerServiceUrl: expected one of options.assertionConsumerServiceUrl',
    );
  return {
    requestId: createId(configuration),
    identityProvider: provider.entityId,
    relayState: Buffer.from(configuration.randomBytes(24)).toString('base64url'),
    assertionConsumerServiceUrl: consumer,
    startedAt,
    expiresAt: startedAt + configuration.requestLifetimeSeconds,
    forceAuthn: request.forceAuthn === true,
    authnContexts: [...(request.authnContexts ?? [])],
    authnContextComparison: request.authnContextComparison ?? 'exact',
    ...(request.returnTo === undefined ? {} : { returnTo: request.returnTo }),
  };
}

/** The key that signs requests, if there is one. Throws without one if the provider wants signed requests: it would refuse any other. */
export function requireSigningKey(configuration: Configuration, provider: IdentityProvider): LoadedKeyPair | undefined {
  const [key] = configuration.signingKeys;
  if (key === undefined && provider.wantAuthnRequestsSigned) {
    throw new SamlError('SAML_CONFIG_INVALID', `${provider.entityId} wants signed requests, but there is no signing key`);
  }
  return key;
}

/** Refuses to request an answer that could not be fetched here. */
function requireResponseBinding(configuration: Configuration, provider: IdentityProvider, request: SignInRequest): string {
  if (request.responseBinding !== 'artifact') return bindings.post;
  if (configuration.artifactResolution === undefined)
    throw new SamlError('SAML_CONFIG_INVALID', 'request.responseBinding: options.artifactResolution is not set');
  if ((provider.artifactResolution ?? []).length === 0)
    throw new SamlError('SAML_METADATA_ENDPOINT', `${provider.entityId} publishes no artifact resolution service`);
  return bindings.artifact;
}

/**
 * Begins a sign-in at a provider. The request is signed whenever there is a key, over the exact query (Redirect) or enveloped
 * (POST).
 */
export function startSignIn(configuration: Configuration, provider: IdentityProvider, request: SignInRequest): StartedSignIn {
  const wanted = request.binding === undefined ? [bindings.redirect, bindings.post] : [bindings[request.binding]];
  const endpoint = findEndpoint(provider.singleSignOn, wanted);
  if (endpoint === undefined)
    throw new SamlError('SAML_METADATA_ENDPOINT', `${provider.entityId} offers no single sign-on by this binding`);
  const key = requireSigningKey(configuration, provider);
  const pending = createPendingSignIn(configuration, provider, request);
  const responseBinding = requireResponseBinding(configuration, provider, request);
  const xml = renderAuthnRequest(configuration, { pending, destination: endpoint.location, responseBinding }, request);
  if (endpoint.binding === bindings.redirect) {
    const message = { kind: 'SAMLRequest', xml, relayState: pending.relayState, key: key?.privateKey } as const;
    return { send: renderRedirect(endpoint.location, message), pending };
  }
  const posted = key === undefined ? xml : signXml(xml, key, 'after-issuer');
  const fields = { SAMLRequest: Buffer.from(posted).toString('base64'), RelayState: pending.relayState };
  return { send: renderPostForm(endpoint.location, fields), pending };
}
