import { validPieces } from '../support/response.ts';
import { rule } from '../support/rule.ts';
import { at } from '../support/world.ts';

const instant = (seconds: number) => (xml: string) => xml.replace(/AuthnInstant="[^"]*"/, `AuthnInstant="${at(seconds)}"`);
const password = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
const mfa = 'https://refeds.org/profile/mfa';
const end = (seconds: number) => (xml: string) =>
  xml.replace(' SessionIndex', ` SessionNotOnOrAfter="${at(seconds)}" SessionIndex`);

rule('accepts only the requested authentication (saml-core-2.0 2.7.2, 3.3.2.2.1)', [
  { name: 'AuthnStatement missing', code: 'SAML_AUTHN_STATEMENT', pieces: { authn: '' } },
  { name: 'two AuthnStatements', code: 'SAML_AUTHN_STATEMENT', pieces: { authn: validPieces.authn + validPieces.authn } },
  {
    name: 'class missing',
    code: 'SAML_AUTHN_STATEMENT',
    assertion: xml =>
      xml.replace(
        /<saml:AuthnContextClassRef>.*<\/saml:AuthnContextClassRef>/,
        '<saml:AuthnContextDeclRef>urn:x</saml:AuthnContextDeclRef>',
      ),
  },
  { name: 'class empty', code: 'SAML_AUTHN_STATEMENT', assertion: xml => xml.replace(password, '') },
  { name: 'AuthnInstant in the future', code: 'SAML_AUTHN_STATEMENT', assertion: instant(61) },
  { name: 'SessionNotOnOrAfter passed', code: 'SAML_EXPIRED', assertion: end(-61) },
  { name: 'SessionNotOnOrAfter to come', code: 'accepted', assertion: end(60) },
  { name: 'another class than asked for', code: 'SAML_AUTHN_CONTEXT', pending: { authnContexts: [mfa] } },
  { name: 'the class asked for', code: 'accepted', pending: { authnContexts: [mfa, password] } },
  {
    name: 'a class that only begins like the one asked for',
    code: 'SAML_AUTHN_CONTEXT',
    pending: { authnContexts: [`${password}/strong`] },
  },
  {
    name: 'a fresh sign-in was asked for, the person signed in yesterday',
    code: 'SAML_AUTHN_TOO_OLD',
    pending: { forceAuthn: true },
    assertion: instant(-86_400),
  },
  {
    name: 'a fresh sign-in was asked for, the person signed in before, within the tolerance',
    code: 'accepted',
    pending: { forceAuthn: true },
    assertion: instant(-90),
  },
  {
    name: 'a fresh sign-in was asked for, the person signed in before, a second beyond the tolerance',
    code: 'SAML_AUTHN_TOO_OLD',
    pending: { forceAuthn: true },
    assertion: instant(-91),
  },
  { name: 'a fresh sign-in was asked for and made', code: 'accepted', pending: { forceAuthn: true } },
  { name: 'an old sign-in when no fresh one was asked for', code: 'accepted', assertion: instant(-86_400) },
]);
