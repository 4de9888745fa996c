import type { FastifyRequest } from 'fastify';

/** The path by which a request is treated: its route's pattern, because `/%61pi/` leads to the API too; the path as sent when there is no route. */
export function treatedAs({ routeOptions, url }: FastifyRequest): string {
  return routeOptions.url ?? url;
}

export const isBelowApi = (request: FastifyRequest): boolean => treatedAs(request).startsWith('/api/');
