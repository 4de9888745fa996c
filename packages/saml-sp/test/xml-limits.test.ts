import type { XmlDocument } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { SamlError } from '../src/errors.ts';
import { readMessage } from '../src/messages/protocol-message.ts';
import { readStatus, requireSuccess } from '../src/messages/status.ts';
import { hasPassed, isFuture, readInstant, writeInstant } from '../src/values/instant.ts';
import { withoutForeignTypes } from '../src/xml/foreign-types.ts';
import { ns } from '../src/xml/names.ts';
import {
  base64Of,
  childElements,
  childFinder,
  childrenNamed,
  escapeXml,
  findChild,
  getAttribute,
  getChild,
  messageLimits,
  parseUntrusted,
  textOf,
  trimmedTextOf,
  type XmlLimits,
} from '../src/xml/xml.ts';
import { refusalIn } from './support/refusal.ts';
import { buildResponse } from './support/response.ts';
import { countDisposed } from './support/stand-in.ts';

// What bytes may be, at each limit and one past it, and how a parsed element is read.

const withRoot = <T>(xml: string, read: (root: XmlDocument['root']) => T, limits?: Partial<XmlLimits>): T => {
  using document = parseUntrusted(Buffer.from(xml), { ...messageLimits, ...limits });
  return read(document.root);
};
const parsed = (xml: string, limits: Partial<XmlLimits> = {}) =>
  withRoot(xml, root => root.doc.toString({ noDeclaration: true, format: false }).trim(), limits);

describe('bytes', () => {
  const elements = (count: number) => `<r>${'<a/>'.repeat(count - 1)}</r>`;
  const attributes = (count: number, quote = '"') =>
    `<r>${' '.repeat(0)}<a ${Array.from({ length: count }, (_, at) => `a${at}=${quote}=${quote}`).join(' ')}/></r>`;

  test('as many bytes, elements and attributes as are allowed, and not one more', () => {
    expect(parsed('<r>12</r>', { maxBytes: 9 })).toBe('<r>12</r>');
    expect(() => parsed('<r>123</r>', { maxBytes: 9 })).toThrow(
      refusalIn('SAML_MESSAGE_TOO_LARGE', /too large: 10 bytes, at most 9/),
    );
    expect(() => parsed(elements(20), { maxElements: 20 })).not.toThrow();
    expect(() => parsed(elements(21), { maxElements: 20 })).toThrow(refusalIn('SAML_XML_MALFORMED', /more than 20 elements/));
    expect(() => parsed('<r><a>1</a><b>2</b></r>', { maxElements: 3 })).not.toThrow();
    for (const quote of ['"', "'"]) {
      expect(() => parsed(attributes(100, quote))).not.toThrow();
      expect(() => parsed(attributes(101, quote))).toThrow(refusalIn('SAML_XML_MALFORMED', /more than 100 attributes/));
    }
  });

  test('a short tag is looked at too when it can hold too many, and text is not a tag', () => {
    const few = { maxAttributes: 2 };
    expect(() => parsed('<r a="" b=""/>', few)).not.toThrow();
    expect(() => parsed('<r a="" b="" c=""/>', few)).toThrow(refusalIn('SAML_XML_MALFORMED', /more than 2 attributes/));
    expect(() => parsed('<r><a x="1"/>a=b=c=d=e=f=g</r>', few)).not.toThrow();
    expect(() => parsed('<r><a/><b a="" b="" c=""/></r>', few)).toThrow(
      refusalIn('SAML_XML_MALFORMED', /more than 2 attributes/),
    );
    expect(() => parsed('<r a="" b="" c="">text</r>', few)).toThrow(refusalIn('SAML_XML_MALFORMED', /more than 2 attributes/));
  });

  test('names of 1,024 characters and not one more; a value and a text may be longer', () => {
    expect(() => parsed(`<${'n'.repeat(1024)}/>`)).not.toThrow();
    expect(() => parsed(`<${'n'.repeat(1025)}/>`)).toThrow(refusalIn('SAML_XML_MALFORMED', /1,024 characters/));
    for (const quote of ['"', "'"])
      expect(() => parsed(`<r a=${quote}${'v'.repeat(3000)}${quote}>${'t'.repeat(3000)}</r>`)).not.toThrow();
  });

  test('what is not UTF-8 or not XML says so, with the reason', () => {
    const cause = expect.any(Error) as Error;
    expect(() => parseUntrusted(Buffer.from([0x3c, 0xff]))).toThrow(expect.objectContaining({ code: 'SAML_XML_BYTES', cause }));
    expect(() => parseUntrusted(Buffer.from('\ufeff\ufeff<r/>'))).toThrow(
      expect.objectContaining({ code: 'SAML_XML_BYTES', cause: expect.objectContaining({ message: 'two byte order marks' }) }),
    );
    expect(parsed('\ufeff<r/>')).toBe('<r/>');
    expect(() => parsed('<r>')).toThrow(expect.objectContaining({ code: 'SAML_XML_MALFORMED', cause }));
  });

  test('what has no place is quoted, its first twelve characters', () => {
    expect(() => parsed('<r><![CDATA[secret]]></r>')).toThrow(refusalIn('SAML_XML_DOCTYPE', /^"<!\[CDATA\[sec" is not allowed/));
  });

  test.each([
    ['<r xmlns="urn:r" xmlns:p=\'urn:p\'/>', undefined],
    ['<r xmlns="urn:r"><a xmlns=""/></r>', undefined],
    ['<r>text xmlns="relative"</r>', undefined],
    ['<r xmlns="relative"/>', 'relative'],
    ["<r xmlns:p='relative'/>", 'relative'],
    ['<r xmlns:p=""/>', ''],
    ['<r>text xmlns="a"<b xmlns="b"/></r>', 'b'],
  ])('namespaces are absolute: %s', (xml, refused) => {
    if (refused === undefined) expect(() => parsed(xml)).not.toThrow();
    else expect(() => parsed(xml)).toThrow(refusalIn('SAML_XML_BYTES', new RegExp(`^the namespace "${refused}" is not`)));
  });
});

describe('comments, where they are cut', () => {
  const cut = (xml: string) => parsed(xml, { cutComments: true });

  test.each([
    ['<r>a<!--1-->b</r>', '<r>ab</r>'],
    ['<!----><r><!-- - --><a/><!--x--></r><!---->', '<r><a/></r>'],
    ['<r a="&gt;"><!--<b>--></r>', '<r a="&gt;"/>'],
    ['<r>1 > 0<!--x--></r>', '<r>1 &gt; 0</r>'],
    ['<r a=">"><!--x-->t</r>', '<r a="&gt;">t</r>'],
    ['<r/>', '<r/>'],
  ])('%s', (xml, whole) => {
    expect(cut(xml)).toBe(whole);
  });

  test.each([
    '<r <!--x-->/>',
    '<r a="<!--x-->"/>',
    "<r a='1' <!--x--> b='2'/>",
    '<r><!--a--b--></r>',
    '<r><!--a</r>',
    '<r><!--></r>',
    '<r><!--a--',
    '<<!--x-->r/>',
    '<r><!--x--><a <!--y-->/></r>',
  ])('refuses: %s', xml => {
    expect(() => cut(xml)).toThrow(refusalIn('SAML_XML_MALFORMED', /a comment is in a place where none is allowed/));
  });

  test('in a message they are refused', () => {
    expect(() => parsed('<r><!--x--></r>')).toThrow(refusalIn('SAML_XML_DOCTYPE', /^"<!--x--><\/r>" is not allowed/));
  });
});

describe('an element is read', () => {
  test('children by name and namespace, one or none', () => {
    withRoot('<r xmlns:p="urn:p"><a/>text<p:a/><b/><b/></r>', root => {
      expect(childElements(root).map(child => child.name)).toEqual(['a', 'a', 'b', 'b']);
      expect(childrenNamed(root, 'urn:p', 'a')).toHaveLength(1);
      expect(findChild(root, 'urn:p', 'a')?.namespaceUri).toBe('urn:p');
      expect(findChild(root, 'urn:p', 'b')).toBeUndefined();
      const find = childFinder(root);
      expect([find('urn:p', 'a'), find('urn:p', 'b'), find('', 'b')].map(found => found.length)).toEqual([1, 0, 2]);
      expect(() => findChild(root, '', 'b')).toThrow(refusalIn('SAML_STRUCTURE', /^more than one b in r$/));
      expect(() => getChild(root, '', 'c')).toThrow(refusalIn('SAML_STRUCTURE', /^r has no c$/));
      expect(() => getAttribute(root, 'x')).toThrow(refusalIn('SAML_STRUCTURE', /^r has no x$/));
    });
  });

  test('text, whole or not at all', () => {
    expect(withRoot('<r>a&amp;b</r>', textOf)).toBe('a&b');
    expect(withRoot('<r/>', textOf)).toBe('');
    expect(() => withRoot('<r>a<b/>c</r>', textOf)).toThrow(refusalIn('SAML_STRUCTURE', /^r contains more than text$/));
  });

  test.each([
    ['a', 'a'],
    [' \t\r\n a b \n\t&#13; ', 'a b'],
    ['', ''],
    [' ', ''],
    ['\n\n', ''],
    ['&#160;a&#160;', '\u00a0a\u00a0'],
    [' a', 'a'],
    ['a ', 'a'],
    ['\ta&#13;', 'a'],
  ])('%j without the white space around it', (inside, text) => {
    expect(withRoot(`<r>${inside}</r>`, trimmedTextOf)).toBe(text);
  });

  test.each(['', ' ', 'A', 'AAA', 'AAAAA', 'AA!A', '!AAAAAAA', 'AAAAAAA!', 'A===', 'AA==AAAA', '-_-_'])(
    '%j is no base64',
    inside => {
      expect(() => withRoot(`<r>${inside}</r>`, base64Of)).toThrow(refusalIn('SAML_SIGNATURE_PROFILE', /^r is not base64$/));
    },
  );

  test('base64 in lines', () => {
    expect(Buffer.from(withRoot('<r>\n  aGVs \t\r\n bG8h\n</r>', base64Of)).toString()).toBe('hello!');
  });

  test.each(['\u0000', '\u0008', '\u000b', '\u001f', '\ufffe', '\uffff', '\ud800'])('%j cannot be written', character => {
    expect(() => escapeXml(`a${character}b`)).toThrow(refusalIn('SAML_CONFIG_INVALID', /cannot be written as XML 1\.0/));
  });

  test('what is written is read back', () => {
    const text = `a & <b> "c" 'd'\te\nf\rg \u{1f600}`;
    expect(escapeXml('&<')).toBe('&#38;&#60;');
    expect(withRoot(`<r a="${escapeXml(text)}"/>`, root => root.attr('a')?.value)).toBe(text);
  });
});

describe('instants', () => {
  test('the fraction is read in milliseconds, and none is written', () => {
    expect(readInstant('2026-11-20T12:00:00.5Z').getTime()).toBe(Date.UTC(2026, 10, 20, 12, 0, 0, 500));
    expect(readInstant('2026-11-20T12:00:00.05Z').getTime()).toBe(Date.UTC(2026, 10, 20, 12, 0, 0, 50));
    expect(writeInstant(new Date(Date.UTC(2026, 10, 20, 12, 0, 0, 999)))).toBe('2026-11-20T12:00:00Z');
    expect(() => readInstant(`2026-11-20T12:00:00.${'0'.repeat(31)}Z`)).toThrow(
      refusalIn('SAML_INSTANT', /not a UTC date and time/),
    );
  });

  test('the tolerance is added on both sides, to the millisecond', () => {
    const clock = { now: new Date(100_000), toleranceSeconds: 30 };
    expect([130_000, 130_001].map(at => isFuture(new Date(at), clock))).toEqual([false, true]);
    expect([70_000, 70_001].map(at => hasPassed(new Date(at), clock))).toEqual([true, false]);
  });
});

describe('a status', () => {
  const answer = (inside: string) =>
    `<samlp:Response xmlns:samlp="${ns.samlp}"><samlp:Status>${inside}</samlp:Status></samlp:Response>`;
  const nested = (...values: string[]): string =>
    values.reduceRight((inside, value) => `<samlp:StatusCode Value="${value}">${inside}</samlp:StatusCode>`, '');

  test('eight codes at most, and a thousand characters of the message', () => {
    const many = Array.from({ length: 10 }, (_, at) => `urn:${at}`);
    const status = withRoot(
      answer(`${nested(...many)}<samlp:StatusMessage>${'m'.repeat(1001)}</samlp:StatusMessage>`),
      readStatus,
    );
    expect(status).toEqual({ code: 'urn:0', detail: many.slice(1, 8), message: 'm'.repeat(1000) });
    expect(withRoot(answer(nested('urn:0')), readStatus)).toEqual({ code: 'urn:0', detail: [], message: undefined });
    expect(withRoot(answer(''), readStatus).code).toBe('');
  });

  test('a refusal says the innermost code and carries all', () => {
    const long = `urn:${'x'.repeat(200)}`;
    expect(() => withRoot(answer(nested('urn:a', 'urn:b', long)), requireSuccess)).toThrow(
      expect.objectContaining({
        code: 'SAML_STATUS',
        message: `the identity provider responded with "${long.slice(0, 120)}"`,
        answer: { code: 'urn:a', detail: ['urn:b', long], message: undefined },
      }),
    );
    expect(() => withRoot(answer(nested('urn:a')), requireSuccess)).toThrow(refusalIn('SAML_STATUS', /"urn:a"/));
  });
});

describe('values of foreign types', () => {
  const value = (attributes: string, name = 'saml:AttributeValue') =>
    `<saml:Attribute xmlns:saml="${ns.saml}" xmlns:xsi="${ns.xsi}" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:e="urn:eidas" xmlns:type="urn:x"><${name} ${attributes}>v</${name}></saml:Attribute>`;
  const copied = (xml: string): string | undefined => {
    const bytes = Buffer.from(xml);
    using document = parseUntrusted(bytes);
    using copy = withoutForeignTypes(document, bytes);
    return copy?.toString({ noDeclaration: true, format: false }).trim();
  };

  test.each([
    ['xsi:type="e:Name"', ''],
    ['xsi:type=" e:Name "', ''],
    ['type="e:Name" xsi:type="e:Name"', 'type="e:Name"'],
    ['xsi:nil="true" xsi:type="e:Name"', 'xsi:nil="true"'],
  ])('%s: held to the schema without it', (attributes, left) => {
    expect(copied(value(attributes))).toBe(value(left).replace('AttributeValue >', 'AttributeValue>'));
  });

  test.each([
    ['xsi:type="xs:string"'],
    ['xsi:type="saml:NameIDType"'],
    ['xsi:type="string"'],
    ['xsi:type="z:Nobody"'],
    ['xsi:type=""'],
    ['type="e:Name"'],
    ['xsi:nil="e:Name"'],
  ])('%s: left as it is', attributes => {
    expect(copied(value(attributes))).toBeUndefined();
  });

  test('of another element, and without the namespace: left as it is', () => {
    expect(copied(value('xsi:type="e:Name"', 'e:AttributeValue'))).toBeUndefined();
    expect(copied(value('xsi:type="e:Name"', 'saml:Other'))).toBeUndefined();
    expect(copied(`<saml:AttributeValue xmlns:saml="${ns.saml}">v</saml:AttributeValue>`)).toBeUndefined();
  });
});

test('a message of another name is refused in words, and its document is let go of', () => {
  const read = () => readMessage(Buffer.from(buildResponse()), { namespace: ns.samlp, name: 'LogoutResponse' });
  const disposed = countDisposed(() =>
    expect(read).toThrow(refusalIn('SAML_STRUCTURE', /^expected LogoutResponse, received "Response"$/)),
  );
  expect(disposed).toBeGreaterThan(0);
  expect(read).toThrow(SamlError);
});
