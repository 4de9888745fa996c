import type { NameId } from '../assertion/subject.ts';
import type { OutgoingMessage } from '../bindings/http-message.ts';
import { renderPostForm } from '../bindings/post-binding.ts';
import { renderRedirect } from '../bindings/redirect-binding.ts';
import { SamlError } from '../errors.ts';
import { type Endpoint, findEndpoint, type IdentityProvider } from '../idp/identity-provider.ts';
import type { LoadedKeyPair } from '../keys/key-material.ts';
import { signXml } from '../keys/signing.ts';
import type { PendingSignOut } from '../sign-in/pending.ts';
import type { Configuration } from '../sp/configuration.ts';
import { createId, secondsOf } from '../sp/configuration.ts';
import { writeInstant } from '../values/instant.ts';
import { returnToReader } from '../values/return-to.ts';
import { listOf, optional, type Reader, readShape, shape, text } from '../values/shape.ts';
import { bindings, ns, statusCodes } from '../xml/names.ts';
import { escapeXml } from '../xml/xml.ts';

/** Whose sessions end. */
export interface LogoutSubject {
  /** Exactly as the identity provider gave it (SDP-SP29). */
  nameId: NameId;
  /** The sessions that end; empty means all of them. */
  sessionIndexes: readonly string[];
}

/** The parameters that a sign-out sends to the identity provider. */
export interface SignOutRequest extends LogoutSubject {
  /** Where the visitor goes afterwards: a path on this site. */
  returnTo?: string;
}

const requestReader = shape({
  nameId: shape({
    value: text(),
    format: optional(text()),
    nameQualifier: optional(text('a string', () => true)),
    spNameQualifier: optional(text('a string', () => true)),
    spProvidedId: optional(text('a string', () => true)),
  }),
  sessionIndexes: listOf(text(), 'strings', 1000),
  returnTo: optional(returnToReader),
}) as unknown as Reader<SignOutRequest>;

/** How far a logout got: `partial` when it did not reach everything it should have. */
export type LogoutOutcome = 'complete' | 'partial' | 'failed';

const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}="${escapeXml(value)}"`;

/** The NameID as it was received, byte for byte: without a format only if it had none. */
export const renderNameId = (nameId: NameId): string =>
  `<saml:NameID${attribute('Format', nameId.format)}` +
  `${attribute('NameQualifier', nameId.nameQualifier)}${attribute('SPNameQualifier', nameId.spNameQualifier)}` +
  `${attribute('SPProvidedID', nameId.spProvidedId)}>${escapeXml(nameId.value)}</saml:NameID>`;

const head = (
  name: string,
  configuration: Configuration,
  id: string,
  issued: Date,
  destination: string | undefined,
  more: string,
): string =>
  `<samlp:${name} xmlns:samlp="${ns.samlp}" xmlns:saml="${ns.saml}" ID="${id}" Version="2.0" IssueInstant="${writeInstant(issued)}"` +
  `${attribute('Destination', destination)}${more}><saml:Issuer>${escapeXml(configuration.entityId)}</saml:Issuer>`;

/** Our first signing key: if unsigned logouts counted, anyone could be signed out. */
function requireKey(configuration: Configuration): LoadedKeyPair {
  const [key] = configuration.signingKeys;
  if (key === undefined) throw new SamlError('SAML_CONFIG_INVALID', 'Single Logout needs a signing key');
  return key;
}

function send(
  endpoint: Endpoint,
  url: string,
  kind: 'SAMLRequest' | 'SAMLResponse',
  xml: string,
  relayState: string | undefined,
  key: LoadedKeyPair,
): OutgoingMessage {
  if (endpoint.binding === bindings.redirect) return renderRedirect(url, { kind, xml, relayState, key: key.privateKey });
  const fields = { [kind]: Buffer.from(signXml(xml, key, 'after-issuer')).toString('base64') };
  return renderPostForm(url, relayState === undefined ? fields : { ...fields, RelayState: relayState });
}

function requireEndpoint(provider: IdentityProvider): Endpoint {
  const endpoint = findEndpoint(provider.singleLogout, [bindings.redirect, bindings.post]);
  if (endpoint === undefined)
    throw new SamlError('SAML_METADATA_ENDPOINT', `${provider.entityId} offers no Single Logout by Redirect or POST`);
  return endpoint;
}

/**
 * Asks the identity provider to end a session everywhere. End your own session first: the answer may never come (SDP-SP34).
 */
export function startSignOut(
  configuration: Configuration,
  provider: IdentityProvider,
  request: SignOutRequest,
): { send: OutgoingMessage; pending: PendingSignOut } {
  const subject = readShape(request, 'request', requestReader);
  const endpoint = requireEndpoint(provider);
  const key = requireKey(configuration);
  const issued = configuration.now();
  const expires = new Date(issued.getTime() + configuration.requestLifetimeSeconds * 1000);
  const requestId = createId(configuration);
  const indexes = subject.sessionIndexes.map(index => `<samlp:SessionIndex>${escapeXml(index)}</samlp:SessionIndex>`).join('');
  const until = attribute('NotOnOrAfter', writeInstant(expires));
  const xml = `${head('LogoutRequest', configuration, requestId, issued, endpoint.location, until)}${renderNameId(subject.nameId)}${indexes}</samlp:LogoutRequest>`;
  const relayState = Buffer.from(configuration.randomBytes(24)).toString('base64url');
  return {
    send: send(endpoint, endpoint.location, 'SAMLRequest', xml, relayState, key),
    pending: {
      requestId,
      identityProvider: provider.entityId,
      relayState,
      startedAt: secondsOf(issued),
      expiresAt: secondsOf(expires),
      ...(subject.returnTo === undefined ? {} : { returnTo: subject.returnTo }),
    },
  };
}

const outcomes: Record<LogoutOutcome, string> = {
  complete: `<samlp:StatusCode Value="${statusCodes.success}"/>`,
  partial: `<samlp:StatusCode Value="${statusCodes.success}"><samlp:StatusCode Value="${statusCodes.partialLogout}"/></samlp:StatusCode>`,
  failed: `<samlp:StatusCode Value="${statusCodes.responder}"/>`,
};

/** Writes a LogoutResponse, unsigned. */
export const renderLogoutResponse = (
  configuration: Configuration,
  destination: string | undefined,
  inResponseTo: string,
  outcome: LogoutOutcome,
): string =>
  `${head('LogoutResponse', configuration, createId(configuration), configuration.now(), destination, attribute('InResponseTo', inResponseTo))}` +
  `<samlp:Status>${outcomes[outcome]}</samlp:Status></samlp:LogoutResponse>`;

/** Answers a LogoutRequest through the browser: always signed, always naming the request. */
export function answerLogout(
  configuration: Configuration,
  provider: IdentityProvider,
  request: { id: string; relayState: string | undefined },
  outcome: LogoutOutcome,
): OutgoingMessage {
  const endpoint = requireEndpoint(provider);
  const xml = renderLogoutResponse(configuration, endpoint.responseLocation, request.id, outcome);
  return send(endpoint, endpoint.responseLocation, 'SAMLResponse', xml, request.relayState, requireKey(configuration));
}

/** The answer to a LogoutRequest that came by SOAP: a signed LogoutResponse in an envelope. */
export function answerSoapLogout(
  configuration: Configuration,
  provider: IdentityProvider,
  requestId: string,
  outcome: LogoutOutcome,
): string {
  // A provider without an address for responses reads the answer where it asked, and would have to refuse any Destination in it
  // (saml-core-2.0 3.2.2).
  const destination = findEndpoint(provider.singleLogout, [bindings.soap])?.responseLocation;
  const xml = signXml(
    renderLogoutResponse(configuration, destination, requestId, outcome),
    requireKey(configuration),
    'after-issuer',
  );
  return `<soap:Envelope xmlns:soap="${ns.soap}"><soap:Body>${xml}</soap:Body></soap:Envelope>`;
}
