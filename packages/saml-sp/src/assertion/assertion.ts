import type { XmlElement } from 'libxml2-wasm';
import { SamlError } from '../errors.ts';
import type { DecryptionPolicy } from '../keys/encryption.ts';
import { requireEnvelope, requireIssuer } from '../messages/protocol-message.ts';
import type { Clock } from '../values/instant.ts';
import { getAttribute } from '../xml/xml.ts';
import { readAttributes, type SamlAttribute } from './attributes.ts';
import { type Authentication, requireAuthentication } from './authn-statement.ts';
import { requireConditions } from './conditions.ts';
import { findNameId, getSubject, type NameId } from './subject.ts';
import { requireBearerConfirmation } from './subject-confirmation.ts';

/** The contents of an assertion that passed every check. */
export interface AssertionFacts {
  assertionId: string;
  /** When the provider issued it, by its clock (IssueInstant): a logout issued since then ends the session it begins. */
  issuedAt: Date;
  /** Absent when the provider names the person by an attribute alone (subject-id). */
  nameId: NameId | undefined;
  attributes: SamlAttribute[];
  /** Absent only in a token exchange. */
  authentication: Authentication | undefined;
  /** From when on the assertion can no longer be presented. */
  usableUntil: Date;
}

/** The facts that the assertion is checked against. */
export interface AssertionExpectation {
  issuer: string;
  audiences: readonly string[];
  recipient: string;
  inResponseTo: string | undefined;
  /** The time of the request; an older assertion answers another one. */
  notBeforeInstant: Date | undefined;
  freshSince: Date | undefined;
  contextClasses: readonly string[];
  clientAddress: string | undefined;
  clock: Clock;
  decryption: DecryptionPolicy;
  /** A sign-in needs an AuthnStatement; a token exchange does not. */
  needsAuthentication: boolean;
}

function requireIssueInstant(assertion: XmlElement, expected: AssertionExpectation): Date {
  const issued = requireEnvelope(assertion, expected.clock);
  const oldest = (expected.notBeforeInstant?.getTime() ?? Number.NEGATIVE_INFINITY) - expected.clock.toleranceSeconds * 1000;
  if (issued.getTime() < oldest) throw new SamlError('SAML_ISSUE_INSTANT', 'the assertion is older than the request');
  return issued;
}

/**
 * Checks an assertion against every rule that does not concern signatures (saml-core-2.0 2, saml-profiles-2.0 4.1.4.3). The
 * element must be made of signed bytes: nothing here looks outside it.
 */
export function requireAssertion(assertion: XmlElement, expected: AssertionExpectation): AssertionFacts {
  requireIssuer(assertion, expected.issuer);
  const issuedAt = requireIssueInstant(assertion, expected);
  const subject = getSubject(assertion);
  const nameId = findNameId(subject, expected.decryption);
  const confirmedUntil = requireBearerConfirmation(subject, expected);
  const end = requireConditions(assertion, expected.audiences, expected.clock);
  return {
    assertionId: getAttribute(assertion, 'ID'),
    issuedAt,
    nameId,
    attributes: readAttributes(assertion),
    authentication: expected.needsAuthentication ? requireAuthentication(assertion, expected) : undefined,
    usableUntil: new Date(Math.min(end.getTime(), confirmedUntil.getTime())),
  };
}
