import type { IncomingMessage } from 'node:http';

/** A name or an IPv6 literal, with an optional port (RFC 3986 §3.2.2); empty where the address names no host (RFC 9110 §7.2). */
const host = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/**
 * Whether the request names its host once, as RFC 9112 §3.2 demands. With two Host headers, or one that is not a host, a proxy before us
 * may have read another host than we do, and passed on what it would have refused. Node's own check answers while it reads, and lets the
 * second header pass, so it is off (server.ts).
 */
export function hasOneHost({ rawHeaders, httpVersion, headers }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion !== '1.1';
  let named = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') named += 1;
  }
  return named === 1 && host.test(headers.host);
}
