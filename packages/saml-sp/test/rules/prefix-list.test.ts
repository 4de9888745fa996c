import { rule } from '../support/rule.ts';

const profile = 'SAML_SIGNATURE_PROFILE' as const;
const prefixes = (prefixList: string) => ({ sign: 'assertion' as const, signAssertion: { prefixList } });
const declared = {
  assertion: (xml: string) => xml.replace('<saml:Assertion ', '<saml:Assertion xmlns:xs="http://www.w3.org/2001/XMLSchema" '),
};

rule('InclusiveNamespaces names a few declared prefixes (xml-exc-c14n 3; V10)', [
  { name: 'xs, as Shibboleth sends it', code: 'accepted', ...declared, ...prefixes('xs') },
  { name: 'an empty list', code: 'accepted', sign: 'assertion', signAssertion: { prefixList: '' } },
  { name: '#default', code: profile, ...prefixes('#default') },
  { name: 'an undeclared prefix', code: profile, ...prefixes('evil') },
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
