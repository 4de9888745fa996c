import fc from 'fast-check';
import { XmlDocument } from 'libxml2-wasm';

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

/** `count` generated documents that are well-formed, each with one element in its root. */
export function generate(count: number): string[] {
  const found: string[] = [];
  for (let seed = 1; found.length < count; seed += 1) {
    for (const xml of fc.sample(documents, { numRuns: 200, seed })) {
      using document = parse(xml) ?? null;
      if (document !== null && found.length < count) found.push(xml);
    }
  }
  return found;
}
