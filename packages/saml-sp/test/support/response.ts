import { bearer, ns } from '../../src/xml/names.ts';
import { changed } from './changed.ts';
import { type EncryptOptions, encryptElement } from './encryptor.ts';
import { type SignOptions, signElement } from './signer.ts';
import { at, idp, pending, sp } from './world.ts';

/** The pieces of a valid Response; a fault replaces one of them. Every piece is XML text. */
export interface ResponsePieces {
  responseAttributes: string;
  responseIssuer: string;
  extensions: string;
  status: string;
  assertionAttributes: string;
  assertionIssuer: string;
  subject: string;
  confirmation: string;
  confirmationData: string;
  conditions: string;
  audience: string;
  advice: string;
  authn: string;
  attributes: string;
  afterAssertion: string;
}

const issuer = `<saml:Issuer>${idp.entityId}</saml:Issuer>`;
const classRef = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
const success = '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>';

export const validPieces: ResponsePieces = {
  responseAttributes: `ID="_response1" Version="2.0" IssueInstant="${at(-5)}" Destination="${sp.acs}" InResponseTo="${pending.requestId}"`,
  responseIssuer: issuer,
  extensions: '',
  status: success,
  assertionAttributes: `ID="_assertion1" Version="2.0" IssueInstant="${at(-5)}"`,
  assertionIssuer: issuer,
  subject:
    '<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">alice</saml:NameID>{confirmation}</saml:Subject>',
  confirmation: `<saml:SubjectConfirmation Method="${bearer}">{confirmationData}</saml:SubjectConfirmation>`,
  confirmationData: `<saml:SubjectConfirmationData NotOnOrAfter="${at(300)}" Recipient="${sp.acs}" InResponseTo="${pending.requestId}"/>`,
  conditions: `<saml:Conditions NotBefore="${at(-5)}" NotOnOrAfter="${at(300)}">{audience}</saml:Conditions>`,
  audience: `<saml:AudienceRestriction><saml:Audience>${sp.entityId}</saml:Audience></saml:AudienceRestriction>`,
  advice: '',
  authn: `<saml:AuthnStatement AuthnInstant="${at(-10)}" SessionIndex="_session1"><saml:AuthnContext><saml:AuthnContextClassRef>${classRef}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
  attributes:
    '<saml:AttributeStatement><saml:Attribute Name="urn:oid:0.9.2342.19200300.100.1.3" FriendlyName="mail"><saml:AttributeValue>alice@example.edu</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>',
  afterAssertion: '',
};

/** How one fixture is made. Steps run in this order; each may be wrong on purpose. */
export interface ResponseRecipe {
  /** Replaces pieces before anything is signed: the identity provider itself is at fault. */
  pieces?: Partial<ResponsePieces>;
  /** Which elements are signed: both unless said. */
  sign?: 'both' | 'response' | 'assertion' | 'none';
  signAssertion?: SignOptions;
  signResponse?: SignOptions;
  /** Changes the assertion before it is signed. */
  assertion?: (xml: string) => string;
  /** Changes the assertion after it was signed, before it is encrypted: an attacker's step. */
  signedAssertion?: (xml: string) => string;
  encrypt?: EncryptOptions | undefined;
  /** Changes the Response before it is signed. */
  response?: (xml: string) => string;
  /** Changes the finished text on its way. */
  wire?: (xml: string) => string | Uint8Array;
}

const fill = (template: string, pieces: ResponsePieces): string =>
  template
    .replace('{confirmation}', pieces.confirmation)
    .replace('{confirmationData}', pieces.confirmationData)
    .replace('{audience}', pieces.audience);

/** The assertion of a recipe, signed or not. */
export function buildAssertion(recipe: ResponseRecipe = {}): string {
  const pieces = { ...validPieces, ...recipe.pieces };
  const sign = recipe.sign ?? 'both';
  const xml =
    `<saml:Assertion xmlns:saml="${ns.saml}" ${pieces.assertionAttributes}>${pieces.assertionIssuer}${fill(pieces.subject, pieces)}` +
    `${fill(pieces.conditions, pieces)}${pieces.advice}${pieces.authn}${pieces.attributes}</saml:Assertion>`;
  const plain = changed(recipe.assertion, xml) as string;
  const signed = sign === 'both' || sign === 'assertion' ? signElement(plain, idOf(plain), recipe.signAssertion) : plain;
  return changed(recipe.signedAssertion, signed) as string;
}

const idOf = (xml: string): string => /\sID="([^"]*)"/.exec(xml)?.[1] ?? '';

/** A whole Response as it goes over the wire. */
export function buildResponse(recipe: ResponseRecipe = {}): string | Uint8Array {
  const pieces = { ...validPieces, ...recipe.pieces };
  const sign = recipe.sign ?? 'both';
  const assertion = buildAssertion(recipe);
  const carried = recipe.encrypt === undefined ? assertion : encryptElement(assertion, 'EncryptedAssertion', recipe.encrypt);
  const xml =
    `<samlp:Response xmlns:samlp="${ns.samlp}" xmlns:saml="${ns.saml}" ${pieces.responseAttributes}>` +
    `${pieces.responseIssuer}${pieces.extensions}${pieces.status}${carried}${pieces.afterAssertion}</samlp:Response>`;
  const plain = changed(recipe.response, xml) as string;
  const signed = sign === 'both' || sign === 'response' ? signElement(plain, idOf(plain), recipe.signResponse) : plain;
  return changed(recipe.wire, signed);
}
