import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { day, make } from '../store/contract/subject.ts';
import { type Database, engines } from '../support/engines.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';

describe.each(engines)('the built service on $name', engine => {
  let database: Database;
  let store: Store;
  let running: ServiceProcess[];
  let slug: string;
  beforeEach(async () => {
    database = await engine.createDatabase();
    store = createStore(database.url);
    await store.migrate();
    slug = (await make(store, { expiresAt: Date.now() - 4 * day })).notebook.slug;
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map(service => service.kill('SIGKILL')));
    await store.close();
    database.remove();
  });

  const start = async (env: Record<string, string> = {}) => {
    const service = await startService({ DATABASE_URL: database.url, LOG_LEVEL: 'info', ...env });
    running.push(service);
    return service;
  };
  const jobLines = () =>
    running.flatMap(({ output }) =>
      output()
        .split('\n')
        .filter(line => line.includes('"msg":"job done"')),
    );

  it('makes up for missed runs at its start, each once, whatever number of processes starts', async () => {
    await Promise.all([start(), start(), start()]);
    await expect.poll(() => jobLines().length, { timeout: 20_000 }).toBe(2);
    const done = jobLines().map(line => JSON.parse(line) as { job: string; did: string });
    expect(done.map(({ job }) => job).sort()).toEqual(['keep-alive', 'purge']);
    expect(done.find(({ job }) => job === 'purge')?.did).toMatch(/^Deleted 1 expired /);
    expect(await store.findNotebookBySlug(slug)).toBeUndefined();
    const stopped = await Promise.all(running.splice(0).map(service => service.kill('SIGTERM')));
    expect(stopped).toEqual([0, 0, 0]);
    const again = await start({ LOG_LEVEL: 'debug' });
    await expect.poll(() => again.output(), { timeout: 20_000 }).toContain('"ran":[],"msg":"jobs checked"');
    expect(await again.kill('SIGTERM')).toBe(0);
    expect(jobLines()).toEqual([]);
    running = [];
  });

  it('announces its address before the first job logs, however slow the output is', async () => {
    const slowOutput = `
      import { isMainThread } from 'node:worker_threads';
      const { stdout } = process;
      if (isMainThread) {
        const write = stdout.write;
        stdout.write = (...written) => {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
          return write.apply(stdout, written);
        };
      }`;
    const service = await start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(slowOutput)}` });
    await expect.poll(jobLines).toHaveLength(2);
    expect(service.output().indexOf('listening on')).toBeLessThan(service.output().indexOf('"msg":"job done"'));
  });

  it('runs none with JOBS=off', async () => {
    const service = await start({ JOBS: 'off' });
    await fetch(`${service.origin}/api/ping`);
    expect(await service.kill('SIGTERM')).toBe(0);
    expect(jobLines()).toEqual([]);
    running = [];
    expect(await store.findNotebookBySlug(slug)).toBeDefined();
    expect(await store.findJobDone('purge')).toBe(0);
  });
});
