import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { isBelowApi, treatedAs } from './api-address.ts';

const request = (url: string, route?: string) => ({ url, routeOptions: { url: route } }) as FastifyRequest;

it.each([
  // The route decides, however the address spells it.
  ['/%61pi/notebooks', '/api/notebooks', '/api/notebooks', true],
  ['/api/notebooks', '/api/notebooks', '/api/notebooks', true],
  ['/api/x', '/:slug/x', '/:slug/x', false],
  ['/n/api/x', '/n/:slug/:page', '/n/:slug/:page', false],
  // No route: the address as it was sent.
  ['/api/nothing', undefined, '/api/nothing', true],
  ['/apiary', undefined, '/apiary', false],
  ['/n/api/x', undefined, '/n/api/x', false],
])('%s by the route %s is treated as %s', (url, route, path, isApi) => {
  expect([treatedAs(request(url, route)), isBelowApi(request(url, route))]).toEqual([path, isApi]);
});
