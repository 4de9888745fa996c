import { rule } from '../support/rule.ts';

const inExtensions = (content: string) => ({
  sign: 'assertion' as const,
  wire: (xml: string) => xml.replace('<samlp:Status>', () => `<samlp:Extensions>${content}</samlp:Extensions><samlp:Status>`),
});
const deep = (levels: number) => '<x:a xmlns:x="urn:x">'.repeat(levels) + '</x:a>'.repeat(levels);
const attributes = (count: number) => Array.from({ length: count }, (_, at) => `a${at}="1"`).join(' ');

rule('limits size, width and depth before anything costly runs', [
  { name: '257 levels deep', code: 'SAML_XML_MALFORMED', ...inExtensions(deep(257)) },
  { name: '10,000 levels deep', code: 'SAML_MESSAGE_TOO_LARGE', ...inExtensions(deep(10_000)) },
  { name: '100,000 levels deep', code: 'SAML_MESSAGE_TOO_LARGE', ...inExtensions(deep(100_000)), crashesOracles: true },
  { name: '20,000 attributes', code: 'SAML_XML_MALFORMED', ...inExtensions(`<x:a xmlns:x="urn:x" ${attributes(20_000)}/>`) },
  { name: '101 attributes', code: 'SAML_XML_MALFORMED', ...inExtensions(`<x:a xmlns:x="urn:x" ${attributes(101)}/>`) },
  {
    name: '100,000 siblings',
    code: 'SAML_MESSAGE_TOO_LARGE',
    ...inExtensions(`<x:a xmlns:x="urn:x"/>${'<b/>'.repeat(100_000)}`),
  },
  { name: '6,000 siblings', code: 'SAML_XML_MALFORMED', ...inExtensions('<x:a xmlns:x="urn:x"/>'.repeat(6_000)) },
  {
    name: 'a name of 50,000 characters',
    code: 'SAML_XML_MALFORMED',
    ...inExtensions(`<x:${'a'.repeat(50_000)} xmlns:x="urn:x"/>`),
  },
  {
    name: '20,000 namespace declarations',
    code: 'SAML_MESSAGE_TOO_LARGE',
    ...inExtensions(`<x:a ${Array.from({ length: 20_000 }, (_, at) => `xmlns:x${at}="urn:x"`).join(' ')} xmlns:x="urn:x"/>`),
  },
  {
    name: 'more than 256 KiB of text',
    code: 'SAML_MESSAGE_TOO_LARGE',
    ...inExtensions(`<x:a xmlns:x="urn:x">${'a'.repeat(270_000)}</x:a>`),
  },
  {
    name: '100 kB of text, as large group lists have',
    code: 'accepted',
    ...inExtensions(`<x:a xmlns:x="urn:x">${'a'.repeat(100_000)}</x:a>`),
  },
]);
