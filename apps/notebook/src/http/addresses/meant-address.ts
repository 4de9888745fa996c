import type { IncomingHttpHeaders } from 'node:http';
import { urls } from '../../urls.ts';

const changed = (meant: string, url: string): string | undefined => (meant === url ? undefined : meant);
/** A percent-encoded name is no slug of ours, and the capital letters of an encoding mean nothing. */
const lowerSlug = (url: string): string => url.replace(/^\/n\/[^/.?#%]{1,64}(?![^/.?#])/i, start => start.toLowerCase());

/** The address without the capital letters of its slug, which ours never have. Undefined if there are none. */
export const meantSlug = (url: string): string | undefined => changed(lowerSlug(url), url);

/**
 * The address that a person meant who typed a slug with capital letters, or a slash at the end. Only its spelling is looked at, so the
 * answer tells nothing about what exists. Undefined if it is spelled as ours are.
 */
export function meantAddress(url: string): string | undefined {
  const end = url.search(/[?#]|$/);
  const path = url.slice(0, end);
  // Browsers take two slashes, or a slash and a backslash, for the name of another host.
  if (!/^\/[a-z]/i.test(path)) return undefined;
  let last = path.length;
  while (path[last - 1] === '/') last -= 1;
  // Nobody types the address of a file.
  if (last < path.length && path.lastIndexOf('.', last) > path.lastIndexOf('/', last - 1)) return undefined;
  return changed(lowerSlug(path.slice(0, last)) + url.slice(end), url);
}

/** The page that a form was on, for a browser that opens the form's own address: reopened tabs, shared links. */
export function formPage(path: string, { accept }: IncomingHttpHeaders): string | undefined {
  if (!accept?.includes('text/html')) return undefined;
  const [, slug, form] = /^\/api\/notebooks\/([^/]{1,64})\/(unlock|open|reports)$/.exec(path) ?? [];
  if (slug === undefined) return undefined;
  return form === 'reports' ? urls.report(slug) : urls.view(slug);
}
