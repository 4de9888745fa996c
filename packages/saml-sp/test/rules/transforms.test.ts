import { rule } from '../support/rule.ts';

const profile = 'SAML_SIGNATURE_PROFILE' as const;
const dsig = 'http://www.w3.org/2000/09/xmldsig#';
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const one = (algorithm: string, content = '') => `<ds:Transform Algorithm="${algorithm}">${content}</ds:Transform>`;
const list = (...transforms: string[]) => ({ signAssertion: { transforms: transforms.join('') } });
const enveloped = one(`${dsig}enveloped-signature`);

rule(
  'accepts only the two transforms, and evaluates no other (saml-core-2.0 5.4.4; key bombs and transforms, outbound requests)',
  [
    { name: 'none', code: 'SAML_SCHEMA_INVALID', ...list() },
    { name: 'only enveloped', code: profile, ...list(enveloped) },
    { name: 'only exclusive canonicalization', code: profile, ...list(one(exclusive)) },
    { name: 'the other way round', code: profile, ...list(one(exclusive), enveloped) },
    { name: 'enveloped twice', code: profile, ...list(enveloped, enveloped) },
    { name: 'three', code: profile, ...list(enveloped, enveloped, one(exclusive)) },
    { name: 'with comments', code: profile, ...list(enveloped, one(`${exclusive}WithComments`)) },
    {
      name: 'inclusive canonicalization',
      code: profile,
      ...list(enveloped, one('http://www.w3.org/TR/2001/REC-xml-c14n-20010315')),
    },
    { name: 'canonicalization 1.1', code: profile, ...list(enveloped, one('http://www.w3.org/2006/12/xml-c14n11')) },
    {
      name: 'XPath',
      code: profile,
      ...list(
        one('http://www.w3.org/TR/1999/REC-xpath-19991116', '<ds:XPath>not(ancestor-or-self::ds:Signature)</ds:XPath>'),
        one(exclusive),
      ),
    },
    {
      name: 'XPath filter 2',
      code: profile,
      ...list(
        one(
          'http://www.w3.org/2002/06/xmldsig-filter2',
          '<x:XPath xmlns:x="http://www.w3.org/2002/06/xmldsig-filter2" Filter="intersect">/</x:XPath>',
        ),
        one(exclusive),
      ),
    },
    {
      name: 'XSLT',
      code: profile,
      ...list(
        one(
          'http://www.w3.org/TR/1999/REC-xslt-19991116',
          '<x:stylesheet xmlns:x="http://www.w3.org/1999/XSL/Transform" version="1.0"/>',
        ),
        one(exclusive),
      ),
    },
    { name: 'base64', code: profile, ...list(one(`${dsig}base64`), one(exclusive)) },
    { name: 'an algorithm with white space behind it', code: profile, ...list(enveloped, one(`${exclusive} `)) },
    { name: 'an algorithm named like a property of every object', code: profile, ...list(enveloped, one('constructor')) },
    {
      name: 'enveloped with something in it',
      code: profile,
      ...list(one(`${dsig}enveloped-signature`, '<ds:XPath>1</ds:XPath>'), one(exclusive)),
    },
  ],
);
