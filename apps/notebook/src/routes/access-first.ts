import type { FastifyRequest } from 'fastify';
import type { Parts } from '../operations/parts.ts';
import type { requireOwner, requireReadable, requireWriter } from '../operations/require-access.ts';
import { readCredentials } from './context.ts';

/** Options of a route that tells a caller who may not use it just that, and only others what is wrong with their request. */
export function accessFirst(parts: Parts, required: typeof requireOwner | typeof requireWriter | typeof requireReadable) {
  return {
    attachValidation: true,
    preHandler: async (request: FastifyRequest): Promise<void> => {
      if (!request.validationError) return;
      const { slug = '' } = request.params as { slug?: string };
      await required(parts, slug, readCredentials(request));
      throw request.validationError;
    },
  };
}
