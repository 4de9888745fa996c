import type { XmlDocument, XmlElement } from 'libxml2-wasm';
import { digest } from './algorithms.ts';
import { type AssertionExpectation, type AssertionFacts, requireAssertion } from './assertion.ts';
import { type Configuration, claimOnce, clockOf } from './configuration.ts';
import { decryptWrapped } from './encryption.ts';
import { quote, SamlError } from './errors.ts';
import { type IdentityProvider, requireIdentityProvider } from './identity-provider.ts';
import { ns } from './names.ts';
import type { PendingSignIn } from './pending.ts';
import {
  readIssuer,
  readMessage,
  requireCounts,
  requireDestination,
  requireEnvelope,
  requireIssuer,
} from './protocol-message.ts';
import { validateAgainstSchema } from './schema.ts';
import { type VerifiedElement, verifyEnvelopedSignature } from './signature.ts';
import { requireUniqueIds } from './signature-profile.ts';
import { requireSuccess } from './status.ts';
import { childrenNamed, findAttribute, findChild, isNamed, parseUntrusted } from './xml.ts';

/** Who signed in, from signed bytes alone. The key of a person is `issuer` with `nameId` (or a subject identifier), never an e-mail address. */
export interface SamlIdentity extends AssertionFacts {
  /** The identity provider's entity ID. */
  issuer: string;
  /** The request that this answers; undefined for an unsolicited sign-in. */
  inResponseTo: string | undefined;
  /** The signed assertion in canonical form, for a token exchange (RFC 7522); undefined when only the Response was signed. */
  assertionXml: string | undefined;
}

/** What a Response is verified against. */
export interface ResponseExpectation {
  configuration: Configuration;
  /** The sign-in under way in this browser; undefined when there is none. */
  pending: PendingSignIn | undefined;
  /** The browser's network address, to hold an Address in the assertion to it. */
  clientAddress: string | undefined;
  /** The address the Response must have been made for. */
  destination: string;
}

const responseName = { namespace: ns.samlp, name: 'Response' };

/** Where the one assertion of a Response stands: a direct child, and no other one anywhere. */
function getAssertionElement(response: XmlElement): XmlElement {
  const found = [...childrenNamed(response, ns.saml, 'Assertion'), ...childrenNamed(response, ns.saml, 'EncryptedAssertion')];
  const [assertion, ...more] = found;
  if (assertion === undefined || more.length > 0)
    throw new SamlError('SAML_STRUCTURE', 'a Response must hold exactly one assertion');
  return assertion;
}

const signaturesOf = (element: XmlElement | undefined): number =>
  element === undefined ? 0 : childrenNamed(element, ns.ds, 'Signature').length;

function requireResponseStructure(response: XmlElement): void {
  const assertion = findChild(response, ns.saml, 'Assertion');
  const present = [...childrenNamed(response, ns.saml, 'Assertion'), ...childrenNamed(response, ns.saml, 'EncryptedAssertion')]
    .length;
  if (present > 1) throw new SamlError('SAML_STRUCTURE', 'a Response must hold exactly one assertion');
  requireCounts(response, { assertions: present, signatures: signaturesOf(response) + signaturesOf(assertion) });
}

/** The identity provider whose keys count: the one that was asked; for an unsolicited sign-in the one that says it sent it. */
function providerOf(response: XmlElement, expected: ResponseExpectation): IdentityProvider {
  const { configuration, pending } = expected;
  const now = configuration.now();
  if (pending === undefined) {
    const provider = requireIdentityProvider(configuration.identityProviders, readIssuer(response), now);
    if (!provider.policy.dangerouslyAllowUnsolicited) throw new SamlError('SAML_UNSOLICITED', 'no sign-in was begun here');
    return provider;
  }
  if (new Date(pending.expiresAt) <= now) throw new SamlError('SAML_REQUEST_EXPIRED', 'the sign-in took too long');
  return requireIdentityProvider(configuration.identityProviders, pending.identityProvider, now);
}

/** What the envelope says of itself. When the Response is unsigned these are only hints that can refuse, never identity. */
function requireResponseEnvelope(response: XmlElement, provider: IdentityProvider, expected: ResponseExpectation): void {
  requireIssuer(response, provider.entityId);
  requireDestination(response, expected.destination);
  const inResponseTo = findAttribute(response, 'InResponseTo');
  if (inResponseTo !== expected.pending?.requestId) {
    throw new SamlError('SAML_IN_RESPONSE_TO', `the Response answers ${quote(inResponseTo ?? '')}, not the pending request`);
  }
  const issued = requireEnvelope(response, clockOf(expected.configuration));
  requireNotBeforeRequest(issued, expected);
  requireSuccess(response);
}

/** What is older than its own question answers another one. */
function requireNotBeforeRequest(issued: Date, { pending, configuration }: ResponseExpectation): void {
  if (pending === undefined) return;
  if (issued.getTime() < new Date(pending.issuedAt).getTime() - configuration.clockSkewSeconds * 1000) {
    throw new SamlError('SAML_ISSUE_INSTANT', 'the answer is older than the request');
  }
}

/** Decrypted bytes pass everything that received ones pass. */
function openAssertion(wrapper: XmlElement, provider: IdentityProvider, configuration: Configuration): XmlDocument {
  const plain = decryptWrapped(wrapper, {
    keys: configuration.decryptionKeys.map(key => key.privateKey),
    allowCbc: provider.policy.dangerouslyAllowCbc,
  });
  const document = parseUntrusted(plain);
  try {
    validateAgainstSchema(document, 'protocol');
    if (!isNamed(document.root, ns.saml, 'Assertion'))
      throw new SamlError('SAML_STRUCTURE', 'what was encrypted is not an assertion');
    requireUniqueIds(document.root);
    requireCounts(document.root, { assertions: 1, signatures: signaturesOf(document.root) });
    return document;
  } catch (error) {
    document.dispose();
    throw error;
  }
}

const policyOf = (provider: IdentityProvider) => ({
  keys: provider.signingKeys,
  allowSha1: provider.policy.dangerouslyAllowSha1,
});

function verifyAssertion(
  assertion: XmlElement,
  responseSigned: boolean,
  provider: IdentityProvider,
): VerifiedElement | undefined {
  const verified = verifyEnvelopedSignature(assertion, policyOf(provider));
  if (verified === undefined && (!responseSigned || provider.policy.wantAssertionsSigned)) {
    throw new SamlError('SAML_SIGNATURE_MISSING', 'the assertion is not signed');
  }
  return verified;
}

function verifyResponseSignature(response: XmlElement, provider: IdentityProvider): VerifiedElement | undefined {
  const verified = verifyEnvelopedSignature(response, policyOf(provider));
  if (verified === undefined && provider.policy.wantResponseSigned)
    throw new SamlError('SAML_SIGNATURE_MISSING', 'the Response is not signed');
  return verified;
}

function readAssertionOf(
  response: XmlElement,
  responseSigned: boolean,
  provider: IdentityProvider,
  expected: ResponseExpectation,
): SamlIdentity {
  const { configuration } = expected;
  const found = getAssertionElement(response);
  const isEncrypted = isNamed(found, ns.saml, 'EncryptedAssertion');
  if (!isEncrypted && provider.policy.wantAssertionsEncrypted)
    throw new SamlError('SAML_ENCRYPTION_PROFILE', 'the assertion is not encrypted');
  const opened = isEncrypted ? openAssertion(found, provider, configuration) : undefined;
  try {
    using verified = verifyAssertion(opened?.root ?? found, responseSigned, provider);
    const facts = requireAssertion(verified?.root ?? opened?.root ?? found, expectationOf(provider, expected));
    return { ...facts, issuer: provider.entityId, inResponseTo: expected.pending?.requestId, assertionXml: verified?.signedXml };
  } finally {
    opened?.dispose();
  }
}

const expectationOf = (provider: IdentityProvider, expected: ResponseExpectation): AssertionExpectation => {
  const { configuration, pending } = expected;
  return {
    issuer: provider.entityId,
    audiences: [configuration.entityId],
    recipient: configuration.assertionConsumerServiceUrl,
    inResponseTo: pending?.requestId,
    notBeforeInstant: pending === undefined ? undefined : new Date(pending.issuedAt),
    freshSince: pending?.forceAuthn === true ? new Date(pending.issuedAt) : undefined,
    contextClasses: pending?.authnContexts ?? [],
    clientAddress: expected.clientAddress,
    clock: clockOf(configuration),
    decryption: { keys: configuration.decryptionKeys.map(key => key.privateKey), allowCbc: provider.policy.dangerouslyAllowCbc },
    needsAuthentication: true,
  };
};

/**
 * Verifies a Response and reads who signed in. Every step fails closed with its own code, in the order: bytes, parse,
 * schema, structure, signature, decryption, envelope, assertion. Identity is read from the bytes that were signed.
 */
export function verifyResponse(xml: Uint8Array, expected: ResponseExpectation): SamlIdentity {
  using document = readMessage(xml, responseName);
  requireResponseStructure(document.root);
  const provider = providerOf(document.root, expected);
  using verified = verifyResponseSignature(document.root, provider);
  const response = verified?.root ?? document.root;
  requireResponseEnvelope(response, provider, expected);
  return readAssertionOf(response, verified !== undefined, provider, expected);
}

/** Uses up the request and the assertion: after this neither works again, in any process that shares the store. */
export async function claimIdentity(
  configuration: Configuration,
  identity: SamlIdentity,
  pending: PendingSignIn | undefined,
): Promise<void> {
  if (pending !== undefined) await claimOnce(configuration, `request:${pending.requestId}`, new Date(pending.expiresAt));
  await claimOnce(configuration, `assertion:${keyOf(identity)}`, identity.usableUntil);
}

const keyOf = (identity: SamlIdentity): string => digest('sha256', `${identity.issuer}\n${identity.assertionId}`).toString('hex');
