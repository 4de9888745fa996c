import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createThrough, type ServiceProcess, startService } from './support/service-process.ts';

describe('METRICS_PORT', () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-metrics-'));
  let service: ServiceProcess;
  let metrics: string;
  beforeAll(async () => {
    service = await startService({ DATABASE_URL: `sqlite:${join(folder, 'o.db')}`, METRICS_PORT: '0', LOG_LEVEL: 'info' });
    const told = () => /^\{.*"msg":"metrics are served.*$/m.exec(service.output())?.[0];
    await vi.waitFor(() => expect(told()).toBeDefined(), 10_000);
    metrics = `http://127.0.0.1:${JSON.parse(told()!).port}`;
  });
  afterAll(async () => {
    await service.kill();
    rmSync(folder, { recursive: true });
  });

  const read = async () => (await fetch(`${metrics}/metrics`)).text();

  it('counts answers by our routes and never by an address', async () => {
    const { slug, editToken } = await createThrough(service.origin);
    for (let turn = 0; turn < 3; turn += 1) await fetch(`${service.origin}/n/${slug}`);
    await fetch(`${service.origin}/e/${editToken}`);
    await fetch(`${service.origin}/some/${slug}/elsewhere`);
    // Counted when an answer is out, so its reader may be a moment earlier.
    await expect.poll(read).toContain('route="none"');
    const text = await read();
    expect(text).toContain('octavo_http_requests_total{method="GET",route="/n/:slug",status="200"} 3');
    expect(text).toContain('octavo_http_requests_total{method="any",route="none",status="404"} 1');
    expect(text).toMatch(/octavo_http_request_duration_seconds_count\{method="POST",route="\/api\/notebooks"\} 1/);
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).not.toContain(slug);
    expect(text).not.toContain(editToken);
  });

  it('is on that port only, and that port serves nothing else', async () => {
    expect((await fetch(`${service.origin}/metrics`)).status).toBe(404);
    for (const path of ['/', '/api/ping', '/metrics/', '/healthz']) expect((await fetch(metrics + path)).status).toBe(404);
    expect((await fetch(`${metrics}/metrics`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${metrics}/metrics`)).headers.get('content-type')).toContain('text/plain');
  });

  it('does not share the port of the service', async () => {
    const port = new URL(metrics).port;
    await expect(startService({ PORT: port, METRICS_PORT: port })).rejects.toThrow(/METRICS_PORT: must not be the port of the/);
  });
});
