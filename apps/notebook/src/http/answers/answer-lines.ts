import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../errors.ts';
import { acceptedRanges } from './accept.ts';
import { challengeOf } from './problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers clients that do not ask for JSON, such as a terminal's, with lines of text. */
    lines?: true;
  }
}

/** Terminal programs: unless they ask for a type, a person reads the answer. */
const terminalClients = /^(?:curl|Wget)\//;

/**
 * Whether this client wants lines of text: it accepts `text/plain`, or it is curl or Wget and accepts anything. A client that sends JSON
 * gets JSON.
 */
export function wantsLines(request: FastifyRequest): boolean {
  if (request.routeOptions.config.lines !== true) return false;
  const ranges = acceptedRanges(request.headers.accept ?? '*/*');
  const accepted = [...ranges.keys()].filter(range => ranges.get(range)! > 0);
  if (accepted.some(range => range.includes('json'))) return false;
  if (accepted.includes('text/plain')) return true;
  const sendsJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
  return accepted.includes('*/*') && ranges.size === 1 && !sendsJson && terminalClients.test(request.headers['user-agent'] ?? '');
}

/** Sends `name value` pairs, one per line. */
export function sendLines(reply: FastifyReply, status: number, lines: readonly (readonly [string, string])[]): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    .send(lines.map(([name, value]) => `${name} ${value}\n`).join(''));
}

/** A refusal in one line. */
export function sendRefusalLine(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { detail, retryAfterSeconds } = refusal.extras;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  if (refusal.status === 401) reply.header('www-authenticate', challengeOf(refusal.code));
  const said = (detail ?? refusal.message).replace(/\s+/g, ' ').trim();
  return sendLines(reply, refusal.status, [['error', `${refusal.code}: ${said}`]]);
}
