import type { IncomingMessage } from 'node:http';
import { withoutCookies } from '../http/cookies.ts';
import type { Peer } from '../http/peer.ts';

/** Headers of one connection (RFC 9110 §7.6.1); the next one has its own. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What a proxy says of the request before it. Ours are written anew; a stranger's would be believed as ours. */
const forwarded =
  /^(?:x-forwarded-|x-original-|x-real-ip$|x-rewrite-url$|forwarded$|x-http-method|x-method-override$|x-accel-|x-sendfile)/;

export interface UpstreamHeaderParts {
  readonly isReserved: (name: string) => boolean;
  readonly isOurCookie: (name: string) => boolean;
  readonly publicUrl: string;
  readonly identity: readonly (readonly [string, string])[];
}

/**
 * The headers of a request on its way to the upstream: raw pairs, as they came, without what belongs to this connection,
 * without anything that could be taken for one of our identity headers, and with what we say ourselves.
 */
export function upstreamHeaders(request: IncomingMessage, peer: Peer, parts: UpstreamHeaderParts): string[] {
  const listed = connectionListed(request);
  const out: string[] = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] as string;
    const value = request.rawHeaders[at + 1] as string;
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || listed.has(lower) || lower === 'host' || lower === 'expect') continue;
    if (parts.isReserved(name) || forwarded.test(lower.replace(/[^a-z0-9]/g, '-'))) continue;
    if (lower === 'cookie') {
      const rest = withoutCookies(value, parts.isOurCookie);
      if (rest !== '') out.push(name, rest);
    } else out.push(name, value);
  }
  const { host, protocol } = new URL(parts.publicUrl);
  out.push(
    'Host',
    host,
    'X-Forwarded-Host',
    host,
    'X-Forwarded-Proto',
    protocol.slice(0, -1),
    'X-Forwarded-For',
    forwardedFor(request, peer),
  );
  for (const [name, value] of parts.identity) out.push(name, value);
  return out;
}

/** The headers of the upstream's answer for the person: without its connection's, everything else as it is. */
export function clientHeaders(raw: readonly string[], connection: string | undefined): string[] {
  const listed = new Set(
    (connection ?? '')
      .toLowerCase()
      .split(',')
      .map(name => name.trim()),
  );
  const out: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const lower = (raw[at] as string).toLowerCase();
    if (!hopByHop.has(lower) && !listed.has(lower)) out.push(raw[at] as string, raw[at + 1] as string);
  }
  return out;
}

function forwardedFor(request: IncomingMessage, peer: Peer): string {
  const before = peer.isTrusted ? (request.headersDistinct['x-forwarded-for'] ?? []).join(', ') : '';
  return before === '' ? peer.address : `${before}, ${peer.address}`;
}

function connectionListed(request: IncomingMessage): Set<string> {
  const text = (request.headersDistinct.connection ?? []).join(',').toLowerCase();
  return new Set(
    text
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== ''),
  );
}
