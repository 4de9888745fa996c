import type { Element } from 'hast';
import { find, html } from 'property-information';
import { textOf } from '../tree.ts';
import type { Attributes, XmlText } from './xml-text.ts';

/** How many children MathML 3 §3.1.3 requires. Elements not listed may have any number. */
const counts: Readonly<Record<string, number>> = {
  mfrac: 2,
  mroot: 2,
  msub: 2,
  msup: 2,
  munder: 2,
  mover: 2,
  msubsup: 3,
  munderover: 3,
};
/** Those attributes allowed by safe-mathml.ts that MathML 3 has. */
const known = new Set(
  'accent accentunder columnspan depth display displaystyle fence form height largeop linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits rspace scriptlevel separator stretchy symmetric voffset width encoding'.split(
    ' ',
  ),
);
const booleans = new Set('accent accentunder displaystyle fence largeop movablelimits separator stretchy symmetric'.split(' '));
/** The units of MathML 3. `mu` is TeX's and not among them. */
const length = /^-?(?:\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})(?:em|ex|px|in|cm|mm|pt|pc|%)?$/;
const lengths = new Set('depth height linethickness lspace mathsize maxsize minsize rspace voffset width'.split(' '));
const variants = new Set(
  'normal bold italic bold-italic double-struck bold-fraktur script bold-script fraktur sans-serif bold-sans-serif sans-serif-italic sans-serif-bold-italic monospace initial tailed looped stretched'.split(
    ' ',
  ),
);

/** Writes a formula as MathML 3, or as its source if it is not valid MathML 3. */
export function writeMath(xml: XmlText, math: Element): void {
  if (fits(math)) writeNode(xml, math, { xmlns: 'http://www.w3.org/1998/Math/MathML' });
  else xml.element('code', {}, () => xml.words(sourceOf(math)));
}

function fits(node: Element): boolean {
  const children = node.children.filter(child => child.type === 'element');
  const count = counts[node.tagName];
  if (count !== undefined && children.length !== count) return false;
  if (node.tagName === 'mmultiscripts') {
    // A base is followed by scripts in pairs, which `mprescripts` separates.
    const between = children.findIndex(({ tagName }) => tagName === 'mprescripts');
    if (children.length % 2 === (between === -1 ? 0 : 1) || (between !== -1 && between % 2 === 0)) return false;
  } else if (children.some(({ tagName }) => tagName === 'mprescripts')) return false;
  if (node.tagName === 'mtable' && children.some(({ tagName }) => tagName !== 'mtr')) return false;
  if (node.tagName === 'mtr' && children.some(({ tagName }) => tagName !== 'mtd')) return false;
  if (node.tagName !== 'mtable' && children.some(({ tagName }) => tagName === 'mtr')) return false;
  if (node.tagName !== 'mtr' && children.some(({ tagName }) => tagName === 'mtd')) return false;
  return children.every(fits);
}

function sourceOf(math: Element): string {
  const [semantics] = math.children;
  const source = semantics?.type === 'element' ? semantics.children.at(-1) : undefined;
  return textOf(source ?? math);
}

function writeNode(xml: XmlText, node: Element, extra: Attributes): void {
  xml.element(node.tagName, { ...extra, ...attributesOf(node) }, () => {
    for (const child of node.children) {
      if (child.type === 'text') xml.words(child.value);
      else if (child.type === 'element') writeNode(xml, child, {});
    }
  });
}

/** Only these elements may set the style of their content. */
const styleOf: Readonly<Record<string, readonly string[]>> = {
  displaystyle: ['math', 'mstyle', 'mtable'],
  scriptlevel: ['mstyle'],
};

function attributesOf({ tagName, properties }: Element): Attributes {
  const made: Attributes = {};
  for (const [property, value] of Object.entries(properties)) {
    const name = find(html, property).attribute.toLowerCase();
    const text = value === true ? 'true' : String(value);
    const stands = styleOf[name]?.includes(tagName) ?? true;
    if (stands && known.has(name) && isValid(name, text)) made[name] = text;
  }
  return made;
}

function isValid(name: string, value: string): boolean {
  if (booleans.has(name)) return value === 'true' || value === 'false';
  if (lengths.has(name)) return length.test(value);
  if (name === 'mathvariant') return variants.has(value);
  if (name === 'form') return ['prefix', 'infix', 'postfix'].includes(value);
  if (name === 'display') return value === 'block' || value === 'inline';
  if (name === 'mathcolor' || name === 'mathbackground')
    return /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(value) || colors.has(value);
  return value !== '';
}

/** The color names of MathML 3 (§2.1.5.3). */
const colors = new Set(
  'aqua black blue fuchsia gray green lime maroon navy olive purple red silver teal white yellow'.split(' '),
);
