import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { XmlDocument } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { canonicalDocument, canonicalForm } from '../src/xml/canonical-form.ts';
import { cutOut, spanOfChild, standingAlone, withDeclarations } from '../src/xml/canonical-text.ts';
import { generate } from './support/documents.ts';
import { xmlsec1Missing } from './support/oracles.ts';

describe('the exclusive canonical form', () => {
  test('is stable: its own form is the same (unstable parsing)', () => {
    for (const xml of generate(300)) {
      using document = XmlDocument.fromString(xml);
      const once = canonicalForm(document.root);
      using again = XmlDocument.fromString(once);
      expect(canonicalDocument(again)).toBe(once);
    }
  });

  test('keeps characters whole across chunks of libxml2', () => {
    const text = '中😀å'.repeat(20_000);
    using document = XmlDocument.fromString(`<a>${text}</a>`);
    expect(canonicalForm(document.root)).toBe(`<a>${text}</a>`);
  });

  test('fails for a relative namespace and is never empty (void canonicalization)', () => {
    using document = XmlDocument.fromString('<a xmlns:x="relative"><x:b/></a>');
    expect(() => canonicalForm(document.root)).toThrow(expect.objectContaining({ code: 'SAML_CANONICAL_MISMATCH' }));
  });
});

/** What xmlsec1 did with a document: what it signed of it and of SignedInfo, and the document with the signature. */
interface ByXmlsec1 {
  signed: string;
  whole: string;
  signedInfo: string;
}

/** xmlsec1 has no command that prints a canonical form: what it wrote down before it hashed comes with --store-references and --store-signatures. */
function formsByXmlsec1(documentsGiven: readonly string[]): ByXmlsec1[] {
  const folder = mkdtempSync(join(tmpdir(), 'canonical-'));
  const template = (xml: string): string =>
    xml.replace(
      '</root>',
      () =>
        '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>' +
        '<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"/><ds:Reference URI=""><ds:Transforms>' +
        '<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms>' +
        '<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue/></ds:Reference></ds:SignedInfo><ds:SignatureValue/></ds:Signature></root>',
    );
  const between = (out: string, what: string): string =>
    new RegExp(`== ${what} data - start buffer:\n([\\s\\S]*?)\n== ${what} data - end buffer`).exec(out)?.[1] ?? '';
  try {
    writeFileSync(join(folder, 'key'), 'k');
    const names = documentsGiven.map((_, at) => `${at}.xml`);
    for (const [at, xml] of documentsGiven.entries()) writeFileSync(join(folder, names[at]!), template(xml));
    // One run for all: it writes each document and what it says of it, one after the other. Only a document begins like this.
    const flags = ['--sign', '--hmackey', 'key', '--store-references', '--store-signatures', '--print-debug'];
    const said = execFileSync('xmlsec1', [...flags, ...names], { cwd: folder, encoding: 'utf8', maxBuffer: 1e9 });
    const answers = said.split(/^(?=<\?xml version="1\.0")/m);
    expect(answers).toHaveLength(documentsGiven.length);
    return answers.map(out => {
      const [whole = ''] = out.split(/^= SIGNATURE CONTEXT$/m, 1);
      return { signed: between(out, 'PreDigest'), signedInfo: between(out, 'PreSigned'), whole };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.skipIf(xmlsec1Missing)('canonical bytes against xmlsec1', () => {
  test('are equal for 1,000 generated documents, whole and cut out', () => {
    const given = generate(1_000);
    const theirs = formsByXmlsec1(given);
    for (const [at, xml] of given.entries()) {
      const { signed, signedInfo, whole } = theirs[at]!;
      using plain = XmlDocument.fromString(xml);
      expect(canonicalForm(plain.root), xml).toBe(signed);
      using document = XmlDocument.fromString(whole);
      const written = canonicalForm(document.root);
      const signature = spanOfChild(written, 0, 1);
      expect(cutOut(written, signature), xml).toBe(signed);
      const own = spanOfChild(written, signature.start, 0);
      const [cut, around] = [written.slice(own.start, own.end), [written, written.slice(signature.start)]];
      expect(standingAlone(cut, around), xml).toBe(signedInfo);
      using alone = XmlDocument.fromString(withDeclarations(cut, around));
      expect(canonicalDocument(alone), xml).toBe(signedInfo);
    }
  }, 900_000);
});
