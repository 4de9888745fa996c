import { XmlDocument, type XmlOutputBufferHandler } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { SignedXml } from 'xml-crypto';
import { canonicalDocument, inclusiveForm, isCanonicalForm } from '../src/xml/canonical-form.ts';
import { spanOfChild, standingAlone, withDeclarations } from '../src/xml/canonical-text.ts';
import { acceptedCanonicalizations, exclusiveC14n } from '../src/xml/library-canonicalization.ts';
import { childElements } from '../src/xml/xml.ts';
import { refusalIn } from './support/refusal.ts';

// Canonical forms by hand: what no message reaches, because libxml2 writes them rightly.

describe('a canonical form', () => {
  const writes = (...chunks: string[]) =>
    ({
      canonicalize: (handler: XmlOutputBufferHandler) => {
        for (const chunk of chunks) handler.write(Buffer.from(chunk));
        expect(handler.close()).toBe(true);
      },
    }) as unknown as XmlDocument;

  test.each([
    ['nothing', ''],
    ['an element without its beginning', 'a></a>'],
    ['an element without its end', '<a></a'],
  ])('refuses %s', (_name, text) => {
    expect(() => canonicalDocument(writes(text))).toThrow(refusalIn('SAML_CANONICAL_MISMATCH', /canonical form is empty/));
  });

  test('that cannot be written is refused with its cause', () => {
    const cause = new Error('libxml2');
    const broken = {
      canonicalize: () => {
        throw cause;
      },
    } as unknown as XmlDocument;
    for (const run of [() => canonicalDocument(broken), () => isCanonicalForm(broken, '<a></a>')])
      expect(run).toThrow(
        expect.objectContaining({ code: 'SAML_CANONICAL_MISMATCH', message: 'the element cannot be canonicalized', cause }),
      );
  });

  test('is compared to the last byte', () => {
    expect(isCanonicalForm(writes('<a>', '</a>'), '<a></a>')).toBe(true);
    expect(isCanonicalForm(writes('<a>'), '<a></a>')).toBe(false);
    expect(isCanonicalForm(writes('<a></a>', '<b>'), '<a></a>')).toBe(false);
    expect(isCanonicalForm(writes('<b>', '</a>'), '<a></a>')).toBe(false);
  });

  test('that is inclusive has every namespace in scope, and only that element', () => {
    using document = XmlDocument.fromString('<e xmlns:x="urn:x"><!--c--><a>1</a><b/></e>');
    const [element] = childElements(document.root);
    expect(element && inclusiveForm(element)).toBe('<a xmlns:x="urn:x">1</a>');
  });
});

describe('text around an element', () => {
  test('refuses a missing child', () => {
    expect(() => spanOfChild('<a></a>', 0, 0)).toThrow(refusalIn('SAML_CANONICAL_MISMATCH', /does not match/));
  });

  test.each([
    ['one prefix throughout', '<p:a><p:b>x</p:b></p:a>', '<p:a xmlns:p="urn:p"><p:b>x</p:b></p:a>'],
    ['another prefix inside', '<p:a><q:b></q:b></p:a>', undefined],
    ['another prefix in an element that is open', '<p:a><q:b>', undefined],
    ['no prefix inside', '<p:a><b></b></p:a>', undefined],
    ['an attribute with a prefix', '<p:a q:x="1"></p:a>', undefined],
    ['an attribute with a prefix of many letters', '<p:a long:name="value"></p:a>', undefined],
    ['a prefix that nobody declared', '<r:a></r:a>', undefined],
    ['no prefix', '<a></a>', undefined],
    ['a declaration of its own', '<p:a xmlns:p="urn:p"></p:a>', undefined],
    ['a colon in text and value', '<p:a x="1:2">a b:c="d</p:a>', undefined],
    ['a colon in a value', '<p:a x="q:r"></p:a>', '<p:a xmlns:p="urn:p" x="q:r"></p:a>'],
  ])('%s', (_name, element, alone) => {
    expect(standingAlone(element, ['<r xmlns:p="urn:p" xmlns:q="urn:q">'])).toBe(alone);
  });

  test('puts declarations after the name: the innermost of each prefix, keeping its own', () => {
    const around = ['<r xmlns="urn:r" xmlns:p="urn:old" x="1">', '<s xmlns:p="urn:p">'];
    expect(withDeclarations('<a y="2"><b></b></a>', around)).toBe('<a xmlns="urn:r" xmlns:p="urn:p" y="2"><b></b></a>');
    expect(withDeclarations('<p:a xmlns:p="urn:own"></p:a>', around)).toBe('<p:a xmlns="urn:r" xmlns:p="urn:own"></p:a>');
  });
});

describe('the library’s order', () => {
  const Ordered = acceptedCanonicalizations(new SignedXml().CanonicalizationAlgorithms)[exclusiveC14n] as unknown as new () => {
    attrCompare(left: object, right: object): number;
    nsCompare(left: object, right: object): number;
  };
  const order = new Ordered();
  const named = (namespaceURI: string | null, localName: string) => ({ namespaceURI, localName, prefix: localName });

  test.each([
    ['no namespace before one', named(null, 'z'), named('http://a', 'a')],
    ['by namespace before the name', named('http://a', 'z'), named('http://a/b', 'c')],
    ['by name in one namespace', named('http://a', 'b'), named('http://a', 'c')],
    ['by name in none', named(null, 'b'), named(null, 'c')],
  ])('attributes: %s', (_name, left, right) => {
    expect(order.attrCompare(left, right)).toBe(-1);
    expect(order.attrCompare(right, left)).toBe(1);
    expect(order.attrCompare(left, { ...left })).toBe(0);
  });

  test('sorts namespaces by prefix', () => {
    expect(order.nsCompare(named('urn:b', 'Z'), named('urn:a', 'a'))).toBe(-1);
    expect(order.nsCompare(named('urn:b', 'b'), named('urn:a', 'a'))).toBe(1);
  });
});
