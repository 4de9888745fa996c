import type { IncomingHttpHeaders } from 'node:http';

/** Whether a browser is loading a page: only then does a redirect to the sign-in page make sense. */
export function isNavigation(method: string, headers: IncomingHttpHeaders): boolean {
  if (!['GET', 'HEAD', 'POST'].includes(method) || headers['x-requested-with'] !== undefined) return false;
  if (headers.upgrade !== undefined) return false;
  // Browsers send all of these together; a mode alone comes from a program that imitates them.
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  if (mode !== undefined && destination !== undefined) return mode === 'navigate';
  return /(?:^|,)\s*(?:text\/html|application\/xhtml\+xml)\s*(?:[;,]|$)/i.test(headers.accept ?? '');
}

/** Whether a browser follows a link with `download`, as Chromium tells it: whatever page we send is saved in place of the file. */
export function isDownload(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'empty';
}

/**
 * Whether a page of another site opened this WebSocket. Browsers send cookies with every WebSocket, whichever page opens it, and
 * the same-origin policy does not stop them. A proxy in front does not pass Upgrade on to us, but it passes the WebSocket
 * version.
 */
export function isForeignWebSocket(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const isWebSocket = headers.upgrade !== undefined || headers['sec-websocket-version'] !== undefined;
  return isWebSocket && headers.origin !== undefined && headers.origin !== publicUrl;
}

/** Whether a page under another host name sent this. There the browser has none of our cookies: they know a host, but no port. */
export function isOtherHost({ origin }: IncomingHttpHeaders, publicUrl: string): boolean {
  return origin !== undefined && URL.canParse(origin) && new URL(origin).hostname !== new URL(publicUrl).hostname;
}

/** Whether our own pages, or a person typing the address, started the request; undefined when the browser does not say. */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean | undefined {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (headers.origin !== undefined) return headers.origin === publicUrl;
  return undefined;
}
