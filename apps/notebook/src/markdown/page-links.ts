import { slugOf } from './steps/headings.ts';

/**
 * `<a href="` begins a link in no other place of rendered HTML: text has its `<` escaped, and attributes their quotes. An address
 * without a scheme that ends like a Markdown file is a link to another page.
 */
const fileLink = /<a href="((?!\/\/)[^"#?:]{1,1000}\.(?:md|markdown))(?:#([^"]{0,500}))?"/gi;

/** Quickly: most pages link to no file. */
export function hasFileLinks(html: string): boolean {
  return /\.(?:md|markdown)["#]/i.test(html);
}

/**
 * Puts the addresses of pages in the place of the files that a rendered text links to.
 * @param address of the page that a link means, and of the heading if the link names one; undefined: there is none, and the link leads nowhere
 */
export function aimPageLinks(html: string, address: (link: string, headingId: string | undefined) => string | undefined): string {
  return html.replace(fileLink, (_, link: string, fragment: string | undefined) => {
    const heading = fragment === undefined || fragment === '' ? undefined : slugOf(decoded(unescaped(fragment)));
    const aimed = address(unescaped(link), heading);
    if (aimed === undefined) return '<a title="There is no page for this link"';
    return `<a href="${aimed.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
  });
}

const unescaped = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
