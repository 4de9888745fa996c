import { escapeXmlAttribute } from '../markdown/book/xml-text.ts';
import { htmlPieces } from '../markdown/html-pieces.ts';

/** Resolves the links and images of a page that becomes a file of a book. */
export interface BookAddresses {
  /** The file of a page of this notebook for its view's address, with the heading if it names one; undefined for any other address. */
  findPage(address: string): string | undefined;
  /** The file of an included image; undefined: it stays outside, and the book may not fetch it (EPUB 3.3 §3.6). */
  findImage(url: string): string | undefined;
  /** Base of relative addresses: the notebook's own address. */
  readonly base: string;
}

/** The renderer writes both with these attributes in this order; in text, every `<` is escaped. */
const links = /<a ([^<>]*)href="([^"<>]*)">|<img src="([^"<>]*)" alt="([^"<>]*)" class="(in-link|image)"([^<>]*)\/>/g;

const references: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#9;': '\t',
  '&#10;': '\n',
  '&#13;': '\r',
};
const readReferences = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#9|#10|#13);/g, reference => references[reference]!);

/** No program follows a longer address, and every character of it would be read several times. */
const maxAddressChars = 8_192;
/** The address with its references decoded; undefined when it is too long to lead anywhere. */
const readAddress = (written: string) => (written.length > maxAddressChars ? undefined : readReferences(written));

export const piecesOf = htmlPieces;

/** The address of every image shown there, as it was written. */
export function imagesOf(xhtml: string): string[] {
  return [...xhtml.matchAll(links)].flatMap(([, , , src]) => (src === undefined ? [] : (readAddress(src) ?? [])));
}

/** Resolves links that the renderer left as they were written. */
export function resolveBookLinks(xhtml: string, addresses: BookAddresses): string {
  return xhtml.replace(links, (_, others: string, href: string, src: string, alt: string, place: string, sizes: string) => {
    if (src === undefined) return link(others, readAddress(href), addresses);
    const address = readAddress(src);
    const file = address && addresses.findImage(address);
    if (file) return `<img src="${file}" alt="${alt}"${sizes}/>`;
    const words = alt === '' ? 'Image' : `Image: ${alt}`;
    const url = place === 'image' && address !== undefined ? absolute(address, addresses.base) : undefined;
    return url === undefined ? `<span class="image">[${words}]</span>` : `<a href="${escapeXmlAttribute(url)}">${words}</a>`;
  });
}

function link(others: string, href: string | undefined, addresses: BookAddresses): string {
  const rest = others.trim() === '' ? '' : ` ${others.trim()}`;
  if (href === undefined) return `<a${rest}>`;
  if (href.startsWith('#')) return `<a${rest} href="${escapeXmlAttribute(href)}">`;
  const url = absolute(href, addresses.base);
  if (url === undefined) return `<a${rest}>`;
  const { origin } = new URL(addresses.base);
  const page = url.startsWith(`${origin}/`) ? addresses.findPage(url.slice(origin.length)) : undefined;
  return `<a${rest} href="${escapeXmlAttribute(page ?? url)}">`;
}

const followed = new Set(['http:', 'https:', 'mailto:']);

/** Matches a host label that can be looked up (RFC 1123 §2.1); EPUBCheck accepts no other. */
function isHostLabel(label: string): boolean {
  return /^[a-z0-9-]+$/i.test(label) && !label.startsWith('-') && !label.endsWith('-');
}

/** The address as RFC 3986 writes it, which is narrower than what browsers accept; undefined when no reading program should follow it. */
function absolute(address: string, base: string): string | undefined {
  const url = URL.parse(address, base);
  if (!url || !followed.has(url.protocol)) return undefined;
  if (url.protocol !== 'mailto:' && !url.hostname.split('.').every(isHostLabel)) return undefined;
  const [whole, ...fragment] = url.href
    .replace(/%(?![0-9a-f]{2})/gi, '%25')
    .replace(/[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]/gu, sign => encodeURIComponent(sign.toWellFormed()))
    .split('#');
  return fragment.length === 0 ? whole : `${whole}#${fragment.join('%23')}`;
}
