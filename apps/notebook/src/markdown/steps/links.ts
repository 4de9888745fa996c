import type { Element } from 'hast';
import type { Ids } from './ids.ts';

const rel = ['nofollow', 'ugc', 'noopener', 'noreferrer'];

/** Links out of a note give no weight, no window handle and no referrer. Gives links within the page back, to be aimed later. */
export function tameLink(node: Element): Element | undefined {
  const { href } = node.properties;
  if (node.tagName !== 'a' || typeof href !== 'string') return undefined;
  if (href.startsWith('#')) return node;
  node.properties.rel = rel;
  if (editLink.test(href)) warnOfEditLink(node);
  return undefined;
}

/** An edit link of this service or of another like it (urls.ts `editByToken`). */
const editLink = /\/e\/[\w-]{43}(?![\w-])/;

/** Whoever follows it holds a notebook in hand that is not their own, and the writer may not know what they gave away. */
function warnOfEditLink(node: Element): void {
  node.properties.className = ['edit-link'];
  node.properties.title = 'An edit link: whoever opens it can change and delete that notebook.';
}

export function tameImage(node: Element): void {
  if (node.tagName === 'img') {
    node.properties.loading = 'lazy';
    node.properties.referrerPolicy = 'no-referrer';
  } else if (node.tagName === 'source' && !isHarmlessSourceSet(String(node.properties.srcSet ?? ''))) {
    delete node.properties.srcSet;
  }
}

/** The schema checks protocols of single addresses only. */
function isHarmlessSourceSet(sourceSet: string): boolean {
  return sourceSet.split(',').every(candidate => !/^[^/?#]*:/.test(candidate.trim()) || /^https?:/i.test(candidate.trim()));
}

/** `[up](#intro)` was written without the prefix that every id of the text gets. Prefixed exactly once, and only if that is a place. */
export function aimFragment(node: Element, ids: Ids): void {
  const fragment = decodeFragment(String(node.properties.href).slice(1));
  if (ids.has(fragment)) return;
  const target = [fragment, fragment.toLowerCase()].map(name => ids.prefix + name).find(id => ids.has(id));
  if (target) node.properties.href = `#${target}`;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
