import type { XmlDocument, XmlElement } from 'libxml2-wasm';
import { type AssertionExpectation, type AssertionFacts, requireAssertion } from '../assertion/assertion.ts';
import { quote, SamlError } from '../errors.ts';
import { type IdentityProvider, requireIdentityProvider, signaturePolicyOf } from '../idp/identity-provider.ts';
import { digest } from '../keys/algorithms.ts';
import { type Decrypted, decryptionFailed, decryptWrapped } from '../keys/encryption.ts';
import { type VerifiedElement, verifyEnvelopedSignature } from '../keys/signature.ts';
import { requireUniqueIds } from '../keys/signature-profile.ts';
import {
  readIssuer,
  readMessage,
  requireCounts,
  requireDestination,
  requireEnvelope,
  requireIssuer,
  validateMessage,
} from '../messages/protocol-message.ts';
import { requireSuccess } from '../messages/status.ts';
import { type Configuration, claimOnce, clockOf, dateOf, releaseClaim } from '../sp/configuration.ts';
import { parseInContext } from '../xml/decrypted-context.ts';
import { ns } from '../xml/names.ts';
import { type ChildFinder, childFinder, childrenNamed, findAttribute, isNamed } from '../xml/xml.ts';
import type { PendingSignIn } from './pending.ts';

/**
 * Who signed in, from signed bytes alone. A person is identified by `issuer` with `nameId` (or a subject identifier), never by an
 * email address.
 */
export interface SamlIdentity extends AssertionFacts {
  /** The identity provider's entity ID. */
  issuer: string;
  /** The request that this answers; undefined for an unsolicited sign-in. */
  inResponseTo: string | undefined;
  /** The signed assertion in canonical form, for a token exchange (RFC 7522); undefined when only the Response was signed. */
  assertionXml: string | undefined;
  /** Where the visitor was going, as passed to `startSignIn`. */
  returnTo: string | undefined;
  /** The RelayState of an unsolicited sign-in: unsigned text from the provider. Check it with `readReturnTo` before you follow it. */
  relayState: string | undefined;
}

/** The facts that a Response is verified against. */
export interface ResponseExpectation {
  configuration: Configuration;
  /** The sign-in under way in this browser; undefined if there is none. */
  pending: PendingSignIn | undefined;
  /** The browser's network address, to compare with an Address in the assertion. */
  clientAddress: string | undefined;
  relayState: string | undefined;
  /** How it was fetched, if an artifact arrived in its place. */
  fetched?: FetchedResponse | undefined;
}

/** The proof for a Response that was fetched for an artifact. */
export interface FetchedResponse {
  /** The Response, from the bytes that the ArtifactResponse's signature covers; undefined when that was not signed. */
  signed: XmlElement | undefined;
  /** Whether the provider's policy accepts TLS alone as proof. */
  trusted: boolean;
}

const responseName = { namespace: ns.samlp, name: 'Response' };

const assertionsOf = (children: ChildFinder): XmlElement[] => [
  ...children(ns.saml, 'Assertion'),
  ...children(ns.saml, 'EncryptedAssertion'),
];

/** The only assertion of a Response: it must be a direct child, with no other anywhere. */
function getAssertionElement(response: XmlElement): XmlElement {
  const [assertion, ...more] = assertionsOf(childFinder(response));
  if (assertion === undefined || more.length > 0)
    throw new SamlError('SAML_STRUCTURE', 'a Response must contain exactly one assertion');
  return assertion;
}

const signaturesOf = (element: XmlElement | undefined): number =>
  element === undefined ? 0 : childrenNamed(element, ns.ds, 'Signature').length;

/** How many assertions and signatures a Response has in their proper places: any more are hidden somewhere. */
export function countsOf(response: XmlElement): { assertions: number; signatures: number } {
  const children = childFinder(response);
  const found = assertionsOf(children);
  if (found.length > 1) throw new SamlError('SAML_STRUCTURE', 'a Response must contain exactly one assertion');
  const [assertion] = children(ns.saml, 'Assertion');
  return { assertions: found.length, signatures: children(ns.ds, 'Signature').length + signaturesOf(assertion) };
}

export function requireUnderWay(pending: PendingSignIn, now: Date): void {
  if (dateOf(pending.expiresAt) <= now) throw new SamlError('SAML_REQUEST_EXPIRED', 'the sign-in took too long');
}

/** The identity provider whose keys count: the one that was asked or, for an unsolicited sign-in, the one named as issuer. */
async function providerOf(response: XmlElement, expected: ResponseExpectation): Promise<IdentityProvider> {
  const { configuration, pending } = expected;
  const now = configuration.now();
  if (pending === undefined) {
    const provider = await requireIdentityProvider(configuration.identityProviders, readIssuer(response), now);
    if (!provider.policy.dangerouslyAllowUnsolicited) throw new SamlError('SAML_UNSOLICITED', 'no sign-in was started here');
    return provider;
  }
  requireUnderWay(pending, now);
  return await requireIdentityProvider(configuration.identityProviders, pending.identityProvider, now);
}

/**
 * The assertion consumer service that received this. A sign-in under way knows which one it requested; without one, it is the one
 * that the Response names, and its assertion must name the same as Recipient.
 */
function consumerOf(response: XmlElement, { configuration, pending }: ResponseExpectation): string {
  const known = configuration.assertionConsumerServiceUrls;
  if (pending === undefined) {
    const named = findAttribute(response, 'Destination');
    return known.find(one => one === named) ?? configuration.assertionConsumerServiceUrl;
  }
  if (known.includes(pending.assertionConsumerServiceUrl)) return pending.assertionConsumerServiceUrl;
  throw new SamlError('SAML_PENDING_INVALID', 'pending.assertionConsumerServiceUrl is not one of ours');
}

/** Checks what the envelope says about itself. When the Response is unsigned, these are only hints that can refuse, never identity. */
function requireResponseEnvelope(response: XmlElement, provider: IdentityProvider, expected: ResponseExpectation): void {
  requireIssuer(response, provider.entityId);
  // A Response that we fetched ourselves was not delivered to an address (saml-bindings-2.0 3.6.5 does not ask for one).
  if (expected.fetched === undefined || findAttribute(response, 'Destination') !== undefined)
    requireDestination(response, consumerOf(response, expected));
  const inResponseTo = findAttribute(response, 'InResponseTo');
  if (inResponseTo !== expected.pending?.requestId) {
    throw new SamlError('SAML_IN_RESPONSE_TO', `the Response answers ${quote(inResponseTo ?? '')}, not the pending request`);
  }
  const issued = requireEnvelope(response, clockOf(expected.configuration));
  requireNotBeforeRequest(issued, expected);
  requireSuccess(response);
}

/** A message that is older than its own request answers another one. */
function requireNotBeforeRequest(issued: Date, { pending, configuration }: ResponseExpectation): void {
  if (pending === undefined) return;
  if (issued.getTime() < (pending.startedAt - configuration.clockToleranceSeconds) * 1000) {
    throw new SamlError('SAML_ISSUE_INSTANT', 'the Response is older than the request');
  }
}

/** Decrypted bytes pass every check that received ones pass. */
function openAssertion(wrapper: XmlElement, { bytes }: Decrypted): XmlDocument {
  const { document, text } = parseInContext(bytes, wrapper);
  try {
    validateMessage(document, text);
    if (!isNamed(document.root, ns.saml, 'Assertion'))
      throw new SamlError('SAML_STRUCTURE', 'the decrypted element is not an assertion');
    requireUniqueIds(document.root);
    requireCounts(document.root, { assertions: 1, signatures: signaturesOf(document.root) });
    return document;
  } catch (error) {
    document.dispose();
    throw error;
  }
}

function verifyAssertion(
  assertion: XmlElement,
  responseSigned: boolean,
  provider: IdentityProvider,
): VerifiedElement | undefined {
  const verified = verifyEnvelopedSignature(assertion, signaturePolicyOf(provider));
  if (verified === undefined && (!responseSigned || provider.policy.wantAssertionsSigned)) {
    throw new SamlError('SAML_SIGNATURE_MISSING', 'the assertion is not signed');
  }
  return verified;
}

function verifyResponseSignature(
  response: XmlElement,
  provider: IdentityProvider,
  fetched: FetchedResponse | undefined,
): VerifiedElement | undefined {
  const verified = verifyEnvelopedSignature(response, signaturePolicyOf(provider));
  if (verified === undefined && fetched?.signed === undefined && provider.policy.wantResponseSigned)
    throw new SamlError('SAML_SIGNATURE_MISSING', 'the Response is not signed');
  return verified;
}

/** The assertion's own document if it was encrypted, and its signature's if it has one. */
interface Opened {
  opened: XmlDocument | undefined;
  verified: VerifiedElement | undefined;
}

function openAndVerify(found: XmlElement, responseSigned: boolean, provider: IdentityProvider, plain?: Decrypted): Opened {
  const opened = plain === undefined ? undefined : openAssertion(found, plain);
  try {
    return { opened, verified: verifyAssertion(opened?.root ?? found, responseSigned, provider) };
  } catch (error) {
    opened?.dispose();
    throw error;
  }
}

/**
 * Anybody can change CBC ciphertext, so until a signature has been verified, every fault of the plaintext gives the same error:
 * telling padding, XML and signature faults apart would reveal the plaintext byte by byte (Jager and Somorovsky, 2011).
 */
function openSealed(
  found: XmlElement,
  responseSigned: boolean,
  provider: IdentityProvider,
  configuration: Configuration,
): Opened {
  const plain = decryptWrapped(found, {
    keys: configuration.decryptionKeys.map(key => key.privateKey),
    allowCbc: provider.policy.dangerouslyAllowCbc,
  });
  try {
    return openAndVerify(found, responseSigned, provider, plain);
  } catch (error) {
    throw plain.malleable && !responseSigned ? decryptionFailed() : error;
  }
}

/**
 * A Response, and the same as received. If it was signed, `response` is made from the signed bytes; what those leave out (a
 * namespace that only a PrefixList of the assertion's own signature names) is only in `received`.
 */
interface ReadResponse {
  response: XmlElement;
  received: XmlElement;
  signed: boolean;
}

function readAssertionOf(
  { response, received, signed: responseSigned }: ReadResponse,
  provider: IdentityProvider,
  expected: ResponseExpectation,
): SamlIdentity {
  const { configuration, pending } = expected;
  const found = getAssertionElement(response);
  const isEncrypted = isNamed(found, ns.saml, 'EncryptedAssertion');
  if (!isEncrypted && provider.policy.wantAssertionsEncrypted)
    throw new SamlError('SAML_ENCRYPTION_PROFILE', 'the assertion is not encrypted');
  const { opened, verified } = isEncrypted
    ? openSealed(found, responseSigned, provider, configuration)
    : openAndVerify(getAssertionElement(received), responseSigned, provider);
  try {
    const facts = requireAssertion(
      verified?.root ?? opened?.root ?? found,
      expectationOf(provider, expected, consumerOf(response, expected)),
    );
    return {
      ...facts,
      issuer: provider.entityId,
      inResponseTo: pending?.requestId,
      assertionXml: verified?.signedXml,
      returnTo: pending?.returnTo,
      relayState: pending === undefined ? expected.relayState : undefined,
    };
  } finally {
    verified?.[Symbol.dispose]();
    opened?.dispose();
  }
}

const expectationOf = (provider: IdentityProvider, expected: ResponseExpectation, recipient: string): AssertionExpectation => {
  const { configuration, pending } = expected;
  return {
    issuer: provider.entityId,
    audiences: [configuration.entityId],
    recipient,
    inResponseTo: pending?.requestId,
    notBeforeInstant: pending === undefined ? undefined : dateOf(pending.startedAt),
    freshSince: pending?.forceAuthn === true ? dateOf(pending.startedAt) : undefined,
    contextClasses: pending?.authnContextComparison === 'exact' ? pending.authnContexts : [],
    clientAddress: expected.clientAddress,
    clock: clockOf(configuration),
    decryption: { keys: configuration.decryptionKeys.map(key => key.privateKey), allowCbc: provider.policy.dangerouslyAllowCbc },
    needsAuthentication: true,
  };
};

/**
 * Verifies a Response and reads who signed in. Every step fails closed with its own code, in this order: bytes, parse, schema,
 * structure, signature, decryption, envelope, assertion. Identity is read from the bytes that were signed.
 */
export async function verifyResponse(xml: Uint8Array, expected: ResponseExpectation): Promise<SamlIdentity> {
  using document = readMessage(xml, responseName);
  requireCounts(document.root, countsOf(document.root));
  const provider = await providerOf(document.root, expected);
  const { fetched } = expected;
  using verified = verifyResponseSignature(document.root, provider, fetched);
  const signed = verified?.root ?? fetched?.signed;
  const response = signed ?? document.root;
  requireResponseEnvelope(response, provider, expected);
  // The Response's own signature covered the received document. A fetched Response is a different document from the envelope that
  // vouches for it.
  const received = verified === undefined ? response : document.root;
  const isSigned = signed !== undefined || fetched?.trusted === true;
  return readAssertionOf({ response, received, signed: isSigned }, provider, expected);
}

/**
 * Uses up the request and the assertion: afterwards neither works again, in any process that shares the store. If the store fails
 * between the two, the request is given back, so that the visitor can send the form again.
 */
export async function claimIdentity(
  configuration: Configuration,
  identity: SamlIdentity,
  pending: PendingSignIn | undefined,
): Promise<void> {
  const request = pending === undefined ? undefined : `request:${pending.requestId}`;
  if (pending !== undefined && request !== undefined) await claimOnce(configuration, request, dateOf(pending.expiresAt));
  try {
    await claimOnce(configuration, `assertion:${keyOf(identity)}`, identity.usableUntil);
  } catch (error) {
    if (request !== undefined && error instanceof SamlError && error.code === 'SAML_STORE_UNAVAILABLE')
      await releaseClaim(configuration, request);
    throw error;
  }
}

const keyOf = (identity: SamlIdentity): string => digest('sha256', `${identity.issuer}\n${identity.assertionId}`).toString('hex');
