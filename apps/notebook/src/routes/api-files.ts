import type { FastifyInstance } from 'fastify';
import * as calls from '../api/calls.ts';
import * as schemas from '../api/schemas.ts';
import { listPageFiles } from '../operations/list-page-files.ts';
import { type RouteContext, readCredentials, type SlugPath } from './context.ts';
import { on } from './on.ts';

/** The data that an export needs to restore the files that pages were imported from. */
export function fileRoutes(app: FastifyInstance, { parts }: RouteContext): void {
  on<SlugPath>(
    app,
    calls.listPageFiles,
    [':slug'],
    {
      schema: {
        summary: 'The files that pages were imported from',
        tags: ['pages'],
        params: schemas.SlugParams,
        headers: schemas.TokenHeader,
        response: schemas.answers(200, schemas.FilesAnswer, ...schemas.sharedProblems.owning),
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return { items: await listPageFiles(parts, request.params.slug, readCredentials(request)) };
    },
  );
}
