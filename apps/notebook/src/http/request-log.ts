import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyBaseLogger {
    /** Pino's own check: is a line of this level written at all? */
    isLevelEnabled(level: string): boolean;
  }
  interface FastifyInstance {
    /** Numbers the requests for the log. */
    readonly genReqId: (request: IncomingMessage) => string;
  }
}

/**
 * A path that is safe to log. An edit token means ownership of a notebook; an unlisted slug and the address of an image are capabilities
 * (model/access.ts); a page's address may hold the words of its title. None of them is written. Any 43 base64url characters look like an edit
 * token, wherever they appear. Queries are dropped. A proxy may double a slash: the address is then unknown, and its slug is still one.
 */
export function redactedPath(url: string): string {
  return decoded(/^[^?#]*/.exec(url)![0])
    .replace(/^(\/+e)\/+[^/]*/i, '$1/[edit-token]')
    .replace(/[A-Za-z0-9_-]{43,}/g, '[edit-token]')
    .replace(/^(\/+images)\/+[^/].*/is, '$1/[image]')
    .replace(/^(\/+(?:n|edit|api\/+notebooks|api\/+slugs))\/+[^/]+/i, '$1/[slug]')
    .replace(/^(\/+n\/\[slug\]\/+p)\/+[^/]+/i, '$1/[page]');
}

/** The router decodes before it matches: `/%6e/my-notes` is a view link too. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Logs one line per request, without addresses, headers or bodies. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    if (!request.log.isLevelEnabled('info')) return;
    request.log.info(requestLine(request.method, request.url, reply.statusCode, reply.elapsedTime), 'request');
  });
}

/** The content of the line, made only when the line is written. */
export function requestLine(method: string, url: string, status: number, elapsedMillis: number): object {
  return { method, path: redactedPath(url), status, ms: Math.round(elapsedMillis * 10) / 10 };
}

/** A forwarded header from an untrusted peer usually means a proxy that is missing from the configuration. Warns once. */
export function warnOfUntrustedProxy(app: FastifyInstance): void {
  let said = false;
  app.addHook('onRequest', async (request: FastifyRequest) => {
    if (said || request.headers['x-forwarded-for'] === undefined) return;
    if (request.ips !== undefined && request.ips.length > 1) return;
    said = true;
    request.log.warn(
      { peer: request.socket.remoteAddress },
      'X-Forwarded-For from a peer that TRUST_PROXY does not name: ignored. Behind a proxy, set TRUST_PROXY to its address, or every visitor counts as one.',
    );
  });
}
