import { expect } from 'vitest';
import { rule } from '../support/rule.ts';

const odd = 'SAML_XML_BYTES' as const;
const never = 'SAML_XML_DOCTYPE' as const;
const wire = (change: (xml: string) => string | Uint8Array) => ({ wire: change });
const utf16 = (xml: string, littleEndian: boolean): Uint8Array => {
  const bytes = Buffer.from(`\ufeff${xml}`, 'utf16le');
  return littleEndian ? bytes : bytes.swap16();
};
const utf32 = (xml: string): Uint8Array => {
  const bytes = Buffer.alloc((xml.length + 1) * 4);
  for (const [at, character] of [...`\ufeff${xml}`].entries()) bytes.writeUInt32LE(character.codePointAt(0) ?? 0, at * 4);
  return bytes;
};
const prolog = (text: string) => wire(xml => text + xml);
const inAssertion = (change: (xml: string) => string) => ({ sign: 'assertion' as const, signedAssertion: change });
const value = (text: string) => inAssertion(xml => xml.replace('>alice<', `>${text}<`));

rule(
  'accepts only plain UTF-8 XML 1.0 (IIP-G04; comment truncation, processing instructions, DTD tricks, parser differences in namespaces, void canonicalization, outbound requests, XXE)',
  [
    { name: 'UTF-16, little end first', code: odd, ...wire(xml => utf16(xml, true)) },
    { name: 'UTF-16, big end first', code: odd, ...wire(xml => utf16(xml, false)) },
    { name: 'UTF-32', code: odd, ...wire(utf32) },
    { name: 'EBCDIC', code: odd, ...wire(xml => Buffer.from(xml).map(byte => (byte + 0x80) & 0xff)) },
    { name: 'a byte order mark', code: 'accepted', ...prolog('\ufeff') },
    { name: 'two byte order marks', code: odd, ...prolog('\ufeff\ufeff') },
    { name: 'UTF-16 by declaration only', code: odd, ...prolog('<?xml version="1.0" encoding="UTF-16"?>') },
    { name: 'UTF-7 by declaration', code: odd, ...prolog('<?xml version="1.0" encoding="UTF-7"?>') },
    { name: 'ISO-8859-1 by declaration', code: odd, ...prolog('<?xml version="1.0" encoding="ISO-8859-1"?>') },
    {
      name: 'invalid UTF-8',
      code: odd,
      ...wire(xml => Buffer.concat([Buffer.from(xml.slice(0, -20)), Buffer.from([0xc0, 0xaf]), Buffer.from(xml.slice(-20))])),
    },
    {
      name: 'an overlong encoding of <',
      code: odd,
      ...wire(xml => Buffer.concat([Buffer.from([0xc0, 0xbc]), Buffer.from(xml.slice(1))])),
    },
    { name: 'XML 1.1', code: odd, ...prolog('<?xml version="1.1" encoding="UTF-8"?>') },
    { name: 'standalone="yes"', code: odd, ...prolog('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>') },
    { name: 'a declaration whose quotes differ', code: odd, ...prolog(`<?xml version="1.0" encoding="UTF-8'?>`) },
    {
      name: 'a declaration in single quotes',
      code: 'accepted',
      ...prolog(`<?xml version='1.0' encoding='utf-8' standalone='no' ?>`),
    },
    { name: 'two declarations', code: never, ...prolog('<?xml version="1.0"?><?xml version="1.0"?>') },
    { name: 'DOCTYPE', code: never, ...prolog('<!DOCTYPE samlp:Response>') },
    { name: 'DOCTYPE in small letters', code: never, ...prolog('<!doctype a>') },
    { name: 'DOCTYPE after a declaration', code: never, ...prolog('<?xml version="1.0"?>\n<!DOCTYPE a>') },
    { name: 'DOCTYPE after a byte order mark', code: never, ...prolog('\ufeff<!DOCTYPE a>') },
    { name: 'DOCTYPE after a comment', code: never, ...prolog('<!-- hello --><!DOCTYPE a>') },
    {
      name: 'DOCTYPE with a quote that hides a comment (CVE-2025-25291)',
      code: never,
      ...prolog(`<!DOCTYPE response SYSTEM 'x"><!--'>`),
    },
    { name: 'an external entity (XXE)', code: never, ...prolog('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>') },
    {
      name: 'a parameter entity by http',
      code: never,
      ...prolog('<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;]>'),
    },
    {
      name: 'ID through an internal entity (CVE-2025-23369)',
      code: never,
      ...wire(xml => `<!DOCTYPE a [<!ENTITY idViaEntity "_assertion1">]>${xml.replace('alice', '&idViaEntity;')}`),
    },
    {
      name: 'xmlns through an ATTLIST default (CVE-2025-25292)',
      code: never,
      ...prolog('<!DOCTYPE a [<!ATTLIST Signature xmlns CDATA #FIXED "urn:x">]>'),
    },
    {
      name: 'ten to the ninth laughs',
      code: never,
      ...prolog('<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'),
    },
    { name: 'an entity that nobody declared', code: never, ...value('&admin;') },
    { name: 'an HTML entity', code: never, ...value('&nbsp;') },
    { name: 'a comment in NameID', code: never, ...value('alice<!-- x -->') },
    { name: 'a comment at the start of NameID', code: never, ...value('<!---->alice') },
    {
      name: 'a comment that shortens an e-mail address (CVE-2017-11427)',
      code: never,
      ...inAssertion(xml => xml.replace('alice@example.edu', 'alice@example.edu<!---->.evil.example')),
    },
    {
      name: 'a comment in Audience',
      code: never,
      ...inAssertion(xml => xml.replace('<saml:Audience>', '<saml:Audience><!---->')),
    },
    { name: 'a comment in Issuer', code: never, ...inAssertion(xml => xml.replace('<saml:Issuer>', '<saml:Issuer><!---->')) },
    { name: 'a comment before the root', code: never, ...prolog('<!-- x -->') },
    { name: 'a comment after the root', code: never, ...wire(xml => `${xml}<!-- x -->`) },
    {
      name: 'a processing instruction in NameID (admin@victim.com<?x .evil.com?>)',
      code: never,
      ...value('alice<?x .evil.com?>'),
    },
    {
      name: 'a processing instruction in Audience',
      code: never,
      ...inAssertion(xml => xml.replace('<saml:Audience>', '<saml:Audience><?x y?>')),
    },
    {
      name: 'a processing instruction between elements',
      code: never,
      ...inAssertion(xml => xml.replace('<saml:Conditions', '<?x y?><saml:Conditions')),
    },
    { name: 'a stylesheet instruction', code: odd, ...prolog('<?xml-stylesheet href="http://127.0.0.1:9/x.xsl"?>') },
    { name: 'CDATA in NameID', code: never, ...value('<![CDATA[alice]]>') },
    { name: 'NameID split by CDATA', code: never, ...value('al<![CDATA[ic]]>e') },
    {
      name: 'a relative namespace',
      code: odd,
      ...inAssertion(xml => xml.replace('<saml:Subject>', '<saml:Subject xmlns:x="relative">')),
    },
    {
      name: 'a namespace with a control character (CVE-2025-66567)',
      code: odd,
      ...inAssertion(xml => xml.replace('<saml:Subject>', '<saml:Subject xmlns:x="http://example.com\u0080">')),
    },
    {
      name: 'a namespace with a line break',
      code: odd,
      ...inAssertion(xml => xml.replace('<saml:Subject>', '<saml:Subject xmlns:x="http://example.com/&#10;">')),
    },
    {
      name: 'a namespace with a quote (xml-crypto escaping)',
      code: odd,
      ...inAssertion(xml => xml.replace('<saml:Subject>', `<saml:Subject xmlns:x='urn:a"b'>`)),
    },
    {
      name: 'xmlns declared as something else',
      code: 'SAML_XML_MALFORMED',
      ...inAssertion(xml => xml.replace('<saml:Subject>', '<saml:Subject xmlns:xmlns="urn:x">')),
    },
    {
      name: 'xml declared as something else',
      code: 'SAML_XML_MALFORMED',
      ...inAssertion(xml => xml.replace('<saml:Subject>', '<saml:Subject xmlns:xml="urn:x">')),
    },
    {
      name: 'a prefix undeclared',
      code: odd,
      ...inAssertion(xml => xml.replace('<saml:Subject>', '<saml:Subject xmlns:saml="">')),
    },
    {
      name: 'an attribute twice',
      code: 'SAML_XML_MALFORMED',
      ...inAssertion(xml => xml.replace('Version="2.0"', 'Version="2.0" Version="2.0"')),
    },
    { name: 'two roots', code: 'SAML_XML_MALFORMED', ...wire(xml => xml + xml) },
    { name: 'text after the root', code: 'SAML_XML_MALFORMED', ...wire(xml => `${xml}admin`) },
    { name: 'cut short', code: 'SAML_XML_MALFORMED', ...wire(xml => xml.slice(0, -30)) },
    { name: 'a NUL', code: 'SAML_XML_MALFORMED', ...value('al\0ice') },
    { name: 'a reference to a NUL', code: 'SAML_XML_MALFORMED', ...value('al&#0;ice') },
    { name: 'a reference to a lone surrogate', code: 'SAML_XML_MALFORMED', ...value('al&#xD800;ice') },
    { name: 'no XML at all', code: 'SAML_XML_MALFORMED', ...wire(() => 'alice') },
    { name: 'HTML', code: never, ...wire(() => '<!doctype html><p>hello') },
    { name: 'JSON', code: 'SAML_XML_MALFORMED', ...wire(() => '{"alice":1}') },
    {
      name: 'XInclude is only an element',
      code: 'SAML_SCHEMA_INVALID',
      ...inAssertion(xml =>
        xml.replace(
          '<saml:Subject>',
          '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/><saml:Subject>',
        ),
      ),
    },
    {
      name: 'xsi:schemaLocation fetches nothing and changes nothing',
      code: 'accepted',
      wire: xml => `\n${xml}\n`,
      assertion: xml =>
        xml.replace(
          '<saml:Assertion ',
          '<saml:Assertion xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:oasis:names:tc:SAML:2.0:assertion http://127.0.0.1:9/evil.xsd" ',
        ),
    },
    {
      name: 'Windows line endings between elements',
      code: 'accepted',
      response: xml => xml.replace('<samlp:Status>', '\r\n<samlp:Status>'),
      sign: 'assertion',
    },
    {
      name: 'a carriage return by reference is part of the value',
      code: 'accepted',
      assertion: xml => xml.replace('>alice<', '>ali&#13;ce<'),
      expect: identity => expect(identity.nameId?.value).toBe('ali\rce'),
    },
    {
      name: 'tab and line break in an attribute by reference are part of it',
      code: 'accepted',
      assertion: xml => xml.replace('FriendlyName="mail"', 'FriendlyName="m&#9;a&#10;il"'),
      expect: identity => expect(identity.attributes[0]?.friendlyName).toBe('m\ta\nil'),
    },
    {
      name: 'raw tab and line break in an attribute are blanks',
      code: 'accepted',
      sign: 'assertion',
      assertion: xml => xml.replace('FriendlyName="mail"', 'FriendlyName="m\ta\nil"'),
      expect: identity => expect(identity.attributes[0]?.friendlyName).toBe('m a il'),
    },
    {
      name: 'U+0085 and U+2028 are text, not line ends',
      code: 'accepted',
      assertion: xml =>
        xml.replace('>alice<', '>al\u0085i\u2028ce<').replace('FriendlyName="mail"', 'FriendlyName="m\u0085a\u2028il"'),
      expect: identity => {
        expect(identity.nameId?.value).toBe('al\u0085i\u2028ce');
        expect(identity.attributes[0]?.friendlyName).toBe('m\u0085a\u2028il');
      },
    },
    ...['\n', '\u2028', ' ', ''].map(other => ({
      name: `U+0085 replaced by ${JSON.stringify(other)} after it was signed`,
      code: 'SAML_SIGNATURE_INVALID' as const,
      sign: 'assertion' as const,
      assertion: (xml: string) => xml.replace('>alice<', '>al\u0085ice<'),
      signedAssertion: (xml: string) => xml.replace('\u0085', other),
    })),
    {
      name: 'attributes of namespaces of which one begins with the other',
      code: 'accepted',
      assertion: xml =>
        xml.replace(
          '<saml:AttributeValue>',
          '<saml:AttributeValue xmlns:p="http://a" xmlns:q="http://a/b" xmlns:Z="http://a/Z" q:c="1" p:z="2" p:a="3" Z:y="4" q:a="5">',
        ),
    },
    {
      name: 'such an attribute moved to the other namespace after it was signed',
      code: 'SAML_SIGNATURE_INVALID',
      sign: 'assertion',
      assertion: xml =>
        xml.replace('<saml:AttributeValue>', '<saml:AttributeValue xmlns:p="http://a" xmlns:q="http://a/b" q:c="1" p:z="2">'),
      signedAssertion: xml => xml.replace('q:c="1" p:z="2"', 'p:c="1" q:z="2"'),
    },
    {
      name: 'a type of a foreign schema on an attribute value (eIDAS)',
      code: 'accepted',
      assertion: xml =>
        xml.replace(
          '<saml:AttributeValue>',
          '<saml:AttributeValue xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:eidas="http://eidas.europa.eu/attributes/naturalperson" xsi:type="eidas:PersonIdentifierType">',
        ),
      expect: identity => expect(identity.attributes[0]?.values).toEqual(['alice@example.edu']),
    },
    {
      name: 'xs:string on an attribute value',
      code: 'accepted',
      assertion: xml =>
        xml.replace(
          '<saml:AttributeValue>',
          '<saml:AttributeValue xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xs="http://www.w3.org/2001/XMLSchema" xsi:type="xs:string">',
        ),
    },
    ...(
      [
        ['a type of the standard that its content is not', '<saml:AttributeValue>', 'xs:integer', '<saml:AttributeValue'],
        ['a type of SAML that does not exist', '<saml:AttributeValue>', 'saml:Nothing', '<saml:AttributeValue'],
        ['a type whose prefix nobody declared', '<saml:AttributeValue>', 'nobody:Type', '<saml:AttributeValue'],
        ['a foreign type on the Subject', '<saml:Subject>', 'eidas:Type', '<saml:Subject'],
        ['a foreign type on the Conditions', '<saml:Conditions ', 'eidas:Type', '<saml:Conditions'],
        ['a foreign type on the Attribute', '<saml:Attribute ', 'eidas:Type', '<saml:Attribute'],
      ] as const
    ).map(([name, from, type, tag]) => ({
      name,
      code: 'SAML_SCHEMA_INVALID' as const,
      assertion: (xml: string) =>
        xml.replace(
          from,
          `${tag} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:eidas="urn:eidas" xsi:type="${type}"${from.endsWith('>') ? '>' : ' '}`,
        ),
    })),
    {
      name: 'a value that only looks like markup',
      code: 'accepted',
      assertion: xml => xml.replace('alice@example.edu', '&lt;!--a--&gt;&lt;?x?&gt;&amp;b; xmlns=&quot;c&quot;'),
      expect: identity => expect(identity.attributes[0]?.values).toEqual(['<!--a--><?x?>&b; xmlns="c"']),
    },
  ],
);
