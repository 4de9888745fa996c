import type { FastifyInstance } from 'fastify';
import { Refusal } from '../errors.ts';
import { urls } from '../urls.ts';
import type { RouteContext } from './context.ts';
import { answers, OkAnswer } from './schemas.ts';

export function healthRoutes(app: FastifyInstance, context: RouteContext): void {
  const requireDatabase = async () => {
    try {
      await context.parts.store.ping();
      return { ok: true };
    } catch (error) {
      app.log.error({ err: error }, 'the database does not answer');
      throw new Refusal('unavailable', { detail: 'The database does not answer.' });
    }
  };
  app.get(
    urls.api.ping(),
    {
      schema: { summary: 'Touch the database (keep-alive)', tags: ['service'], response: answers(200, OkAnswer, 'unavailable') },
    },
    requireDatabase,
  );
  /** The process answers. */
  app.get(urls.healthz(), { schema: { hide: true } }, async () => ({ ok: true }));
  /** The process and its database answer. */
  app.get(urls.readyz(), { schema: { hide: true } }, requireDatabase);
}
