import type { FastifyInstance } from 'fastify';
import { Refusal } from '../errors.ts';
import { requireCleanText } from './request-text.ts';

function texts(values: unknown): string[] {
  return Object.values((values ?? {}) as Record<string, unknown>)
    .flat()
    .filter(value => typeof value === 'string');
}

/** A percent-encoded NUL in a path names nothing that could exist; in a query it is as bad as in a body. */
export function requireCleanAddresses(app: FastifyInstance): void {
  app.addHook('preValidation', async request => {
    if (texts(request.params).some(text => text.includes('\0'))) throw new Refusal('not_found');
    for (const text of texts(request.query)) requireCleanText(text, 'The query');
  });
}
