import { rule } from '../support/rule.ts';

const profile = 'SAML_SIGNATURE_PROFILE' as const;
const prefixes = (prefixList: string) => ({ sign: 'assertion' as const, signAssertion: { prefixList } });
const both = (prefixList: string, ofResponse?: string) => ({
  sign: 'both' as const,
  signAssertion: { prefixList },
  ...(ofResponse === undefined ? {} : { signResponse: { prefixList: ofResponse } }),
});
const declared = {
  assertion: (xml: string) => xml.replace('<saml:Assertion ', '<saml:Assertion xmlns:xs="http://www.w3.org/2001/XMLSchema" '),
};

rule('reads InclusiveNamespaces with a few prefixes (xml-exc-c14n 3)', [
  { name: 'xs, as Shibboleth sends it', code: 'accepted', ...declared, ...prefixes('xs') },
  { name: 'xs for the assertion, where the Response is signed without it', code: 'accepted', ...declared, ...both('xs') },
  { name: 'xs and saml for the assertion, saml for the Response', code: 'accepted', ...declared, ...both('xs saml', 'saml') },
  {
    name: 'a prefix that the signature of the Response leaves out, bound anew on its way',
    code: 'SAML_SIGNATURE_INVALID',
    ...declared,
    ...both('xs'),
    wire: xml => xml.replace('xmlns:xs="http://www.w3.org/2001/XMLSchema"', 'xmlns:xs="urn:evil"'),
    // An encrypted assertion cannot be changed on its way.
    modes: ['plain'],
  },
  { name: 'an empty list', code: 'accepted', sign: 'assertion', signAssertion: { prefixList: '' } },
  {
    name: '#default without a default namespace, as ComponentSpace sends it',
    code: 'accepted',
    ...prefixes('#default saml ds xs xsi'),
  },
  {
    name: '#default with a default namespace that is used',
    code: 'accepted',
    ...prefixes('#default'),
    assertion: xml => xml.replace('xmlns:saml=', 'xmlns=').replaceAll('saml:', ''),
  },
  {
    name: 'prefixes that are not in scope, as Salesforce and DigiD send them',
    code: 'accepted',
    ...prefixes('ds saml xs xsi evil'),
  },
  {
    name: 'a prefix that only an element inside declares',
    code: 'accepted',
    ...prefixes('inner'),
    assertion: xml => xml.replace('<saml:AttributeValue>', '<saml:AttributeValue xmlns:inner="urn:inner">'),
  },
  {
    name: 'a listed prefix bound anew after it was signed',
    code: 'SAML_SIGNATURE_INVALID',
    ...prefixes('xs'),
    ...declared,
    signedAssertion: xml => xml.replace('xmlns:xs="http://www.w3.org/2001/XMLSchema"', 'xmlns:xs="urn:evil"'),
  },
  {
    name: 'a listed prefix that was not in scope is declared after it was signed',
    code: 'SAML_SIGNATURE_INVALID',
    ...prefixes('evil'),
    signedAssertion: xml => xml.replace('<saml:Assertion ', '<saml:Assertion xmlns:evil="urn:evil" '),
  },
  {
    name: 'a default namespace declared after it was signed with #default',
    code: 'SAML_SIGNATURE_INVALID',
    ...prefixes('#default'),
    signedAssertion: xml => xml.replace('<saml:Subject>', '<saml:Subject xmlns="urn:evil">'),
  },
  { name: 'xmlns', code: profile, ...prefixes('xmlns') },
  { name: '17 prefixes', code: profile, ...declared, ...prefixes('xs '.repeat(17).trim()) },
  {
    name: '10,000 prefixes',
    code: profile,
    ...declared,
    ...prefixes(Array.from({ length: 10_000 }, (_, at) => `p${at}`).join(' ')),
  },
  { name: 'a prefix with a quote', code: profile, ...prefixes('x&quot;y') },
  {
    name: 'InclusiveNamespaces in CanonicalizationMethod',
    code: profile,
    signAssertion: {
      signedInfo: xml =>
        xml.replace(
          '></ds:CanonicalizationMethod>',
          '><ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="ds"></ec:InclusiveNamespaces></ds:CanonicalizationMethod>',
        ),
    },
  },
]);
