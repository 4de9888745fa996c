import { readHref } from './addresses.ts';
import { attributeOf, type PastedElement, styleOf } from './pasted-tree.ts';
import type { TextStyle } from './words.ts';

const tagged = new Set(['kbd', 'sub', 'sup', 'mark']);

/** Adds an element's formatting to the text inside it, from its tag name and from its style, which word processors use instead. */
export function styleInside(element: PastedElement, outer: TextStyle): TextStyle {
  const style = { ...outer };
  const { tagName } = element;
  const weight = styleOf(element, 'font-weight');
  if (tagName === 'b' || tagName === 'strong' || isBold(weight)) Object.assign(style, { bold: true });
  // Google Docs puts everything into a `b` that is not bold.
  if (weight !== '' && !isBold(weight)) Object.assign(style, { bold: false });
  const slant = styleOf(element, 'font-style');
  if (['i', 'em', 'cite', 'dfn', 'var'].includes(tagName) || slant === 'italic') Object.assign(style, { italic: true });
  if (slant === 'normal') Object.assign(style, { italic: false });
  const struck = /line-through/.test(styleOf(element, 'text-decoration') + styleOf(element, 'text-decoration-line'));
  if (struck || ['s', 'del', 'strike'].includes(tagName)) Object.assign(style, { strike: true });
  if (['code', 'tt', 'samp'].includes(tagName)) Object.assign(style, { code: true });
  if (tagName === 'a') Object.assign(style, { href: readHref(attributeOf(element, 'href')) ?? outer.href });
  return { ...style, tag: tagOf(element) ?? outer.tag };
}

function isBold(weight: string): boolean {
  return weight === 'bold' || weight === 'bolder' || Number(weight) >= 600;
}

function tagOf(element: PastedElement): string | undefined {
  if (tagged.has(element.tagName)) return element.tagName;
  const raised = styleOf(element, 'vertical-align');
  return raised === 'super' ? 'sup' : raised === 'sub' ? 'sub' : undefined;
}
