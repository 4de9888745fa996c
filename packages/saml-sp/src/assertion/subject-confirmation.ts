import type { XmlElement } from 'libxml2-wasm';
import { quote, SamlError } from '../errors.ts';
import { type Clock, hasPassed, readInstant } from '../values/instant.ts';
import { isSameAddress } from '../values/network-address.ts';
import { bearer, ns } from '../xml/names.ts';
import { childrenNamed, findAttribute, findChild, getAttribute } from '../xml/xml.ts';

/** The facts that a bearer confirmation must match to count here and now. */
export interface ConfirmationExpectation {
  /** Our own address, compared exactly. */
  recipient: string;
  /** The pending request; undefined when the sign-in is unsolicited, and then the confirmation may name none. */
  inResponseTo: string | undefined;
  /** The browser's address, if the caller wants an Address to be checked. */
  clientAddress: string | undefined;
  clock: Clock;
}

/** An identifier in a confirmation names someone else who may present the assertion. That is not us, so it is not supported. */
function requireNoHolder(confirmation: XmlElement): void {
  for (const name of ['NameID', 'BaseID', 'EncryptedID']) {
    if (findChild(confirmation, ns.saml, name) !== undefined) {
      throw new SamlError('SAML_SUBJECT_CONFIRMATION', 'the confirmation names another party');
    }
  }
}

function requireAnswer(data: XmlElement, expected: ConfirmationExpectation): void {
  const inResponseTo = findAttribute(data, 'InResponseTo');
  if (inResponseTo !== expected.inResponseTo) {
    throw new SamlError(
      'SAML_IN_RESPONSE_TO',
      `the subject is confirmed for request ${quote(inResponseTo ?? '')}, not for the pending one`,
    );
  }
}

function requireTime(data: XmlElement, clock: Clock): void {
  if (findAttribute(data, 'NotBefore') !== undefined) {
    throw new SamlError(
      'SAML_SUBJECT_CONFIRMATION',
      'a bearer confirmation must not carry NotBefore (saml-profiles-2.0 4.1.4.2)',
    );
  }
  const text = findAttribute(data, 'NotOnOrAfter');
  if (text === undefined) throw new SamlError('SAML_SUBJECT_CONFIRMATION', 'a bearer confirmation must carry NotOnOrAfter');
  const notOnOrAfter = readInstant(text);
  if (hasPassed(notOnOrAfter, clock)) throw new SamlError('SAML_EXPIRED', `the subject confirmation expired at ${quote(text)}`);
}

/** Checks one bearer confirmation against all its rules (saml-profiles-2.0 4.1.4.3). */
function requireConfirmation(confirmation: XmlElement, expected: ConfirmationExpectation): void {
  requireNoHolder(confirmation);
  const data = findChild(confirmation, ns.saml, 'SubjectConfirmationData');
  if (data === undefined) throw new SamlError('SAML_SUBJECT_CONFIRMATION', 'SubjectConfirmationData is missing');
  const recipient = findAttribute(data, 'Recipient');
  if (recipient !== expected.recipient)
    throw new SamlError('SAML_RECIPIENT', `the assertion is for ${quote(recipient ?? '')}, not for us`);
  requireTime(data, expected.clock);
  requireAnswer(data, expected);
  const address = findAttribute(data, 'Address');
  if (address !== undefined && expected.clientAddress !== undefined && !isSameAddress(address, expected.clientAddress)) {
    throw new SamlError('SAML_SUBJECT_CONFIRMATION', `the subject was confirmed for another network address ${quote(address)}`);
  }
}

/** When a confirmation ends. One whose end cannot be read is never valid. */
function endOf(confirmation: XmlElement): number {
  const data = findChild(confirmation, ns.saml, 'SubjectConfirmationData');
  const text = data === undefined ? undefined : findAttribute(data, 'NotOnOrAfter');
  try {
    return text === undefined ? Number.NEGATIVE_INFINITY : readInstant(text).getTime();
  } catch {
    return Number.NEGATIVE_INFINITY;
  }
}

/**
 * At least one bearer confirmation of the subject must be valid; the rest are ignored. When none is, the first one's fault is
 * reported.
 * @returns the latest end of any bearer confirmation: how long the assertion's ID must be remembered. One that is not valid here
 * and now may be valid later, at another of our addresses or from another network address.
 */
export function requireBearerConfirmation(subject: XmlElement, expected: ConfirmationExpectation): Date {
  const confirmations = childrenNamed(subject, ns.saml, 'SubjectConfirmation').filter(
    one => getAttribute(one, 'Method') === bearer,
  );
  let fault: unknown;
  for (const [at, confirmation] of confirmations.entries()) {
    try {
      requireConfirmation(confirmation, expected);
      return new Date(Math.max(...confirmations.map(endOf)));
    } catch (error) {
      if (at === 0) fault = error;
    }
  }
  throw fault ?? new SamlError('SAML_SUBJECT_CONFIRMATION', 'the subject has no bearer confirmation');
}
