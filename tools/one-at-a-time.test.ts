import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'octavo-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('keeps processes apart', async () => {
  const log = path.join(folder, 'log');
  const script = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { oneAtATime } from ${JSON.stringify(path.join(import.meta.dirname, 'one-at-a-time.ts'))};
    await oneAtATime(${JSON.stringify(path.join(folder, 'lock'))}, async () => {
      appendFileSync(${JSON.stringify(log)}, 'in ');
      await sleep(150);
      appendFileSync(${JSON.stringify(log)}, 'out ');
    });`;
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  await Promise.all([run(), run(), run()]);
  expect(readFileSync(log, 'utf8')).toBe('in out in out in out ');
});

it('takes over the lock of a process that died', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', 'process.pid']);
  writeFileSync(path.join(folder, 'lock'), stdout.trim());
  expect(await oneAtATime(path.join(folder, 'lock'), async () => 'done')).toBe('done');
});

it('lets go when the action fails', async () => {
  const lock = path.join(folder, 'lock');
  await expect(oneAtATime(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await oneAtATime(lock, async () => 'done')).toBe('done');
});
