import type { FastifyInstance } from 'fastify';

/** The address of this process itself. An address that means "everywhere" cannot be called. */
export function ownUrl(server: FastifyInstance): string {
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('The service does not listen yet.');
  const host = address.address === '0.0.0.0' ? '127.0.0.1' : address.address === '::' ? '::1' : address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
