import { composed } from '../../model/mark-runs.ts';

/**
 * Patterns for the images in a text. The second group of each is the address. Lengths are bounded, because the text
 * may be hostile: an opening without an end must not make the search scan the rest of the text again and again.
 */
const places: readonly RegExp[] = [
  // super-linear: walks at most 1,000 characters from each place.
  /(!\[(?:[^[\]\\\n]|\\.|\[[^[\]\n]{0,500}\]){0,1000}\]\([ \t]{0,10})(<[^<>\n]{1,1000}>|[^\s()<>]{1,1000}(?:\([^\s()]{0,500}\)[^\s()<>]{0,500}){0,5})/g,
  /(<img\s[^<>]{0,2000}?\bsrc\s{0,10}=\s{0,10}["'])([^"'<>]{1,1000})/gi,
  // super-linear: walks at most 500 characters from each place.
  /(^ {0,3}\[[^\]\n]{1,500}\]:[ \t]{0,10})(<[^<>\n]{1,1000}>|[^\s<>]{1,1000})/gm,
];
/** `![[photo.png]]`, Obsidian's syntax. */
const embedded = /!\[\[([^[\]|\n]{1,500})(?:\|[^[\]\n]{0,200})?\]\]/g;

/**
 * Replaces the addresses of a text's images.
 * @param address returns the new address, or undefined to leave the old one
 */
export function replaceImageLinks(markdown: string, address: (link: string) => string | undefined): string {
  const replaced = places.reduce(
    (text, place) =>
      text.replace(place, (whole: string, before: string, link: string) => {
        const other = address(link.replace(/^<(.*)>$/, '$1'));
        return other === undefined ? whole : before + other;
      }),
    markdown,
  );
  return replaced.replace(embedded, (whole, link: string) => {
    const other = address(link.trim());
    return other === undefined ? whole : `![](${other})`;
  });
}

export function findImageLinks(markdown: string): string[] {
  const links: string[] = [];
  replaceImageLinks(markdown, link => {
    links.push(link);
    return undefined;
  });
  return links;
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
