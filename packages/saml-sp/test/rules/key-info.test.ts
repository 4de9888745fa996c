import { rule } from '../support/rule.ts';

const keyInfo = (content: string) => ({ signAssertion: { keyInfo: `<ds:KeyInfo>${content}</ds:KeyInfo>` } });
const attacker = (content: string) => ({
  sign: 'assertion' as const,
  signAssertion: { key: 'attacker' as const, keyInfo: `<ds:KeyInfo>${content}</ds:KeyInfo>` },
});

rule('takes keys only from metadata, never from KeyInfo (trusting KeyInfo, key confusion, outbound requests)', [
  { name: 'RetrievalMethod', code: 'SAML_SIGNATURE_PROFILE', ...keyInfo('<ds:RetrievalMethod URI="http://127.0.0.1:9/key"/>') },
  {
    name: 'KeyInfoReference',
    code: 'SAML_SIGNATURE_PROFILE',
    ...keyInfo('<dsig11:KeyInfoReference xmlns:dsig11="http://www.w3.org/2009/xmldsig11#" URI="http://127.0.0.1:9/key"/>'),
  },
  { name: 'MgmtData', code: 'SAML_SIGNATURE_PROFILE', ...keyInfo('<ds:MgmtData>x</ds:MgmtData>') },
  { name: 'an element nobody defined', code: 'SAML_SIGNATURE_PROFILE', ...keyInfo('<x:Key xmlns:x="urn:x"/>') },
  {
    name: 'the attacker’s KeyValue',
    code: 'SAML_SIGNATURE_INVALID',
    ...attacker(
      '<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>AQAB</ds:Modulus><ds:Exponent>AQAB</ds:Exponent></ds:RSAKeyValue></ds:KeyValue>',
    ),
  },
  {
    name: 'a DSA KeyValue',
    code: 'SAML_SIGNATURE_INVALID',
    ...attacker('<ds:KeyValue><ds:DSAKeyValue><ds:Y>AQAB</ds:Y></ds:DSAKeyValue></ds:KeyValue>'),
  },
  {
    name: 'a certificate that is none',
    code: 'accepted',
    ...keyInfo('<ds:X509Data><ds:X509Certificate>AAAA</ds:X509Certificate></ds:X509Data>'),
  },
  { name: 'a KeyName', code: 'accepted', ...keyInfo('<ds:KeyName>../../dev/null</ds:KeyName>') },
]);
