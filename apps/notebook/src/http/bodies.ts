import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../errors.ts';
import { readJson, readUtf8, requireCleanText } from './request-text.ts';

function requireUtf8Charset(request: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Refusal('unsupported_media_type', { detail: `The body must be UTF-8, not ${charset}.` });
  }
}

/** JSON and markdown, as UTF-8 and nothing else; every other kind of body is refused by name. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    requireUtf8Charset(request);
    return readJson(body);
  });
  app.addContentTypeParser(
    ['text/markdown', 'text/plain'],
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      requireUtf8Charset(request);
      return requireCleanText(readUtf8(body), 'The body');
    },
  );
}
