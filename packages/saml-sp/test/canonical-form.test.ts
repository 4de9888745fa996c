import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { XmlDocument } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { canonicalDocument, canonicalForm } from '../src/canonical-form.ts';
import { xmlsec1Missing } from './support/oracles.ts';

const prefixes = ['a', 'b', 'c', ''];
const uri = (at: number): string => `urn:n${at}`;
const escapeText = (text: string): string => text.replace(/[&<>\r]/g, found => `&#${found.charCodeAt(0)};`);
const escapeValue = (text: string): string => escapeText(text).replace(/["\t\n]/g, found => `&#${found.charCodeAt(0)};`);
const words = fc.string({
  unit: fc.constantFrom('a', 'Å', '中', '😀', '&', '<', '>', '"', "'", '\r', '\n', '\t', ' ', ']', '\u00a0', '\u0085', '\u2028'),
  maxLength: 12,
});

interface Node {
  name: string;
  prefix: string;
  declare: [string, number][];
  attributes: [string, string][];
  children: (Node | string)[];
}

const element: fc.Memo<Node> = fc.memo(depth =>
  fc.record({
    name: fc.constantFrom('x', 'y', 'Ünï'),
    prefix: fc.constantFrom(...prefixes),
    declare: fc.uniqueArray(fc.tuple(fc.constantFrom(...prefixes), fc.nat(3)), { selector: ([prefix]) => prefix, maxLength: 3 }),
    attributes: fc.uniqueArray(fc.tuple(fc.constantFrom('p', 'q', 'a:p', 'b:q', 'xml:lang', 'ID'), words), {
      selector: ([name]) => name,
      maxLength: 4,
    }),
    children: depth <= 1 ? fc.array(words, { maxLength: 2 }) : fc.array(fc.oneof(words, element(depth - 1)), { maxLength: 4 }),
  }),
);

function render(node: Node): string {
  const name = node.prefix === '' ? node.name : `${node.prefix}:${node.name}`;
  const declarations = node.declare.map(([prefix, at]) => ` xmlns${prefix === '' ? '' : `:${prefix}`}="${uri(at)}"`).join('');
  const attributes = node.attributes.map(([key, value]) => ` ${key}="${escapeValue(value)}"`).join('');
  return `<${name}${declarations}${attributes}>${node.children.map(child => (typeof child === 'string' ? escapeText(child) : render(child))).join('')}</${name}>`;
}

/** Attributes of different prefixes may collide when both name one namespace: such documents are not well-formed. */
const documents = element(4).map(
  root => `<root xmlns="urn:d" xmlns:a="urn:a" xmlns:b="urn:b" xmlns:c="urn:c">${render(root)}</root>`,
);

const parse = (xml: string): XmlDocument | undefined => {
  try {
    return XmlDocument.fromString(xml);
  } catch {
    return undefined;
  }
};

/** `count` generated documents that are well-formed. */
function generate(count: number): string[] {
  const found: string[] = [];
  for (let seed = 1; found.length < count; seed += 1) {
    for (const xml of fc.sample(documents, { numRuns: 200, seed })) {
      using document = parse(xml) ?? null;
      if (document !== null && found.length < count) found.push(xml);
    }
  }
  return found;
}

describe('the exclusive canonical form', () => {
  test('is stable: the form of a form is itself (unstable parsing)', () => {
    for (const xml of generate(300)) {
      using document = XmlDocument.fromString(xml);
      const once = canonicalForm(document.root);
      using again = XmlDocument.fromString(once);
      expect(canonicalDocument(again)).toBe(once);
    }
  });

  test('keeps characters whole where libxml2 hands out chunks', () => {
    const text = '中😀å'.repeat(20_000);
    using document = XmlDocument.fromString(`<a>${text}</a>`);
    expect(canonicalForm(document.root)).toBe(`<a>${text}</a>`);
  });

  test('of a document with a relative namespace is an error, never empty (void canonicalization)', () => {
    using document = XmlDocument.fromString('<a xmlns:x="relative"><x:b/></a>');
    expect(() => canonicalForm(document.root)).toThrow(expect.objectContaining({ code: 'SAML_CANONICAL_MISMATCH' }));
  });
});

/** xmlsec1 has no command that prints a canonical form: what it wrote down before digesting comes with --store-references. */
function formsByXmlsec1(documentsGiven: readonly string[]): string[] {
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
  try {
    writeFileSync(join(folder, 'key'), 'k');
    return documentsGiven.map((xml, at) => {
      const file = join(folder, `${at}.xml`);
      writeFileSync(file, template(xml));
      const out = execFileSync(
        'xmlsec1',
        ['--sign', '--hmackey', join(folder, 'key'), '--store-references', '--print-debug', '--output', '/dev/null', file],
        { encoding: 'utf8', maxBuffer: 10_000_000 },
      );
      return /== PreDigest data - start buffer:\n([\s\S]*?)\n== PreDigest data - end buffer/.exec(out)?.[1] ?? '';
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.skipIf(xmlsec1Missing)('canonical bytes against xmlsec1', () => {
  test('equal on 1,000 generated documents', () => {
    const given = generate(1_000);
    const theirs = formsByXmlsec1(given);
    for (const [at, xml] of given.entries()) {
      using document = XmlDocument.fromString(xml);
      expect(canonicalForm(document.root), xml).toBe(theirs[at]);
    }
  }, 900_000);
});
