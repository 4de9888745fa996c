import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../errors.ts';
import { challengeOf } from './problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route that answers clients which ask for no JSON, such as a terminal's, with lines of text. */
    lines?: true;
  }
}

/** Programs for terminals: what they do not ask for, a person reads. */
const terminalClients = /^(?:curl|Wget)\//;

/** Does this client want lines of text? One that accepts `text/plain`, or curl that accepts anything. Who sends JSON speaks JSON. */
export function wantsLines(request: FastifyRequest): boolean {
  if (request.routeOptions.config.lines !== true) return false;
  const accept = (request.headers.accept ?? '*/*').toLowerCase();
  if (accept.includes('json')) return false;
  if (accept.includes('text/plain')) return true;
  const sendsJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
  return accept.trim() === '*/*' && !sendsJson && terminalClients.test(request.headers['user-agent'] ?? '');
}

/** `name value`, a line each. */
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
