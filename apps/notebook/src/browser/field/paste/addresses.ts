/** The address of a pasted link, or undefined if it may not be linked. Then only the link's text is kept. */
export function readHref(href: string): string | undefined {
  const url = parse(href);
  if (!url || !['http:', 'https:', 'mailto:', 'tel:'].includes(url.protocol)) return undefined;
  // Google Docs routes every link through its own redirect.
  const behind = url.host === 'www.google.com' && url.pathname === '/url' ? url.searchParams.get('q') : null;
  return behind !== null ? readHref(behind) : writable(href.trim());
}

/** Accepts only pictures that others can fetch too, not embedded data or local files. */
export function readSource(src: string): string | undefined {
  const url = parse(src);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? writable(src.trim()) : undefined;
}

function parse(address: string): URL | undefined {
  return URL.canParse(address.trim()) ? new URL(address.trim()) : undefined;
}

const escapes: Record<string, string> = { '(': '%28', ')': '%29', '<': '%3C', '>': '%3E', '\\': '%5C', '"': '%22' };

const writable = (address: string): string => address.replaceAll(/[()<>\\"\s]/g, sign => escapes[sign] ?? '%20');
