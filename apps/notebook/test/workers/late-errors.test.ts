import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'octavo-late-errors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A worker that answers nothing and says that it does. */
const worker = join(folder, 'worker.mjs');
writeFileSync(worker, `process.on('message', () => {}); process.send('listening');`);

/** A supervisor that sees the processes which it starts. */
const supervisor = join(folder, 'supervisor.mjs');
writeFileSync(
  supervisor,
  `
  import { subscribe } from 'node:diagnostics_channel';
  import { supervise } from ${JSON.stringify(new URL('../../src/watchdog/supervise.ts', import.meta.url).href)};
  const children = [];
  subscribe('child_process', ({ process: child }) => children.push(child));
  const place = { host: '127.0.0.1', port: 0, publicUrl: 'http://localhost' };
  await supervise({ program: ${JSON.stringify(worker)}, workers: 1, env: {}, ...place });
  for (const word of ['first', 'second']) children[0].emit('error', new Error(word));
  console.log(children.length, 'worker');
  process.kill(process.pid, 'SIGTERM');
`,
);

it('a second error of a worker’s process does not end the supervisor', () => {
  const run = spawnSync(process.execPath, [supervisor], { encoding: 'utf8', timeout: 60_000 });
  expect(run.stderr).toBe('');
  expect(run.stdout).toMatch(/^Octavo is at .*\n1 worker\n$/);
  expect([run.status, run.signal]).toEqual([0, null]);
});
