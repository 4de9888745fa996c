import type { XmlElement } from 'libxml2-wasm';
import { quote, SamlError } from '../errors.ts';
import { type Clock, hasPassed, isFuture, readInstant } from '../values/instant.ts';
import { ns } from '../xml/names.ts';
import { childrenNamed, findAttribute, findChild, getAttribute, trimmedTextOf } from '../xml/xml.ts';

/** How and when the person signed in at the identity provider. */
export interface Authentication {
  /** When. */
  instant: Date;
  /** How: AuthnContextClassRef, a URI. */
  contextClass: string;
  /** The id of the session at the identity provider, for Single Logout. */
  sessionIndex: string | undefined;
  /** Our session must end by this time. */
  sessionNotOnOrAfter: Date | undefined;
}

/** The demands of the request on the authentication. */
export interface AuthenticationExpectation {
  /** When a fresh authentication was demanded (ForceAuthn). */
  freshSince: Date | undefined;
  /** One of these classes was demanded, exactly; empty means any. */
  contextClasses: readonly string[];
  clock: Clock;
}

function readContextClass(statement: XmlElement): string {
  const context = findChild(statement, ns.saml, 'AuthnContext');
  const reference = context === undefined ? undefined : findChild(context, ns.saml, 'AuthnContextClassRef');
  const text = reference === undefined ? '' : trimmedTextOf(reference);
  if (text === '') throw new SamlError('SAML_AUTHN_STATEMENT', 'the authentication has no context class');
  return text;
}

function requireExpected(found: Authentication, expected: AuthenticationExpectation): void {
  const { clock } = expected;
  if (isFuture(found.instant, clock)) throw new SamlError('SAML_AUTHN_STATEMENT', 'the time of authentication is in the future');
  if (found.sessionNotOnOrAfter !== undefined && hasPassed(found.sessionNotOnOrAfter, clock)) {
    throw new SamlError('SAML_EXPIRED', 'the session at the identity provider has ended');
  }
  if (expected.contextClasses.length > 0 && !expected.contextClasses.includes(found.contextClass)) {
    throw new SamlError('SAML_AUTHN_CONTEXT', `signed in with ${quote(found.contextClass)}, which was not requested`);
  }
  const oldest = (expected.freshSince?.getTime() ?? Number.NEGATIVE_INFINITY) - clock.toleranceSeconds * 1000;
  if (found.instant.getTime() < oldest)
    throw new SamlError('SAML_AUTHN_TOO_OLD', 'a fresh sign-in was requested; this one is older');
}

/** The only AuthnStatement of the assertion, checked against what was demanded. */
export function requireAuthentication(assertion: XmlElement, expected: AuthenticationExpectation): Authentication {
  const [statement, ...more] = childrenNamed(assertion, ns.saml, 'AuthnStatement');
  if (statement === undefined || more.length > 0)
    throw new SamlError('SAML_AUTHN_STATEMENT', 'the assertion must contain exactly one AuthnStatement');
  const end = findAttribute(statement, 'SessionNotOnOrAfter');
  const found = {
    instant: readInstant(getAttribute(statement, 'AuthnInstant')),
    contextClass: readContextClass(statement),
    sessionIndex: findAttribute(statement, 'SessionIndex'),
    sessionNotOnOrAfter: end === undefined ? undefined : readInstant(end),
  };
  requireExpected(found, expected);
  return found;
}
