import { defaultIdPrefix } from './default-id-prefix.ts';
import { slugOf } from './steps/headings.ts';

/**
 * In rendered HTML `<a ` occurs only at the start of a link: text has its `<` escaped, and attributes their quotes. In the XHTML of a book
 * the address comes last. An address without a scheme that ends like a Markdown file is a link to another page.
 */
const fileLink = /<a ([^<>]{0,2000}?)href="((?!\/\/)[^"#?:]{1,1000}\.(?:md|markdown|mdown|mkd))(?:#([^"]{0,500}))?"/gi;

/** A quick check, because most pages link to no file. */
export function hasFileLinks(html: string): boolean {
  return /\.(?:md|markdown|mdown|mkd)["#]/i.test(html);
}

/**
 * Replaces links to files in rendered HTML by the addresses of pages.
 * @param address returns the address of the page, or of the heading if the link names one. Undefined if there is none; the link then
 * leads nowhere
 */
export function resolvePageLinks(
  html: string,
  address: (link: string, headingId: string | undefined) => string | undefined,
): string {
  return html.replace(fileLink, (_, others: string, link: string, fragment: string | undefined) => {
    const heading = fragment === undefined || fragment === '' ? undefined : slugOf(withoutPrefix(decoded(unescaped(fragment))));
    const resolved = address(unescaped(link), heading);
    if (resolved === undefined)
      return `<a ${others}${others.includes('title="') ? '' : 'title="There is no page for this link"'}`;
    return `<a ${others}href="${resolved.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
  });
}

/** The prefix that ids have in views, as a copied address may name it. */
const withoutPrefix = (name: string) => (name.startsWith(defaultIdPrefix) ? name.slice(defaultIdPrefix.length) : name);

const unescaped = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** Leaves text with an invalid percent sign unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
