import type { FastifyReply } from 'fastify';
import { catalog, type ErrorCode, type RefusalExtras } from '../../errors.ts';
import { sendLongJson } from './long-json.ts';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail?: string;
  readonly errors?: readonly { path: string; message: string }[];
  readonly page?: unknown;
}

/** A problem document (RFC 9457) with a stable `code`. */
export function problemOf(code: ErrorCode, extras: RefusalExtras = {}): Problem {
  const { status, title } = catalog[code];
  return {
    type: 'about:blank',
    title,
    status,
    code,
    ...(extras.detail === undefined ? {} : { detail: extras.detail }),
    ...(extras.errors === undefined ? {} : { errors: extras.errors }),
    ...(extras.page === undefined ? {} : { page: extras.page }),
  };
}

/** RFC 9110 §15.5.2: a 401 says which credential would help. */
export function challengeOf(code: ErrorCode): string {
  return code === 'edit_token_missing' ? 'X-Edit-Token realm="notebook"' : 'Notebook-Password realm="notebook"';
}

export function sendProblem(reply: FastifyReply, code: ErrorCode, extras: RefusalExtras = {}): FastifyReply {
  const problem = problemOf(code, extras);
  if (problem.status === 401) reply.header('www-authenticate', challengeOf(code));
  if (extras.retryAfterSeconds !== undefined) reply.header('retry-after', extras.retryAfterSeconds);
  const type = 'application/problem+json; charset=utf-8';
  reply.code(problem.status).headers({ 'content-type': type, 'cache-control': 'no-store' });
  return sendLongJson(reply, problem, type) ?? reply.send(JSON.stringify(problem));
}
