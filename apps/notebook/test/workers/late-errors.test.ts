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

/** The system has no memory for another process: `spawn` throws and no event follows. */
const crowded = join(folder, 'crowded.mjs');
writeFileSync(
  crowded,
  `
  import childProcess from 'node:child_process';
  import { syncBuiltinESMExports } from 'node:module';
  import { supervise } from ${JSON.stringify(new URL('../../src/watchdog/supervise.ts', import.meta.url).href)};
  const { spawn } = childProcess;
  const children = [];
  childProcess.spawn = (...given) => {
    if (children.length === 1 && refusals-- > 0) throw new Error('spawn ENOMEM');
    children.push(spawn(...given));
    return children.at(-1);
  };
  syncBuiltinESMExports();
  let refusals = 2;
  const place = { host: '127.0.0.1', port: 0, publicUrl: 'http://localhost' };
  await supervise({ program: ${JSON.stringify(worker)}, workers: 1, env: {}, ...place });
  children[0].kill('SIGKILL');
  const looking = setInterval(() => {
    if (children.length < 2) return;
    clearInterval(looking);
    console.log(children.length, 'workers');
    process.kill(process.pid, 'SIGTERM');
  }, 50);
`,
);

it('a worker that cannot be started does not end the supervisor, which tries again', () => {
  const run = spawnSync(process.execPath, [crowded], { encoding: 'utf8', timeout: 60_000 });
  const lines = run.stderr.split('\n').filter(line => line.startsWith('{'));
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { msg: 'a worker ended and is replaced' },
    { msg: 'a worker could not be replaced; it is tried again', reason: 'spawn ENOMEM' },
    { msg: 'a worker could not be replaced; it is tried again', reason: 'spawn ENOMEM' },
  ]);
  expect(run.stdout).toMatch(/^Octavo is at .*\n2 workers\n$/);
  expect([run.status, run.signal]).toEqual([0, null]);
});
