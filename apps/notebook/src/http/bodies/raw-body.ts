import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../errors.ts';
import { parseBodies } from './assemble-body.ts';

/**
 * For routes that accept a file: bytes with any Content-Type, or none. The type that the sender names is not read (spec 1 §2 "Image
 * pipeline"), so a malformed one is no reason to refuse.
 */
export function takeRawBodies(scope: FastifyInstance, maxBytes: number): void {
  scope.removeAllContentTypeParsers();
  parseBodies(scope, '*', (_, body) => body, maxBytes);
  scope.addHook('onRequest', async request => {
    if (request.method !== 'POST') return;
    if (request.headers['content-length'] === undefined) throw new Refusal('length_required');
    request.raw.headers['content-type'] = 'application/octet-stream';
  });
}
