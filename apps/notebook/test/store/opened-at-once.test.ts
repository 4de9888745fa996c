import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

// Threads, because they can be made to meet in the same instant; to SQLite each connection is a stranger, thread or process.
it('a new SQLite file opened, migrated, used and closed by four at the same instant is never "locked"', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-opened-'));
  const meeting = new Int32Array(new SharedArrayBuffer(8));
  const workerData = { meeting, folder, threads: 4, rounds: 60 };
  const workers = [1, 2, 3, 4].map(() => new Worker(new URL('./processes/opener.ts', import.meta.url), { workerData }));
  const faults = await Promise.all(workers.map(worker => once(worker, 'message')));
  expect(faults.flat(2)).toEqual([]);
  rmSync(folder, { recursive: true });
}, 60_000);
