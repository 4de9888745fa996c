import { SignedXml } from 'xml-crypto';

interface Named {
  localName: string;
  namespaceURI: string | null;
  prefix: string;
}

/**
 * Compares by code point, the order of UTF-8 bytes: not a language's alphabet, and UTF-16 units only where the order is the same,
 * which is without surrogates.
 */
export function compareCodePoints(left: string, right: string): number {
  if (left === right) return 0;
  if (/[\ud800-\udfff]/.test(left + right)) return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
}

export const exclusiveC14n = 'http://www.w3.org/2001/10/xml-exc-c14n#';
type Algorithm = SignedXml['CanonicalizationAlgorithms'][string];
const builtIn = new SignedXml().CanonicalizationAlgorithms[exclusiveC14n] as unknown as new () => object;

/**
 * The library's exclusive canonicalization, but in the order that the standard prescribes (xml-c14n 2.2): attributes by namespace
 * and then by name, where the library compares both as one text (`http://a` + `z` before `http://a/b` + `c`), and namespaces by
 * code point, where the library uses the alphabet of the machine's locale.
 */
const Ordered = class extends builtIn {
  attrCompare(left: Named, right: Named): number {
    return (
      compareCodePoints(left.namespaceURI ?? '', right.namespaceURI ?? '') || compareCodePoints(left.localName, right.localName)
    );
  }
  nsCompare(left: Named, right: Named): number {
    return compareCodePoints(left.prefix, right.prefix);
  }
};

/** The canonicalizations and transforms that the library may use: only the accepted ones. */
export const acceptedCanonicalizations = (
  known: SignedXml['CanonicalizationAlgorithms'],
): SignedXml['CanonicalizationAlgorithms'] => ({
  [exclusiveC14n]: Ordered as unknown as Algorithm,
  'http://www.w3.org/2000/09/xmldsig#enveloped-signature': known[
    'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
  ] as Algorithm,
});

/**
 * The library's parser treats U+0085 and U+2028 as line ends, like XML 1.1; here they are text. A character reference means the
 * same and is left alone.
 */
export const forLibrary = (xml: string): string => xml.replaceAll('\u0085', '&#133;').replaceAll('\u2028', '&#8232;');
