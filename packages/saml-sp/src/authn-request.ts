import { type Configuration, createId } from './configuration.ts';
import { SamlError } from './errors.ts';
import type { OutgoingMessage } from './http-message.ts';
import { findEndpoint, type IdentityProvider } from './identity-provider.ts';
import { writeInstant } from './instant.ts';
import type { LoadedKeyPair } from './key-material.ts';
import { bindings, ns } from './names.ts';
import type { PendingSignIn } from './pending.ts';
import { renderPostForm } from './post-binding.ts';
import { renderRedirect } from './redirect-binding.ts';
import { signXml } from './signing.ts';
import { escapeXml } from './xml.ts';

/** What a sign-in may ask of the identity provider. */
export interface SignInOptions {
  /** Ask for the person again although a session exists there; the answer's AuthnInstant is held to it. */
  forceAuthn?: boolean;
  /** Do not show anything: fail with NoPassive instead. */
  isPassive?: boolean;
  /** A NameID format to ask for; `{}` asks for a NameIDPolicy without Format; nothing sends none (IIP-SP03). */
  nameIdPolicy?: { format?: string; allowCreate?: boolean };
  /** AuthnContext classes of which one must have been used, exactly. */
  authnContexts?: string[];
  /** Where the visitor was going. It stays here; only an opaque RelayState travels. */
  returnTo?: string;
  /** Binding of the request; Redirect where the provider has both. */
  binding?: 'redirect' | 'post';
}

/** A sign-in that has begun: what to send to the browser, and what to keep for its return. */
export interface StartedSignIn {
  send: OutgoingMessage;
  pending: PendingSignIn;
}

const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}="${escapeXml(value)}"`;

function renderNameIdPolicy(policy: SignInOptions['nameIdPolicy']): string {
  if (policy === undefined) return '';
  const allow = policy.allowCreate === undefined ? undefined : String(policy.allowCreate);
  return `<samlp:NameIDPolicy${attribute('Format', policy.format)}${attribute('AllowCreate', allow)}/>`;
}

const renderContexts = (contexts: readonly string[]): string =>
  contexts.length === 0
    ? ''
    : `<samlp:RequestedAuthnContext Comparison="exact">${contexts
        .map(one => `<saml:AuthnContextClassRef>${escapeXml(one)}</saml:AuthnContextClassRef>`)
        .join('')}</samlp:RequestedAuthnContext>`;

/** Writes an AuthnRequest (saml-core-2.0 3.4.1). The ACS is named by its address, never by an index (SDP-SP05, 06). */
export function renderAuthnRequest(
  configuration: Configuration,
  request: { id: string; issued: Date; destination: string | undefined; responseBinding: string },
  options: SignInOptions,
): string {
  return (
    `<samlp:AuthnRequest xmlns:samlp="${ns.samlp}" xmlns:saml="${ns.saml}" ID="${request.id}" Version="2.0"` +
    ` IssueInstant="${writeInstant(request.issued)}"${attribute('Destination', request.destination)}` +
    attribute('ForceAuthn', options.forceAuthn === true ? 'true' : undefined) +
    attribute('IsPassive', options.isPassive === true ? 'true' : undefined) +
    ` ProtocolBinding="${request.responseBinding}"${attribute('AssertionConsumerServiceURL', configuration.assertionConsumerServiceUrl)}>` +
    `<saml:Issuer>${escapeXml(configuration.entityId)}</saml:Issuer>${renderNameIdPolicy(options.nameIdPolicy)}` +
    `${renderContexts(options.authnContexts ?? [])}</samlp:AuthnRequest>`
  );
}

/** The pending half of a sign-in that begins now. */
export function createPendingSignIn(
  configuration: Configuration,
  provider: IdentityProvider,
  options: SignInOptions,
): PendingSignIn {
  const issued = configuration.now();
  return {
    requestId: createId(configuration),
    identityProvider: provider.entityId,
    relayState: Buffer.from(configuration.randomBytes(24)).toString('base64url'),
    issuedAt: issued.toISOString(),
    expiresAt: new Date(issued.getTime() + configuration.requestLifetimeSeconds * 1000).toISOString(),
    forceAuthn: options.forceAuthn === true,
    authnContexts: [...(options.authnContexts ?? [])],
    returnTo: options.returnTo,
  };
}

function requireSigningKey(configuration: Configuration, provider: IdentityProvider): LoadedKeyPair | undefined {
  const [key] = configuration.signingKeys;
  if (key === undefined && provider.wantAuthnRequestsSigned) {
    throw new SamlError('SAML_CONFIG_INVALID', `${provider.entityId} wants signed requests, but there is no signing key`);
  }
  return key;
}

/**
 * Begins a sign-in at a provider: signed whenever there is a key, over the exact query (Redirect) or enveloped (POST).
 */
export function startSignIn(
  configuration: Configuration,
  provider: IdentityProvider,
  options: SignInOptions = {},
): StartedSignIn {
  const wanted = options.binding === undefined ? [bindings.redirect, bindings.post] : [bindings[options.binding]];
  const endpoint = findEndpoint(provider.singleSignOn, wanted);
  if (endpoint === undefined)
    throw new SamlError('SAML_METADATA_ENDPOINT', `${provider.entityId} offers no single sign-on by this binding`);
  const key = requireSigningKey(configuration, provider);
  const pending = createPendingSignIn(configuration, provider, options);
  const request = {
    id: pending.requestId,
    issued: new Date(pending.issuedAt),
    destination: endpoint.location,
    responseBinding: bindings.post,
  };
  const xml = renderAuthnRequest(configuration, request, options);
  if (endpoint.binding === bindings.redirect) {
    const message = { kind: 'SAMLRequest', xml, relayState: pending.relayState, key: key?.privateKey } as const;
    return { send: renderRedirect(endpoint.location, message), pending };
  }
  const posted = key === undefined ? xml : signXml(xml, key, 'after-issuer');
  const fields = { SAMLRequest: Buffer.from(posted).toString('base64'), RelayState: pending.relayState };
  return { send: renderPostForm(endpoint.location, fields), pending };
}
