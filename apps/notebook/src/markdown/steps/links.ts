import type { Element } from 'hast';
import { defaultIdPrefix } from '../default-id-prefix.ts';
import type { Ids } from './ids.ts';

const rel = ['nofollow', 'ugc', 'noopener', 'noreferrer'];

/** Links out of a notebook pass on no ranking, window handle or referrer. @returns a link within the page, to be resolved later */
export function hardenLink(node: Element): Element | undefined {
  const { href } = node.properties;
  if (node.tagName !== 'a' || typeof href !== 'string') return undefined;
  if (href.startsWith('#')) return node;
  node.properties.rel = rel;
  if (editLink.test(href)) warnOfEditLink(node);
  return undefined;
}

/** An edit link of this or another Octavo service (urls.ts `editByToken`). */
const editLink = /\/e\/[\w-]{43}(?![\w-])/;

/** Anybody who follows such a link controls a notebook that is not theirs, and the writer may not know that they gave it away. */
function warnOfEditLink(node: Element): void {
  node.properties.className = ['edit-link'];
  node.properties.title = 'An edit link: everyone who has it can change and delete that notebook.';
}

export function hardenImage(node: Element): void {
  if (node.tagName === 'img') {
    node.properties.loading = 'lazy';
    node.properties.referrerPolicy = 'no-referrer';
  } else if (node.tagName === 'source' && !isSafeSourceSet(String(node.properties.srcSet ?? ''))) {
    delete node.properties.srcSet;
  }
}

/** Checked here, because the schema checks the protocols of single addresses only. */
function isSafeSourceSet(sourceSet: string): boolean {
  return sourceSet.split(',').every(candidate => !/^[^/?#]*:/.test(candidate.trim()) || /^https?:/i.test(candidate.trim()));
}

/**
 * Adds the prefix that every id from the text has to a link like `[up](#intro)`: exactly once, and only if the target exists. A link that
 * names the prefix of views already (`#user-content-intro`), as on GitHub, leads to the same place under every prefix.
 */
export function resolveFragment(node: Element, ids: Ids): void {
  const fragment = decodeFragment(String(node.properties.href).slice(1));
  if (ids.has(fragment)) return;
  const names = fragment.startsWith(defaultIdPrefix) ? [fragment.slice(defaultIdPrefix.length), fragment] : [fragment];
  const target = names
    .flatMap(name => [name, name.toLowerCase()])
    .map(name => ids.prefix + name)
    .find(id => ids.has(id));
  if (target) node.properties.href = `#${target}`;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
