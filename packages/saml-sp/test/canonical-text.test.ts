import { XmlDocument, type XmlElement } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { canonicalDocument, canonicalForm, isCanonicalForm } from '../src/xml/canonical-form.ts';
import { cutOut, spanOfChild, standingAlone, withDeclarations } from '../src/xml/canonical-text.ts';
import { childElements } from '../src/xml/xml.ts';
import { generate } from './support/documents.ts';

const mismatch = expect.objectContaining({ code: 'SAML_CANONICAL_MISMATCH' });

/** Every element below, each with the start tags around its canonical text. */
function* parts(element: XmlElement, xml: string, at: number, around: string[]): Generator<[XmlElement, string, string[]]> {
  const outside = [...around, xml.slice(at)];
  for (const [place, child] of childElements(element).entries()) {
    const span = spanOfChild(xml, at, place);
    yield [child, xml.slice(span.start, span.end), outside];
    yield* parts(child, xml, span.start, outside);
  }
}

describe('finding an element in the canonical text', () => {
  test('gives its form by libxml2 in 300 generated documents', () => {
    let [alone, seen] = [0, 0];
    for (const xml of generate(300)) {
      using document = XmlDocument.fromString(xml);
      for (const [element, text, around] of parts(document.root, canonicalForm(document.root), 0, [])) {
        using own = XmlDocument.fromString(withDeclarations(text, around));
        const form = canonicalForm(element);
        expect(canonicalDocument(own), text).toBe(form);
        const short = standingAlone(text, around);
        if (short !== undefined) expect(short, text).toBe(form);
        alone += short === undefined ? 0 : 1;
        seen += 1;
      }
    }
    expect(alone).toBeGreaterThan(50);
    expect(seen - alone).toBeGreaterThan(50);
  });

  test('leaves the form of the rest by libxml2', () => {
    for (const xml of generate(200)) {
      using document = XmlDocument.fromString(xml);
      const whole = canonicalForm(document.root);
      for (let place = childElements(document.root).length - 1; place >= 0; place -= 1) {
        const rest = cutOut(whole, spanOfChild(whole, 0, place));
        using without = XmlDocument.fromString(xml);
        childElements(without.root)[place]?.remove();
        expect(rest, xml).toBe(canonicalForm(without.root));
      }
    }
  });

  test('works between elements of its name, nested, empty, and last', () => {
    const xml = '<a><b></b><b x="&lt;/b>"><b>1</b></b>2<b></b></a>';
    const found = [0, 1, 2].map(place => spanOfChild(xml, 0, place)).map(({ start, end }) => xml.slice(start, end));
    expect(found).toEqual(['<b></b>', '<b x="&lt;/b>"><b>1</b></b>', '<b></b>']);
    const { start, end } = spanOfChild(xml, xml.indexOf('<b x'), 0);
    expect(xml.slice(start, end)).toBe('<b>1</b>');
  });

  test.each([
    ['there are not so many', '<a><b></b></a>', 1],
    ['only its parent’s sibling has so many', '<r><a></a><b></b></r>', 2],
    ['the text is cut short', '<a><b>', 0],
    ['there is no element', '', 0],
  ])('refuses: %s', (_name, xml, place) => {
    expect(() => spanOfChild(xml, 0, place)).toThrow(mismatch);
  });

  test('does not look past the end of the parent', () => {
    const xml = '<r><a><c></c></a><b></b></r>';
    expect(() => spanOfChild(xml, xml.indexOf('<a'), 1)).toThrow(mismatch);
  });
});

describe('declarations around an element', () => {
  test('prefer its own, then the innermost', () => {
    const around = ['<r xmlns="urn:1" xmlns:p="urn:2" xmlns:q="urn:3">', '<m xmlns="urn:4" xmlns:p="urn:5">'];
    expect(withDeclarations('<e xmlns:p="urn:6"></e>', around)).toBe('<e xmlns="urn:4" xmlns:q="urn:3" xmlns:p="urn:6"></e>');
  });

  test('are not read from attribute values', () => {
    const around = ['<r a=" xmlns:p=" xmlns:q="urn:1" b=" xmlns:x=\'urn:2\'">text xmlns:y="urn:3"'];
    expect(withDeclarations('<e></e>', around)).toBe('<e xmlns:q="urn:1"></e>');
  });
});

describe('the form of an element by itself', () => {
  const around = ['<p:r xmlns:p="urn:1" xmlns="urn:2">'];

  test('has the one declaration that it uses', () => {
    expect(standingAlone('<p:e a="1"><p:f></p:f></p:e>', around)).toBe('<p:e xmlns:p="urn:1" a="1"><p:f></p:f></p:e>');
    expect(standingAlone('<e>x</e>', around)).toBe('<e xmlns="urn:2">x</e>');
  });

  test.each([
    ['another prefix inside', '<p:e><q:f></q:f></p:e>'],
    ['none inside', '<p:e><f></f></p:e>'],
    ['a prefix inside where it has none', '<e><p:f></p:f></e>'],
    ['an attribute with a prefix', '<p:e><p:f q:a="1"></p:f></p:e>'],
    ['a declaration inside', '<p:e><p:f xmlns:q="urn:3"></p:f></p:e>'],
    ['a prefix that nobody declares', '<x:e></x:e>'],
  ])('is left to libxml2: %s', (_name, element) => expect(standingAlone(element, around)).toBeUndefined());
});

describe('comparing a text with the canonical form', () => {
  const text = '<a x="1">中😀</a>';

  test.each([
    ['the same', text, true],
    ['one octet is another', text.replace('1', '2'), false],
    ['something follows', `${text} `, false],
    ['the end is missing', text.slice(0, -1), false],
    ['nothing', '', false],
  ])('%s: %s', (_name, other, same) => {
    using document = XmlDocument.fromString(text);
    expect(isCanonicalForm(document, other)).toBe(same);
  });

  test('compares many chunks to the last byte', () => {
    const long = `<a>${'å'.repeat(100_000)}b</a>`;
    using document = XmlDocument.fromString(long);
    expect(isCanonicalForm(document, long)).toBe(true);
    expect(isCanonicalForm(document, long.replace('b<', 'c<'))).toBe(false);
  });
});
