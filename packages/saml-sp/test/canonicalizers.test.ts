import { XmlDocument } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { publicKeyOfCertificate } from '../src/keys/key-material.ts';
import { verifyEnvelopedSignature } from '../src/keys/signature.ts';
import { canonicalForm } from '../src/xml/canonical-form.ts';
import { compareCodePoints } from '../src/xml/library-canonicalization.ts';
import { generate } from './support/documents.ts';
import { testKey } from './support/keys.ts';
import { canonical, signElement } from './support/signer.ts';

describe('both canonicalizers agree', () => {
  const keys = [publicKeyOfCertificate(testKey('idp').certificate)];

  test('on 300 generated documents: what libxml2 signed holds, and comes back as it was', () => {
    for (const xml of generate(300)) {
      const named = xml.replace('<root ', '<root ID="_root" ');
      using document = XmlDocument.fromString(signElement(named, '_root'));
      using verified = verifyEnvelopedSignature(document.root, { keys, allowSha1: false });
      expect(verified && canonicalForm(verified.root), xml).toBe(canonical(named, undefined));
    }
  });
});

describe('names are ordered by code point', () => {
  test.each([
    ['', 'a', -1],
    ['a', 'a', 0],
    ['b', 'a', 1],
    ['Z', 'a', -1],
    ['http://a', 'http://a/b', -1],
    ['\uffff', '\u{10000}', -1],
    ['\u{10000}', '\uffff', 1],
    ['a\u{10000}', 'a\u{10000}', 0],
    ['\ue000', '\u{1f600}', -1],
    ['å', 'z', 1],
  ])('%j and %j: %i', (left, right, order) => {
    expect(Math.sign(compareCodePoints(left, right))).toBe(order);
    expect(Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right)))).toBe(order);
  });
});
