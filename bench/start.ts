import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../apps/notebook/test/support/free-port.ts';
import { startPostgres } from '../apps/notebook/test/support/postgres.ts';
import { processorMicros } from './processor-time.ts';
import { programEnv, serviceProgram } from './view/servers.ts';

// From process start to the first answer, and the memory when idle: the built program with an existing database, against a
// Fastify that says hello, alternating.
const rounds = Number(process.argv[2] ?? 11);
const idleMs = 1_500;

interface Started {
  readonly millis: number;
  readonly processorMillis: number;
  readonly megabytes: number;
}

function ask(port: number): Promise<boolean> {
  return new Promise(resolve => {
    http
      .get({ host: '127.0.0.1', port, path: '/healthz', agent: false }, response => {
        response.resume();
        resolve(response.statusCode === 200);
      })
      .on('error', () => resolve(false));
  });
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

async function start(args: readonly string[], port: number, env: NodeJS.ProcessEnv): Promise<Started> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } });
  try {
    while (!(await ask(port))) {
      if (child.exitCode !== null || performance.now() - began > 30_000) throw new Error(`${args[0]} did not answer`);
      await sleep(2);
    }
    const millis = performance.now() - began;
    const processorMillis = processorMicros(child.pid!) / 1_000;
    await sleep(idleMs);
    return { millis, processorMillis, megabytes: residentMegabytes(child.pid!) };
  } finally {
    await stop(child);
  }
}

const hello = new URL('./start/hello.js', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
const postgres = await startPostgres();
try {
  const databases = { SQLite: `sqlite:${join(folder, 'bench.db')}`, PostgreSQL: await postgres.createDatabase() };
  const contestants = {
    'Fastify, hello': (port: number) => start([hello, String(port)], port, { NODE_ENV: 'production' }),
    ...Object.fromEntries(
      Object.entries(databases).map(([engine, url]) => [
        `octavo, ${engine}`,
        (port: number) => start([serviceProgram], port, programEnv(port, { DATABASE_URL: url })),
      ]),
    ),
  };
  const started: Record<string, Started[]> = {};
  for (let round = -1; round < rounds; round++)
    for (const [name, run] of Object.entries(contestants)) {
      const one = await run(await findFreePort());
      // The very first start creates the database.
      if (round >= 0) started[name] = [...(started[name] ?? []), one];
    }
  const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[all.length >> 1]!;
  const [, bare] = Object.entries(started)[0]!;
  for (const [name, all] of Object.entries(started)) {
    const of = (read: (one: Started) => number) => median(all.map(read));
    const against = (read: (one: Started) => number) =>
      median(all.map((one, round) => read(one) / read(bare[round]!))).toFixed(2);
    const more = of(one => one.megabytes) - median(bare.map(one => one.megabytes));
    console.log(
      `${name.padEnd(20)} first answer after ${of(one => one.millis).toFixed(0)} ms (x ${against(one => one.millis)}), processor ${of(one => one.processorMillis).toFixed(0)} ms (x ${against(one => one.processorMillis)}), idle ${of(one => one.megabytes).toFixed(0)} MB (+${more.toFixed(0)})`,
    );
  }
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true });
}
