import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface Metrics {
  /** Counts an answer that the framework did not send; its method is one of the route's. */
  count(method: string, route: string, status: number, elapsedMillis: number): void;
  /** Starts to serve `/metrics` on its own port. @returns the port */
  listen(host: string, port: number): Promise<number>;
  close(): Promise<void>;
}

/** A render or a password check may take seconds; a view takes a millisecond. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/**
 * Counts the server's answers for Prometheus. The labels are the patterns of our routes (`/n/:slug`), never addresses: those contain slugs
 * and edit tokens.
 */
export function createMetrics(server: FastifyInstance): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const labelNames = ['method', 'route', 'status'] as const;
  const answers = new Counter({
    name: 'octavo_http_requests_total',
    help: 'Requests answered.',
    labelNames,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'octavo_http_request_duration_seconds',
    help: 'From the request’s arrival to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: durationBuckets,
    registers: [registry],
  });
  const count: Metrics['count'] = (method, route, status, elapsedMillis) => {
    answers.inc({ method, route, status: String(status) });
    seconds.observe({ method, route }, elapsedMillis / 1000);
  };
  server.addHook('onResponse', async (request, reply) => {
    // The client chooses the method and the path: only those in our own table become labels.
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    const method = request.is404 ? 'any' : request.method;
    count(method, route, reply.statusCode, reply.elapsedTime);
  });
  return { count, ...serveRegistry(registry) };
}

function serveRegistry(registry: Registry): Pick<Metrics, 'listen' | 'close'> {
  const listener = createServer((request, response) => {
    const isMetrics = request.url === '/metrics' && (request.method === 'GET' || request.method === 'HEAD');
    if (!isMetrics) return void response.writeHead(404).end();
    registry.metrics().then(
      text => response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        listener.once('error', reject);
        listener.listen(port, host, () => resolve((listener.address() as AddressInfo).port));
      }),
    close: () =>
      new Promise(resolve => {
        listener.closeAllConnections();
        listener.close(() => resolve());
      }),
  };
}
