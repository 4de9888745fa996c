import { rule } from '../support/rule.ts';

const value = (text: string) => ({
  sign: 'assertion' as const,
  signAssertion: { tamper: (xml: string) => xml.replace(/<ds:SignatureValue>[^<]*/, `<ds:SignatureValue>${text}`) },
});
const digest = (text: string) => ({
  sign: 'assertion' as const,
  signAssertion: { signedInfo: (xml: string) => xml.replace(/<ds:DigestValue>[^<]*/, `<ds:DigestValue>${text}`) },
});
const bytes = (count: number) => Buffer.alloc(count, 0xa5).toString('base64');
const change = (tamper: (xml: string) => string) => ({ sign: 'assertion' as const, signAssertion: { tamper } });

rule('refuses an odd signature value (comments in DigestValue, errors taken for success)', [
  { name: 'empty', code: 'SAML_SIGNATURE_PROFILE', ...value('') },
  { name: '1 byte', code: 'SAML_SIGNATURE_INVALID', ...value(bytes(1)) },
  { name: '255 bytes', code: 'SAML_SIGNATURE_INVALID', ...value(bytes(255)) },
  { name: '257 bytes', code: 'SAML_SIGNATURE_INVALID', ...value(bytes(257)) },
  { name: '256 bytes of zero', code: 'SAML_SIGNATURE_INVALID', ...value(Buffer.alloc(256).toString('base64')) },
  { name: '64 kB', code: 'SAML_SIGNATURE_INVALID', ...value(bytes(65_536)) },
  { name: 'not base64', code: 'SAML_SCHEMA_INVALID', ...value('*not base64*') },
  {
    name: 'junk behind the padding',
    code: 'SAML_SCHEMA_INVALID',
    ...change(xml => xml.replace('</ds:SignatureValue>', '==AA</ds:SignatureValue>')),
  },
  { name: 'url-safe base64', code: 'SAML_SIGNATURE_PROFILE', ...value(`${bytes(255)}-_`) },
  {
    name: 'a comment in DigestValue',
    code: 'SAML_XML_DOCTYPE',
    ...change(xml => xml.replace('<ds:DigestValue>', '<ds:DigestValue><!--x-->')),
  },
  {
    name: 'a processing instruction in DigestValue',
    code: 'SAML_XML_DOCTYPE',
    ...change(xml => xml.replace('<ds:DigestValue>', '<ds:DigestValue><?x y?>')),
  },
  {
    name: 'CDATA in SignatureValue',
    code: 'SAML_XML_DOCTYPE',
    ...change(xml => xml.replace(/<ds:SignatureValue>([^<]*)/, '<ds:SignatureValue><![CDATA[$1]]>')),
  },
  {
    name: 'an element in DigestValue',
    code: 'SAML_SCHEMA_INVALID',
    ...change(xml => xml.replace('</ds:DigestValue>', '<x/></ds:DigestValue>')),
  },
  {
    name: 'a comment in X509Certificate',
    code: 'SAML_XML_DOCTYPE',
    ...change(xml => xml.replace('<ds:X509Certificate>', '<ds:X509Certificate><!---->')),
  },
  { name: 'DigestValue empty', code: 'SAML_SIGNATURE_PROFILE', ...digest('') },
  { name: 'the digest of nothing', code: 'SAML_SIGNATURE_INVALID', ...digest('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=') },
  { name: 'the sha1 digest of nothing', code: 'SAML_SIGNATURE_INVALID', ...digest('2jmj7l5rSw0yVb/vlWAYkK/YBwk=') },
  {
    name: 'folded over lines',
    code: 'accepted',
    ...change(xml =>
      xml.replace(/<ds:SignatureValue>([^<]*)/, (_, text: string) => `<ds:SignatureValue>\n${text.replace(/.{64}/g, '$&\n')}\n`),
    ),
  },
]);
