import type { FastifyInstance } from 'fastify';
import { checkSlugAvailable } from '../operations/check-slug.ts';
import { urls } from '../urls.ts';
import { clientOf, type RouteContext, type SlugPath } from './context.ts';
import { answers, SlugAnswer, SlugParams } from './schemas.ts';

export function slugRoutes(app: FastifyInstance, context: RouteContext): void {
  app.get<SlugPath>(
    urls.api.slug(':slug'),
    {
      schema: {
        summary: 'Whether a slug may be chosen',
        tags: ['notebooks'],
        params: SlugParams,
        response: answers(200, SlugAnswer, 'rate_limited'),
      },
    },
    async request => checkSlugAvailable(context.parts, request.params.slug, clientOf(request)),
  );
}
