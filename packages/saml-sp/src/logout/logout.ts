import type { XmlElement } from 'libxml2-wasm';
import { findNameId } from '../assertion/subject.ts';
import type { OutgoingMessage } from '../bindings/http-message.ts';
import { type HttpMessage, type IncomingRequest, readIncoming } from '../bindings/incoming-request.ts';
import { maxFormBytes, readPostedMessage } from '../bindings/post-binding.ts';
import { type RedirectedMessage, readRedirectedMessage, verifyRedirectSignature } from '../bindings/redirect-binding.ts';
import { SamlError, type SamlStatus } from '../errors.ts';
import { type IdentityProvider, requireIdentityProvider } from '../idp/identity-provider.ts';
import { digest } from '../keys/algorithms.ts';
import { type VerifiedElement, verifyEnvelopedSignature } from '../keys/signature.ts';
import {
  readIssuer,
  readMessage,
  requireCounts,
  requireDestination,
  requireDestinationIfPresent,
  requireEnvelope,
  requireIssuer,
} from '../messages/protocol-message.ts';
import { bytesOf, readSoapBody } from '../messages/soap.ts';
import { readStatus } from '../messages/status.ts';
import { type PendingSignOut, readPendingSignOut } from '../sign-in/pending.ts';
import { type Configuration, claimOnce, clockOf, dateOf, releaseClaim } from '../sp/configuration.ts';
import { hasPassed, readInstant } from '../values/instant.ts';
import { ns, statusCodes } from '../xml/names.ts';
import { childrenNamed, findAttribute, getAttribute, textOf } from '../xml/xml.ts';
import { answerLogout, answerSoapLogout, type LogoutOutcome, type LogoutSubject } from './logout-message.ts';

/** An identity provider asks to end sessions. End those of exactly this subject, then send `answer(…)`. */
export interface ReceivedLogoutRequest extends LogoutSubject {
  kind: 'request';
  identityProvider: string;
  requestId: string;
  /** When the provider issued it, by its clock (IssueInstant): it ends sign-ins whose `issuedAt` is not later. */
  issuedAt: Date;
  /** The signed LogoutResponse for the browser; pass how far the logout got. */
  answer(outcome: LogoutOutcome): OutgoingMessage;
  /**
   * Call it when ending the sessions failed because of an outage, so that the same request may come again. Otherwise it would be
   * a replay.
   */
  giveBack(): Promise<void>;
}

/** The answer to a logout that we started. */
export interface ReceivedLogoutResponse {
  kind: 'response';
  identityProvider: string;
  /** `half-done` for everything but plain Success: tell the visitor. */
  outcome: 'complete' | 'half-done';
  status: SamlStatus;
  /** Where the visitor was going, as passed to `startSignOut`. */
  returnTo: string | undefined;
}

type Received = {
  kind: 'SAMLRequest' | 'SAMLResponse';
  xml: Uint8Array;
  relayState: string | undefined;
  redirected: RedirectedMessage | undefined;
};

function readHttp(http: HttpMessage): Received {
  if (http.method === 'POST') return { ...readPostedMessage(http), redirected: undefined };
  const redirected = readRedirectedMessage(http);
  return { ...redirected, redirected };
}

const requireLogoutUrl = (configuration: Configuration): string => {
  if (configuration.singleLogoutServiceUrl === undefined)
    throw new SamlError('SAML_CONFIG_INVALID', 'options.singleLogoutServiceUrl is not set');
  return configuration.singleLogoutServiceUrl;
};

/**
 * Reads a message that must be signed, in the query or in the XML, depending on its binding: an unsigned logout could sign
 * anybody out. Only signed content is passed to `read`.
 */
function withSigned<T>(
  root: XmlElement,
  provider: IdentityProvider,
  redirected: RedirectedMessage | undefined,
  read: (signed: XmlElement) => T,
): T {
  const policy = { keys: provider.signingKeys, allowSha1: provider.policy.dangerouslyAllowSha1 };
  if (redirected !== undefined) {
    verifyRedirectSignature(redirected, policy.keys, policy.allowSha1);
    return read(root);
  }
  using verified: VerifiedElement | undefined = verifyEnvelopedSignature(root, policy);
  if (verified === undefined) throw new SamlError('SAML_SIGNATURE_MISSING', `the ${root.name} is not signed`);
  return read(verified.root);
}

const requireNoStatement = (root: XmlElement): void =>
  requireCounts(root, { assertions: 0, signatures: childrenNamed(root, ns.ds, 'Signature').length });

/** A LogoutRequest is valid until its NotOnOrAfter, or as long as a request of ours would be. */
function requireFresh(request: XmlElement, configuration: Configuration): { issuedAt: Date; until: Date } {
  const clock = clockOf(configuration);
  const issuedAt = requireEnvelope(request, clock);
  const text = findAttribute(request, 'NotOnOrAfter');
  const longest = new Date(issuedAt.getTime() + configuration.requestLifetimeSeconds * 1000);
  const named = text === undefined ? longest : readInstant(text);
  const until = named < longest ? named : longest;
  if (hasPassed(until, clock)) throw new SamlError('SAML_LOGOUT_REQUEST', 'the logout request has expired');
  return { issuedAt, until };
}

/** How a LogoutRequest came: through the browser, or from the provider itself. */
type Carrier = 'browser' | 'soap';

function readLogoutRequest(
  request: XmlElement,
  provider: IdentityProvider,
  carrier: Carrier,
  configuration: Configuration,
): LogoutSubject & { requestId: string; issuedAt: Date; until: Date } {
  requireIssuer(request, provider.entityId);
  // A browser could be made to carry the message elsewhere, so Redirect and POST require Destination of what is signed
  // (saml-bindings-2.0 3.4.5.2, 3.5.5.2). SOAP does not.
  const checkDestination = carrier === 'browser' ? requireDestination : requireDestinationIfPresent;
  checkDestination(request, requireLogoutUrl(configuration));
  const lifetime = requireFresh(request, configuration);
  const decryption = {
    keys: configuration.decryptionKeys.map(key => key.privateKey),
    allowCbc: provider.policy.dangerouslyAllowCbc,
  };
  const nameId = findNameId(request, decryption);
  if (nameId === undefined) throw new SamlError('SAML_LOGOUT_REQUEST', 'the logout request does not identify its subject');
  const sessionIndexes = childrenNamed(request, ns.samlp, 'SessionIndex').map(textOf);
  return { requestId: getAttribute(request, 'ID'), ...lifetime, nameId, sessionIndexes };
}

async function verifyLogoutRequest(
  { xml, redirected, carrier }: Pick<Received, 'xml' | 'redirected'> & { carrier: Carrier },
  configuration: Configuration,
) {
  using document = readMessage(xml, { namespace: ns.samlp, name: 'LogoutRequest' });
  requireNoStatement(document.root);
  const provider = await requireIdentityProvider(configuration.identityProviders, readIssuer(document.root), configuration.now());
  const facts = withSigned(document.root, provider, redirected, signed =>
    readLogoutRequest(signed, provider, carrier, configuration),
  );
  // Scoped by issuer: one provider must not be able to use up another's IDs.
  const claim = `logout-request:${digest('sha256', `${provider.entityId}\n${facts.requestId}`).toString('hex')}`;
  await claimOnce(configuration, claim, facts.until);
  const { requestId, issuedAt, nameId, sessionIndexes } = facts;
  const giveBack = () => releaseClaim(configuration, claim);
  return { provider, read: { identityProvider: provider.entityId, requestId, issuedAt, nameId, sessionIndexes, giveBack } };
}

async function receiveRequest(received: Received, configuration: Configuration): Promise<ReceivedLogoutRequest> {
  const { provider, read } = await verifyLogoutRequest({ ...received, carrier: 'browser' }, configuration);
  return {
    kind: 'request',
    ...read,
    answer: outcome => answerLogout(configuration, provider, { id: read.requestId, relayState: received.relayState }, outcome),
  };
}

function readLogoutResponse(response: XmlElement, pending: PendingSignOut, configuration: Configuration): SamlStatus {
  requireIssuer(response, pending.identityProvider);
  requireDestination(response, requireLogoutUrl(configuration));
  if (findAttribute(response, 'InResponseTo') !== pending.requestId)
    throw new SamlError('SAML_IN_RESPONSE_TO', 'the response belongs to another logout');
  requireEnvelope(response, clockOf(configuration));
  return readStatus(response);
}

async function receiveResponse(
  received: Received,
  configuration: Configuration,
  kept: PendingSignOut | undefined,
): Promise<ReceivedLogoutResponse> {
  if (kept === undefined) throw new SamlError('SAML_UNSOLICITED', 'no logout was started here');
  const pending = readPendingSignOut(kept);
  if (dateOf(pending.expiresAt) <= configuration.now()) throw new SamlError('SAML_REQUEST_EXPIRED', 'the logout took too long');
  using document = readMessage(received.xml, { namespace: ns.samlp, name: 'LogoutResponse' });
  requireNoStatement(document.root);
  const provider = await requireIdentityProvider(configuration.identityProviders, pending.identityProvider, configuration.now());
  const status = withSigned(document.root, provider, received.redirected, signed =>
    readLogoutResponse(signed, pending, configuration),
  );
  if (received.relayState !== undefined && received.relayState !== pending.relayState)
    throw new SamlError('SAML_RELAY_STATE', 'the RelayState is not ours');
  await claimOnce(configuration, `logout:${pending.requestId}`, dateOf(pending.expiresAt));
  const complete = status.code === statusCodes.success && status.detail.length === 0;
  return {
    kind: 'response',
    identityProvider: provider.entityId,
    outcome: complete ? 'complete' : 'half-done',
    status,
    returnTo: pending.returnTo,
  };
}

/**
 * Reads what arrived at the Single Logout address through the browser, by Redirect or POST.
 * @param pending the logout that this browser has under way, if any
 */
export async function receiveLogout(
  configuration: Configuration,
  request: IncomingRequest,
  pending: PendingSignOut | undefined,
): Promise<ReceivedLogoutRequest | ReceivedLogoutResponse> {
  const received = readHttp(await readIncoming(request, maxFormBytes));
  return received.kind === 'SAMLRequest'
    ? await receiveRequest(received, configuration)
    : await receiveResponse(received, configuration, pending);
}

/** A LogoutRequest that an identity provider sent directly, by SOAP. */
export interface ReceivedSoapLogout extends LogoutSubject {
  identityProvider: string;
  requestId: string;
  /** When the provider issued it, by its clock (IssueInstant): it ends sign-ins whose `issuedAt` is not later. */
  issuedAt: Date;
  /** The envelope to answer with, as text/xml. */
  answer(outcome: LogoutOutcome): string;
  /**
   * Call it when ending the sessions failed because of an outage, so that the same request may come again. Otherwise it would be
   * a replay.
   */
  giveBack(): Promise<void>;
}

/** Reads a back-channel LogoutRequest (saml-bindings-2.0 3.2): without a browser, only the signature identifies the sender. */
export async function receiveSoapLogout(configuration: Configuration, request: IncomingRequest): Promise<ReceivedSoapLogout> {
  const http = await readIncoming(request, maxFormBytes);
  if (http.method !== 'POST') throw new SamlError('SAML_HTTP_METHOD', 'SOAP must come by POST');
  const xml = readSoapBody(bytesOf(http), { namespace: ns.samlp, name: 'LogoutRequest' });
  const { provider, read } = await verifyLogoutRequest({ xml, redirected: undefined, carrier: 'soap' }, configuration);
  return { ...read, answer: outcome => answerSoapLogout(configuration, provider, read.requestId, outcome) };
}
