import type { FastifyInstance } from 'fastify';
import * as calls from '../api/calls.ts';
import { answers, SlugAnswer, SlugParams } from '../api/schemas.ts';
import { checkSlugAvailable } from '../operations/check-slug.ts';
import { clientOf, type RouteContext, type SlugPath } from './context.ts';
import { on } from './on.ts';

export function slugRoutes(app: FastifyInstance, context: RouteContext): void {
  on<SlugPath>(
    app,
    calls.checkSlug,
    [':slug'],
    {
      schema: {
        summary: 'Whether a slug may be chosen',
        tags: ['notebooks'],
        params: SlugParams,
        response: answers(200, SlugAnswer),
      },
    },
    async request => checkSlugAvailable(context.parts, request.params.slug, clientOf(request)),
  );
}
