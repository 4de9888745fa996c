import type { IncomingMessage } from 'node:http';
import { GateError } from '../errors.ts';
import { headerValues } from './header-values.ts';

/** A name or an IPv6 literal, and perhaps a port (RFC 3986 §3.2.2). Names with `_` are common inside of networks. */
const host = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/**
 * Refuses what two servers could read as two requests: two Host headers, or one that is no host (RFC 9112 §3.2), are two stories about where
 * this goes; of a body with another coding besides chunked we would pass on the octets and leave out what they are (§6.1).
 *
 * @throws {@link GateError} `BAD_REQUEST`
 */
export function requireOneReading(request: IncomingMessage): void {
  const [named, ...more] = headerValues(request, 'host');
  if (named === undefined || more.length > 0) throw new GateError('BAD_REQUEST', 'expected exactly one Host header');
  if (!host.test(named)) throw new GateError('BAD_REQUEST', 'the Host header names no host');
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw new GateError('BAD_REQUEST', 'the only transfer coding here is chunked');
}
