import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../apps/notebook/test/hostile/ask.ts';
import { attacks } from '../apps/notebook/test/hostile/attacks.ts';
import type { Attack } from '../apps/notebook/test/hostile/hostile-client.ts';
import { startPostgres } from '../apps/notebook/test/support/postgres.ts';
import { whenWritten } from '../tools/when-written.ts';
import type { HostileOrder } from './silence/hostile.ts';
import type { Measured, ProbeOrder } from './silence/probe.ts';

// `npm run bench silence`: hostile clients in a process against the built service, one attack at a time and four at once, while
// another process measures what everybody else experiences. A bare node:http program (silence/bare.ts) under the same attacks
// says what the machine and Node cost by themselves. Goals on a quiet machine: silence and kept p99 50 ms, first views 2 s,
// memory 600 MB. BENCH_SECONDS is the time for each attack (6), BENCH_ATTACKS a part of their names, BENCH_GROUP one group of
// four by number, BENCH_ENGINES a part of the engines' names (bare, SQLite, PostgreSQL), BENCH_FLAGS flags for the service's
// Node. BENCH_TURNS=1 adds the longest turns of the service's event loop after each row, and where they were (silence/turns.ts).
const seconds = Number(process.env.BENCH_SECONDS ?? 6);
const chosen = attacks.filter(({ name }) => name.includes(process.env.BENCH_ATTACKS ?? ''));
/** Counts from 1; selects only these four attacks. */
const group = process.env.BENCH_GROUP === undefined ? undefined : Number(process.env.BENCH_GROUP);
/** For the service, such as `--cpu-prof`. */
const flags = (process.env.BENCH_FLAGS ?? '').split(' ').filter(flag => flag !== '');
const folder = mkdtempSync(join(tmpdir(), 'octavo-silence-'));
const turnsFile = join(folder, 'turns.txt');
const program = new URL('../apps/notebook/dist/server/main.js', import.meta.url).pathname;

/** Accepts every image and stores none: the checks are measured, not the store. */
async function startImageStore(): Promise<{ url: string; stop(): void }> {
  const server = http.createServer((request, response) => request.resume().on('end', () => response.writeHead(200).end()));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}

interface Service {
  readonly child: ChildProcess;
  readonly port: number;
  readonly kept: string;
}

const turnsProgram = new URL('./silence/turns.ts', import.meta.url).pathname;
const bareProgram = new URL('./silence/bare.ts', import.meta.url).pathname;
const showTurns = process.env.BENCH_TURNS === '1';

async function startService(databaseUrl: string, store: string): Promise<Service> {
  const isBare = databaseUrl === '';
  const images = { R2_ENDPOINT: store, R2_ACCESS_KEY_ID: 'a', R2_SECRET_ACCESS_KEY: 'b', R2_BUCKET: 'c', R2_PUBLIC_URL: store };
  const child = spawn(
    process.execPath,
    [...(showTurns ? ['--import', turnsProgram] : []), ...flags, isBare ? bareProgram : program],
    {
      env: {
        PATH: process.env.PATH,
        // As `npm start` sets it.
        MALLOC_ARENA_MAX: '2',
        PORT: '0',
        DATABASE_URL: databaseUrl,
        JOBS: 'off',
        LOG_LEVEL: 'error',
        NODE_ENV: 'production',
        ...images,
        ...(showTurns && { TURNS_FILE: turnsFile }),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let told = '';
  child.stdout!.on('data', chunk => (told += chunk));
  if (!(await whenWritten(child, () => /listening on (http:\S+)\)/.test(told)))) throw new Error('the service did not start');
  const port = Number(new URL(/listening on (http:\S+)\)/.exec(told)![1]!).port);
  const made = await ask(port, {
    method: 'POST',
    path: '/api/quick',
    from: '127.0.0.2',
    type: 'text/markdown',
    body: '# Kept\n\nwords',
  });
  const kept = made.location!.replace(/^https?:\/\/[^/]+/, '');
  await ask(port, { path: kept, from: '127.0.0.2' });
  return { child, port, kept };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await Promise.race([once(child, 'exit'), sleep(10_000)]);
  child.kill('SIGKILL');
}

/** A service that is silent for longer than this after the time of an attack is not measured any further. */
const timeoutSeconds = 20;
const hostileProgram = new URL('./silence/hostile.ts', import.meta.url).pathname;
const probeProgram = new URL('./silence/probe.ts', import.meta.url).pathname;
let round = 0;

type Outcome = Measured | 'the process ended' | 'no answer';

async function measureUnder(service: Service, together: readonly Attack[]): Promise<Outcome> {
  const { port, kept, child } = service;
  const probe = fork(probeProgram);
  const hostile = fork(hostileProgram);
  round += 1;
  hostile.send({ names: together.map(({ name }) => name), port, round } satisfies HostileOrder);
  probe.send({ port, pid: child.pid!, kept, seconds, round } satisfies ProbeOrder);
  const ended = once(child, 'exit').then(() => 'the process ended' as const);
  const silent = sleep((seconds + timeoutSeconds) * 1_000, 'no answer' as const, { ref: false });
  const measured = await Promise.race([once(probe, 'message').then(([answer]) => answer as Measured), ended, silent]);
  for (const client of [probe, hostile]) client.kill();
  return measured;
}

const heading =
  'silence ms | of it without a processor | kept p99 ms | first view ms (most) | shown plain | memory MB | refused to others';

function row(name: string, measured: Outcome): string {
  if (typeof measured === 'string') return `| ${name} | ${measured} | | | | | | |`;
  const { silence, silenceQueued, keptP99, firstMost, first, firstPlain, memoryMegabytes, refused } = measured;
  const others =
    Object.entries(refused)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ') || 'none';
  const cells = [
    silence.toFixed(0),
    silenceQueued.toFixed(0),
    keptP99.toFixed(0),
    firstMost.toFixed(0),
    `${firstPlain} of ${first}`,
    memoryMegabytes.toFixed(0),
    others,
  ];
  return `| ${name} | ${cells.join(' | ')} |`;
}

function fours(): (readonly Attack[])[] {
  const groups: Attack[][] = [];
  for (let at = 0; at < chosen.length; at += 4) groups.push(chosen.slice(at, at + 4));
  return groups.filter(({ length }) => length > 1);
}

async function measureEngine(name: string, newDatabase: () => Promise<string>): Promise<void> {
  console.log(`\n${name}: ${seconds} s each\n\n| attack | ${heading} |\n|---|---|---|---|---|---|---|---|`);
  const store = await startImageStore();
  try {
    const all = [[], ...chosen.map(attack => [attack]), ...fours()];
    for (const together of group === undefined ? all : fours().slice(group - 1, group)) {
      // A fresh service for each, or the memory that one attack took would count for the next.
      const service = await startService(await newDatabase(), store.url);
      try {
        console.log(row(together.map(attack => attack.name).join('; ') || 'nothing', await measureUnder(service, together)));
      } finally {
        await stop(service.child);
        if (showTurns && existsSync(turnsFile)) {
          console.log(readFileSync(turnsFile, 'utf8'));
          rmSync(turnsFile);
        }
      }
    }
  } finally {
    store.stop();
  }
}

const wanted = (engine: string) => engine.toLowerCase().includes((process.env.BENCH_ENGINES ?? '').toLowerCase());
try {
  let databases = 0;
  if (wanted('bare')) await measureEngine('Bare node:http', async () => '');
  if (wanted('SQLite')) {
    await measureEngine('SQLite', async () => {
      databases += 1;
      return `sqlite:${join(folder, `${databases}.db`)}`;
    });
  }
  if (wanted('PostgreSQL')) {
    const postgres = await startPostgres();
    try {
      await measureEngine('PostgreSQL', () => postgres.createDatabase());
    } finally {
      await postgres.stop();
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
