import type { XmlElement } from 'libxml2-wasm';
import { quote, SamlError } from '../errors.ts';
import { type Clock, hasPassed, isFuture, readInstant } from '../values/instant.ts';
import { ns } from '../xml/names.ts';
import { childElements, childrenNamed, findAttribute, findChild, isNamed, trimmedTextOf } from '../xml/xml.ts';

/** Conditions that are understood. Any other makes the assertion unusable (saml-core-2.0 2.5.1.1). */
const understood = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'] as const;

function requireAudience(conditions: XmlElement, audiences: readonly string[]): void {
  const restrictions = childrenNamed(conditions, ns.saml, 'AudienceRestriction');
  if (restrictions.length === 0) throw new SamlError('SAML_AUDIENCE', 'the assertion names no audience');
  // All restrictions must hold; within each, one matching audience is enough (saml-core-2.0 2.5.1.4).
  for (const restriction of restrictions) {
    const named = childrenNamed(restriction, ns.saml, 'Audience').map(trimmedTextOf);
    if (!named.some(one => audiences.includes(one))) {
      throw new SamlError('SAML_AUDIENCE', `the assertion is for ${quote(named[0] ?? '')}, not for us`);
    }
  }
}

function requireUnderstood(conditions: XmlElement): void {
  for (const child of childElements(conditions)) {
    if (!understood.some(name => isNamed(child, ns.saml, name))) {
      throw new SamlError('SAML_CONDITIONS', `the condition ${quote(child.name)} is not supported`);
    }
  }
  findChild(conditions, ns.saml, 'OneTimeUse');
  findChild(conditions, ns.saml, 'ProxyRestriction');
}

/**
 * Checks an assertion's Conditions: each is understood, the time is right, and the audience is us. OneTimeUse needs nothing more:
 * here every assertion can be used only once. ProxyRestriction binds only those who pass assertions on, which we do not.
 * @param audiences the names that we accept as ours
 * @returns its NotOnOrAfter
 */
export function requireConditions(assertion: XmlElement, audiences: readonly string[], clock: Clock): Date {
  const conditions = findChild(assertion, ns.saml, 'Conditions');
  if (conditions === undefined) throw new SamlError('SAML_CONDITIONS', 'the assertion has no Conditions');
  requireUnderstood(conditions);
  const notBefore = findAttribute(conditions, 'NotBefore');
  const notOnOrAfter = findAttribute(conditions, 'NotOnOrAfter');
  if (notOnOrAfter === undefined) throw new SamlError('SAML_EXPIRED', 'the assertion does not say when it expires');
  const end = readInstant(notOnOrAfter);
  // A period that ends before it begins is never valid, however far clocks may differ (saml-core-2.0 2.5.1.2).
  if (notBefore !== undefined && readInstant(notBefore) >= end)
    throw new SamlError('SAML_CONDITIONS', `the assertion ends at ${quote(notOnOrAfter)}, before it begins`);
  if (notBefore !== undefined && isFuture(readInstant(notBefore), clock)) {
    throw new SamlError('SAML_NOT_YET_VALID', `the assertion is not valid before ${quote(notBefore)}`);
  }
  if (hasPassed(end, clock)) throw new SamlError('SAML_EXPIRED', `the assertion expired at ${quote(notOnOrAfter)}`);
  requireAudience(conditions, audiences);
  return end;
}
