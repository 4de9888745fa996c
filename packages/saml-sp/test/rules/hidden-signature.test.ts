import { rule } from '../support/rule.ts';

const xmlns = 'xmlns:ds="http://www.w3.org/2000/09/xmldsig#"';
const signatureOf = (xml: string): string => /<ds:Signature .*?<\/ds:Signature>/s.exec(xml)?.[0] ?? '';
const detail = (text: string) => (xml: string) =>
  xml.replace('</samlp:Status>', () => `<samlp:StatusDetail>${text}</samlp:StatusDetail></samlp:Status>`);

rule('refuses a hidden signature, or a part of one (smuggled DigestValue, decoy algorithms, misplaced SignedInfo)', [
  {
    name: 'a DigestValue in StatusDetail',
    code: 'SAML_SIGNATURE_INVALID',
    sign: 'assertion',
    modes: ['plain'],
    signedAssertion: xml => xml.replace('alice', 'admin'),
    wire: detail(`<ds:DigestValue ${xmlns}>AAAA</ds:DigestValue>`),
  },
  {
    name: 'a Reference in StatusDetail',
    code: 'SAML_SIGNATURE_INVALID',
    sign: 'assertion',
    signedAssertion: xml => xml.replace('alice', 'admin'),
    wire: detail(
      `<ds:Reference ${xmlns} URI="#_assertion1"><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>AAAA</ds:DigestValue></ds:Reference>`,
    ),
  },
  {
    name: 'a SignedInfo in StatusDetail',
    code: 'SAML_SCHEMA_INVALID',
    sign: 'assertion',
    wire: detail(`<ds:SignedInfo ${xmlns}/>`),
  },
  { name: 'a whole Signature in StatusDetail', code: 'SAML_STRUCTURE', sign: 'both', wire: xml => detail(signatureOf(xml))(xml) },
  {
    name: 'a whole Signature in Extensions',
    code: 'SAML_STRUCTURE',
    sign: 'both',
    wire: xml => xml.replace('<samlp:Status>', () => `<samlp:Extensions>${signatureOf(xml)}</samlp:Extensions><samlp:Status>`),
  },
  {
    name: 'ds:Object with a decoy SignatureMethod before SignedInfo',
    code: 'SAML_SCHEMA_INVALID',
    signAssertion: {
      tamper: xml => xml.replace('<ds:SignedInfo', '<ds:Object><ds:SignatureMethod Algorithm="x"/></ds:Object><ds:SignedInfo'),
    },
  },
  {
    name: 'ds:Object after KeyInfo',
    code: 'SAML_SIGNATURE_PROFILE',
    signAssertion: { tamper: xml => xml.replace('</ds:Signature>', '<ds:Object>x</ds:Object></ds:Signature>') },
  },
  {
    name: 'ds:Object in place of KeyInfo',
    code: 'SAML_SIGNATURE_PROFILE',
    signAssertion: { keyInfo: '<ds:Object>x</ds:Object>' },
  },
  {
    name: 'two SignedInfo, the good one first',
    code: 'SAML_SCHEMA_INVALID',
    signAssertion: { tamper: xml => xml.replace(/<ds:SignedInfo.*<\/ds:SignedInfo>/s, found => found + found) },
  },
  {
    name: 'two SignedInfo, the second in ds:Object',
    code: 'SAML_STRUCTURE',
    signAssertion: {
      tamper: xml => xml.replace(/(<ds:SignedInfo.*<\/ds:SignedInfo>)(.*)(<\/ds:Signature>)/s, '$1$2<ds:Object>$1</ds:Object>$3'),
    },
  },
  {
    name: 'SignedInfo wrapped one level deeper',
    code: 'SAML_SCHEMA_INVALID',
    signAssertion: {
      tamper: xml =>
        xml.replace('<ds:SignedInfo>', '<ds:Object><ds:SignedInfo>').replace('</ds:SignedInfo>', '</ds:SignedInfo></ds:Object>'),
    },
  },
  {
    name: 'two SignatureValue',
    code: 'SAML_SCHEMA_INVALID',
    signAssertion: { tamper: xml => xml.replace(/<ds:SignatureValue>.*<\/ds:SignatureValue>/, found => found + found) },
  },
  {
    name: 'two CanonicalizationMethod',
    code: 'SAML_SCHEMA_INVALID',
    signAssertion: {
      signedInfo: xml => xml.replace(/<ds:CanonicalizationMethod.*<\/ds:CanonicalizationMethod>/, found => found + found),
    },
  },
  {
    name: 'two SignatureMethod',
    code: 'SAML_SCHEMA_INVALID',
    signAssertion: { signedInfo: xml => xml.replace(/<ds:SignatureMethod.*<\/ds:SignatureMethod>/, found => found + found) },
  },
  {
    name: 'two Signatures in one element',
    code: 'SAML_SCHEMA_INVALID',
    sign: 'assertion',
    signedAssertion: xml => xml.replace(/<ds:Signature .*<\/ds:Signature>/s, found => found + found),
  },
  {
    name: 'a Manifest',
    code: 'SAML_SIGNATURE_PROFILE',
    signAssertion: {
      tamper: xml =>
        xml.replace(
          '</ds:Signature>',
          '<ds:Object><ds:Manifest><ds:Reference><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>AAAA</ds:DigestValue></ds:Reference></ds:Manifest></ds:Object></ds:Signature>',
        ),
    },
  },
]);
