import { composed } from '../../model/mark-runs.ts';
import { type CodeSpan, findCode } from './code-spans.ts';

interface ImageAddress {
  readonly link: string;
  /** Where it ends in the text. */
  readonly to: number;
}

/** A place where a text names an image. */
interface ImagePlace {
  /** Where the replaced text begins. */
  readonly from: number;
  /** The addresses that may be meant, the likeliest first. */
  readonly links: Iterable<ImageAddress>;
  readonly write: (address: string) => string;
}

const asIs = (address: string): string => address;

/**
 * What is before the address of an image. Lengths are bounded, because the text may be hostile: an opening without an end must not make
 * the search scan the rest of the text again and again.
 */
const openings: readonly RegExp[] = [
  // super-linear: walks at most 1,000 characters from each place.
  /!\[(?:[^[\]\\\n]|\n(?![ \t]*\n)|\\.|\[[^[\]\n]{0,500}\]){0,1000}\]\([ \t]{0,10}/g,
  // super-linear: walks at most 500 characters from each place.
  /^[ \t>]{0,20}\[(?!\^)[^\]\n]{1,500}\]:[ \t]{0,10}(?:\n[ \t>]{1,10})?/gm,
];
const tag = /<img(?=\s)/gi;
const attribute = /[\s/]{0,100}([^\s"'<>/=]{1,200})(?:\s{0,10}=\s{0,10}("[^"]{0,2000}"|'[^']{0,2000}'|[^\s"'<>=`]{1,1000}))?/y;
/** Longer tags are read to here. */
const mostTagChars = 3_000;
/** `![[photo.png]]`, Obsidian's syntax. */
const embedded = /!\[\[([^[\]|\n]{1,500})(?:\|[^[\]\n]{0,200})?\]\]/g;

function* placesIn(markdown: string): Generator<ImagePlace & { readonly start: number }> {
  for (const opening of openings) {
    for (const { 0: before, index } of markdown.matchAll(opening)) {
      const from = index + before.length;
      yield { start: index, from, links: addressesAt(markdown, from), write: asIs };
    }
  }
  for (const { 0: opening, index } of markdown.matchAll(tag)) {
    const source = sourceAt(markdown, index + opening.length);
    if (source) yield { start: index, from: source.to - source.link.length, links: [source], write: asIs };
  }
  for (const { 0: whole, 1: link = '', index } of markdown.matchAll(embedded))
    yield {
      start: index,
      from: index,
      links: [{ link: link.trim(), to: index + whole.length }],
      write: address => `![](${address})`,
    };
}

/** The `src` among these attributes. A `>` in the quotes of another one ends nothing. */
function sourceAt(text: string, from: number): ImageAddress | undefined {
  const tagText = text.slice(from, from + mostTagChars);
  for (let at = 0, found = matchAt(attribute, tagText, at); found; found = matchAt(attribute, tagText, at)) {
    const [whole, name = '', value = ''] = found;
    at += whole.length;
    if (name.toLowerCase() !== 'src') continue;
    const quotes = /^["']/.test(value) ? 1 : 0;
    const link = value.slice(quotes, value.length - quotes);
    return link === '' || /[<>]/.test(link) ? undefined : { link, to: from + at - quotes };
  }
  return undefined;
}

/** An address as CommonMark reads it, with brackets in pairs. */
const pointed = /<([^<>\n]{1,1000})>/y;
const paired = /(?:[^\s<>()\\]|\\[()]?|\((?:[^\s<>()]|\([^\s<>()]{0,100}\)){0,500}\)){1,1000}/y;
const mostBrackets = 5;

function matchAt(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}

/** The address there, then, for names with brackets that CommonMark would not take, up to each further bracket. */
function* addressesAt(text: string, from: number): Generator<ImageAddress> {
  const within = matchAt(pointed, text, from);
  if (within) {
    yield { link: within[1]!, to: from + within[0].length };
    return;
  }
  const [link] = matchAt(paired, text, from) ?? [''];
  if (link !== '') yield { link, to: from + link.length };
  const brackets = text.slice(from, from + 1_000).matchAll(/\)|[\s<>]/g);
  let left = mostBrackets;
  for (const { 0: sign, index } of brackets) {
    if (sign !== ')' || left === 0) return;
    left -= 1;
    if (index > 0 && index !== link.length) yield { link: text.slice(from, from + index), to: from + index };
  }
}

const contains = (spans: readonly CodeSpan[], at: number): boolean => {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.to <= at) low = middle + 1;
    else high = middle;
  }
  return low < spans.length && spans[low]!.from <= at;
};

/**
 * Replaces the addresses of a text's images. Code stays as it is.
 * @param address returns the new address, or undefined to leave the old one; if a link may be read in several ways, it is asked about each
 */
export function replaceImageLinks(markdown: string, address: (link: string) => string | undefined): string {
  const edits: { readonly from: number; readonly to: number; readonly insert: string }[] = [];
  for (const { from, links, write } of placesOf(markdown)) {
    for (const { link, to } of links) {
      const other = address(link);
      if (other === undefined) continue;
      edits.push({ from, to, insert: write(other) });
      break;
    }
  }
  edits.sort((one, next) => one.from - next.from);
  let [result, at] = ['', 0];
  for (const { from, to, insert } of edits) {
    if (from < at) continue;
    result += markdown.slice(at, from) + insert;
    at = to;
  }
  return result + markdown.slice(at);
}

/** The places that are not in code. Code within an image's words is no hindrance. */
function* placesOf(markdown: string): Generator<ImagePlace> {
  let code: readonly CodeSpan[] | undefined;
  for (const place of placesIn(markdown)) {
    code ??= findCode(markdown);
    if (!contains(code, place.start) && !contains(code, place.from)) yield place;
  }
}

/** The address of each image, as Markdown reads it. */
export function findImageLinks(markdown: string): string[] {
  const found: string[] = [];
  for (const { links } of placesOf(markdown)) {
    for (const { link } of links) {
      found.push(link);
      break;
    }
  }
  return found;
}

/** The ways to read a link to a file: with the escapes of Markdown and HTML or without them, and with `#` and `?` in the name. */
export function* readingsOf(link: string): Generator<string> {
  const plain = link.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll('&amp;', '&');
  for (const text of new Set([plain, link])) {
    yield text;
    if (/[?#]/.test(text)) yield text.replaceAll(/[?#]/g, encodeURIComponent);
  }
}

/** The file that a link in this page refers to, as a path from the root of the import. Undefined for an address on the web. */
export function resolveLink(pagePath: string, link: string): string | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(link)) return undefined;
  const path = decoded(/^[^?#]*/.exec(link)![0]).replaceAll('\\', '/');
  const segments = path.startsWith('/') ? [] : pagePath.split('/').slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.length === 0 ? undefined : composed(segments.join('/'));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
