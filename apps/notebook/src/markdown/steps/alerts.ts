import type { Element } from 'hast';
import { element, type Parent, text } from '../tree.ts';

const titles: Record<string, string> = {
  note: 'Note',
  tip: 'Tip',
  important: 'Important',
  warning: 'Warning',
  caution: 'Caution',
};
const sign = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i;

/** Turns a top-level block quote that starts with `> [!NOTE]` into an alert, as GitHub does. */
export function makeAlert(node: Element, ancestors: readonly Parent[]): void {
  if (node.tagName !== 'blockquote' || ancestors.length !== 1) return;
  const first = node.children.find(child => child.type === 'element');
  const lead = first?.tagName === 'p' ? first.children[0] : undefined;
  if (!first || lead?.type !== 'text') return;
  const found = sign.exec(lead.value);
  if (!found || !endsItsLine(found[0], first)) return;
  const kind = found[1]!.toLowerCase();
  lead.value = lead.value.slice(found[0].length);
  dropLead(node, first);
  node.tagName = 'div';
  delete node.properties.cite;
  node.properties.className = ['markdown-alert', `markdown-alert-${kind}`];
  node.children.unshift(text('\n'), element('p', { className: ['markdown-alert-title'] }, [text(titles[kind]!)]));
}

/** The sign must be alone on its line: `[!NOTE] **bold**` is a quote, not an alert. */
function endsItsLine(matched: string, paragraph: Element): boolean {
  const next = paragraph.children[1];
  return matched.endsWith('\n') || !next || (next.type === 'element' && next.tagName === 'br');
}

function dropLead(quote: Element, paragraph: Element): void {
  const [lead, next] = paragraph.children;
  if (lead?.type === 'text' && lead.value === '') paragraph.children.shift();
  if (next?.type === 'element' && next.tagName === 'br' && paragraph.children[0] === next) paragraph.children.shift();
  if (paragraph.children.length === 0) quote.children = quote.children.filter(child => child !== paragraph);
}
