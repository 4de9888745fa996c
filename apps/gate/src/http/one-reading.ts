import type { IncomingMessage } from 'node:http';
import { GateError } from '../errors.ts';
import { headerValues } from './header-values.ts';

/** A name or an IPv6 literal, with an optional port (RFC 3986 §3.2.2). Names with `_` are common on internal networks. */
const host = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/**
 * Refuses what two servers could read as two different requests. With two Host headers, or one that is not a host (RFC 9112
 * §3.2), they may disagree about where the request goes. HTTP/1.0 has none, and health checks of balancers still send it that way; the
 * application is told the host of `publicUrl` in any case. A transfer coding besides chunked would be lost: we would pass on the
 * encoded bytes without saying how they are encoded (§6.1).
 *
 * @throws {@link GateError} `BAD_REQUEST`
 */
export function requireOneReading(request: IncomingMessage): void {
  const [named, ...more] = headerValues(request, 'host');
  const mayLack = request.httpVersion === '1.0';
  if ((named === undefined && !mayLack) || more.length > 0)
    throw new GateError('BAD_REQUEST', 'expected exactly one Host header');
  if (named !== undefined && !host.test(named)) throw new GateError('BAD_REQUEST', 'the Host header is not a valid host');
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw new GateError('BAD_REQUEST', 'the only supported transfer coding is chunked');
}
