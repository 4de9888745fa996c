import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { dataPolicy } from '../http/answers/security-headers.ts';
import { openImageFile } from '../operations/open-image-file.ts';
import { urls } from '../urls.ts';
import { clientOf, etagMatches, type RouteContext } from './context.ts';
import { sendLargeBytes } from './large-reads.ts';

/** Serves images from a folder (IMAGE_FOLDER). From an object store, browsers fetch them without us. */
export function imageFileRoutes(app: FastifyInstance, { parts }: RouteContext): void {
  app.get<{ Params: { notebook: string; file: string } }>(
    urls.imageFile(':notebook/:file'),
    { schema: { hide: true } },
    async (request, reply) => {
      const { notebook, file } = request.params;
      const { image, contentType, cacheControl, open } = await openImageFile(parts, `${notebook}/${file}`);
      // The file at this address never changes, so its name is its version.
      const etag = `"${image.id}"`;
      reply.headers({
        etag,
        'cache-control': cacheControl,
        'content-security-policy': dataPolicy,
        // As from an object store: feed readers and exported files show it on their own pages.
        'cross-origin-resource-policy': 'cross-origin',
        'x-robots-tag': 'noindex',
      });
      if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
      reply.headers({ 'content-type': contentType, 'content-length': image.bytes });
      // With a stream, the length above stays; otherwise the framework would send 0.
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      return sendLargeBytes(reply, clientOf(request), await open(), 'at once');
    },
  );
}
