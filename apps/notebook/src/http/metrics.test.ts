import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMetrics, type Metrics } from './metrics.ts';

let app: FastifyInstance;
let metrics: Metrics;
let port: number;
beforeAll(async () => {
  app = Fastify();
  metrics = createMetrics(app);
  app.get('/n/:slug', async () => 'here');
  port = await metrics.listen('127.0.0.1', 0);
});
afterAll(async () => {
  await metrics.close();
  await app.close();
});

const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });

it('counts answers by the patterns of our routes, never by what was asked', async () => {
  await app.inject('/n/my-notes');
  await app.inject('/n/other-notes?x=1');
  await app.inject('/no/such-address');
  await app.inject({ method: 'PROPFIND' as 'GET', url: '/no/such-address' });
  metrics.count('GET', '/quick/:way', 304, 40);
  const answer = await ask('/metrics');
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/);
  const text = await answer.text();
  expect(text).toContain('octavo_http_requests_total{method="GET",route="/n/:slug",status="200"} 2\n');
  expect(text).toContain('octavo_http_requests_total{method="any",route="none",status="404"} 2\n');
  expect(text).toContain('octavo_http_requests_total{method="GET",route="/quick/:way",status="304"} 1\n');
  expect(text).not.toMatch(/my-notes|such-address/);
  expect(text).toContain('# HELP octavo_http_requests_total Requests answered.\n');
  expect(text).toMatch(/# HELP octavo_http_request_duration_seconds From the request’s arrival to the end of its answer\.\n/);
  const bucket = (le: string, count: number) =>
    `octavo_http_request_duration_seconds_bucket{le="${le}",method="GET",route="/quick/:way"} ${count}\n`;
  for (const le of ['0.001', '0.0025', '0.005', '0.01', '0.025']) expect(text).toContain(bucket(le, 0));
  for (const le of ['0.05', '0.1', '0.25', '0.5', '1', '2.5', '10']) expect(text).toContain(bucket(le, 1));
  expect(text).toContain('process_cpu_seconds_total');
});

it('serves nothing else', async () => {
  for (const [path, method] of [
    ['/', 'GET'],
    ['/metrics/', 'GET'],
    ['/metrics', 'POST'],
  ] as const)
    expect([path, method, (await ask(path, method)).status]).toEqual([path, method, 404]);
  expect((await ask('/metrics', 'HEAD')).status).toBe(200);
});

it('says when its port is taken, and frees it', async () => {
  const other = createMetrics(Fastify());
  await expect(other.listen('127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  const free = await other.listen('127.0.0.1', 0);
  await fetch(`http://127.0.0.1:${free}/metrics`);
  await other.close();
  await expect(fetch(`http://127.0.0.1:${free}/metrics`)).rejects.toThrow();
});
