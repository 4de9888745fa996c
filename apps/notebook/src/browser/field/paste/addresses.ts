/** Where a pasted link may lead; anything else is only its words. */
export function readHref(href: string): string | undefined {
  const url = parse(href);
  if (!url || !['http:', 'https:', 'mailto:', 'tel:'].includes(url.protocol)) return undefined;
  // Google's documents send every link through a redirection of their own.
  const behind = url.host === 'www.google.com' && url.pathname === '/url' ? url.searchParams.get('q') : null;
  return behind !== null ? readHref(behind) : writable(href.trim());
}

/** Only pictures that others can fetch as well; a picture's own bytes, or a file of this machine, are not that. */
export function readSource(src: string): string | undefined {
  const url = parse(src);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? writable(src.trim()) : undefined;
}

function parse(address: string): URL | undefined {
  return URL.canParse(address.trim()) ? new URL(address.trim()) : undefined;
}

const escapes: Record<string, string> = { '(': '%28', ')': '%29', '<': '%3C', '>': '%3E', '\\': '%5C', '"': '%22' };

const writable = (address: string): string => address.replaceAll(/[()<>\\"\s]/g, sign => escapes[sign] ?? '%20');
