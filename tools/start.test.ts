import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { whenWritten } from './when-written.ts';

const root = join(import.meta.dirname, '..');
let child: ChildProcess | undefined;
let folder: string | undefined;
afterEach(async () => {
  child?.kill('SIGKILL');
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function start(more: Record<string, string>): Promise<{ pid: number; said: string; environment: string[] }> {
  folder = await mkdtemp(join(tmpdir(), 'octavo-start-'));
  const env = { PATH: process.env.PATH, PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'notes.db')}`, ...more };
  child = spawn(process.execPath, ['tools/start.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', chunk => (said += chunk));
  expect(await whenWritten(child, () => /listening on/.test(said)), said).toBe(true);
  const environment = readFileSync(`/proc/${child.pid}/environ`, 'utf8').split('\0');
  return { pid: child.pid!, said, environment };
}

it.skipIf(process.platform !== 'linux')('npm start becomes the service, with 2 memory arenas and no warning', async () => {
  const { pid, said, environment } = await start({});
  expect(environment).toContain('MALLOC_ARENA_MAX=2');
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('dist/server/main.js');
  expect(said).not.toMatch(/warning/i);
});

it.skipIf(process.platform !== 'linux')('npm start keeps a number of arenas that was set', async () => {
  const { environment } = await start({ MALLOC_ARENA_MAX: '4' });
  expect(environment.filter(line => line.startsWith('MALLOC_ARENA_MAX'))).toEqual(['MALLOC_ARENA_MAX=4']);
});

it('npm start says first that it builds, in one line, and how long that takes', async () => {
  // Another folder, whose build never ends: a real one would replace the program under the other tests.
  folder = await mkdtemp(join(tmpdir(), 'octavo-start-'));
  await mkdir(join(folder, 'tools'));
  await copyFile(join(root, 'tools/start.ts'), join(folder, 'tools/start.ts'));
  const build = 'export const buildIfStale = onStart => (onStart(), new Promise(() => setInterval(() => {}, 1_000)));';
  await writeFile(join(folder, 'tools/build.ts'), build);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  child = spawn(process.execPath, ['tools/start.ts'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', chunk => (said += chunk));
  expect(await whenWritten(child, () => said.includes('\n')), said).toBe(true);
  expect(said).toBe('Building Octavo. This takes about a minute the first time.\n');
});
