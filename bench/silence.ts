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
import type { HealthOrder, Silence } from './silence/health.ts';
import type { HostileOrder } from './silence/hostile.ts';
import type { Measured, ProbeOrder } from './silence/probe.ts';

// `npm run bench silence`: hostile clients in a process against the built service, one attack at a time and four at once, while
// two other processes measure what everybody else experiences. A bare node:http program (silence/bare.ts) under the same attacks
// says what the machine and Node cost by themselves. Goals on a quiet machine: silence, kept p99 and the longest turn of the event
// loop in processor time 50 ms or what the bare program has, first views 2 s, memory 600 MB. BENCH_SECONDS is the time
// for each attack (6), BENCH_ATTACKS a part of their names, BENCH_GROUP one group of four by number, BENCH_ENGINES parts of the
// engines' names (bare, SQLite, PostgreSQL) with commas, BENCH_FLAGS flags for the service's Node. BENCH_TURNS=1 adds the longest
// turns of the service's event loop after each row, and where they were (silence/turns.ts).
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
  const child = spawn(process.execPath, ['--import', turnsProgram, ...flags, isBare ? bareProgram : program], {
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
      TURNS_FILE: turnsFile,
      ...(isBare && { TURNS_THREAD: 'main' }),
      ...(showTurns && { TURNS_STACKS: '1' }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
const healthProgram = new URL('./silence/health.ts', import.meta.url).pathname;
let round = 0;

type Outcome = (Measured & Silence) | 'the process ended' | 'no answer';

async function measureUnder(service: Service, together: readonly Attack[]): Promise<Outcome> {
  const { port, kept, child } = service;
  const probe = fork(probeProgram);
  const health = fork(healthProgram);
  const hostile = fork(hostileProgram);
  round += 1;
  hostile.send({ names: together.map(({ name }) => name), port, round } satisfies HostileOrder);
  probe.send({ port, pid: child.pid!, kept, seconds, round } satisfies ProbeOrder);
  health.send({ port, pid: child.pid!, seconds } satisfies HealthOrder);
  const ended = once(child, 'exit').then(() => 'the process ended' as const);
  const silent = sleep((seconds + timeoutSeconds) * 1_000, 'no answer' as const, { ref: false });
  const both = Promise.all([once(probe, 'message'), once(health, 'message')]);
  const answered = both.then(([[others], [silence]]) => ({ ...(others as Measured), ...(silence as Silence) }));
  const measured = await Promise.race([answered, ended, silent]);
  for (const client of [probe, health, hostile]) client.kill();
  return measured;
}

/** By the name of the row: what the bare program had in this run. */
const bare = new Map<string, Measured & Silence & { readonly turn: number }>();
const missed: string[] = [];
let rows = 0;

const heading =
  'silence ms (bare) | of it without a processor | longest turn, processor ms (bare) | kept p99 ms (bare) | first view ms (most) | shown plain | memory MB | refused to others';

const beside = (millis: number, control: number | undefined) =>
  control === undefined ? millis.toFixed(0) : `${millis.toFixed(0)} (${control.toFixed(0)})`;

function row(name: string, measured: Outcome, turn: number): string {
  if (typeof measured === 'string') return `| ${name} | ${measured} | | | | | | | |`;
  const { silence, silenceQueued, unhealthy, keptP99, firstMost, first, firstPlain, memoryMegabytes, refused } = measured;
  const control = bare.get(name);
  const others = [...Object.entries(refused), ['healthz', unhealthy] as const]
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');
  const cells = [
    beside(silence, control?.silence),
    silenceQueued.toFixed(0),
    beside(turn, control?.turn),
    beside(keptP99, control?.keptP99),
    firstMost.toFixed(0),
    `${firstPlain} of ${first}`,
    memoryMegabytes.toFixed(0),
    others || 'none',
  ];
  return `| ${name} | ${cells.join(' | ')} |`;
}

/** The goals that a row missed. */
function check(name: string, measured: Outcome, turn: number): string[] {
  if (typeof measured === 'string') return [measured];
  const control = bare.get(name);
  const { silence, keptP99, firstMost, memoryMegabytes, refused, unhealthy } = measured;
  const goals: [string, number, number][] = [
    ['silence', silence, Math.max(50, control?.silence ?? 0)],
    ['longest turn', turn, Math.max(50, control?.turn ?? 0)],
    ['kept p99', keptP99, Math.max(50, control?.keptP99 ?? 0)],
    ['first view', firstMost, 2_000],
    ['memory', memoryMegabytes, 600],
    ['refused to others', unhealthy + Object.values(refused).reduce((sum, count) => sum + count, 0), 0],
  ];
  return goals
    .filter(([, had, most]) => !(had <= most))
    .map(([goal, had, most]) => `${goal} ${had.toFixed(0)} > ${most.toFixed(0)}`);
}

function fours(): (readonly Attack[])[] {
  const groups: Attack[][] = [];
  for (let at = 0; at < chosen.length; at += 4) groups.push(chosen.slice(at, at + 4));
  return groups.filter(({ length }) => length > 1);
}

/** The longest turn, in processor time, that was over before `end`: what shuts the service down does not count. */
function readTurns(end: number): { turn: number; stacks: readonly string[] } {
  if (!existsSync(turnsFile)) return { turn: Number.NaN, stacks: [] };
  const [records = '[]', ...stacks] = readFileSync(turnsFile, 'utf8').split('\n');
  rmSync(turnsFile);
  const turns: [to: number, used: number][] = JSON.parse(records);
  return { turn: turns.findLast(([to]) => to <= end)?.[1] ?? Number.NaN, stacks };
}

const bareName = 'Bare node:http';

async function measureEngine(name: string, newDatabase: () => Promise<string>): Promise<void> {
  console.log(`\n${name}: ${seconds} s each\n\n| attack | ${heading} |\n|---|---|---|---|---|---|---|---|---|`);
  const store = await startImageStore();
  try {
    const all = [[], ...chosen.map(attack => [attack]), ...fours()];
    for (const together of group === undefined ? all : fours().slice(group - 1, group)) {
      // A fresh service for each, or the memory that one attack took would count for the next.
      const service = await startService(await newDatabase(), store.url);
      const label = together.map(attack => attack.name).join('; ') || 'nothing';
      let measured: Outcome = 'no answer';
      let end = 0;
      try {
        measured = await measureUnder(service, together);
        end = Number(process.hrtime.bigint()) / 1e6;
      } finally {
        await stop(service.child);
      }
      const { turn, stacks } = readTurns(end);
      console.log([row(label, measured, turn), ...stacks].join('\n'));
      if (name !== bareName) {
        rows += 1;
        const reasons = check(label, measured, turn);
        if (reasons.length > 0) missed.push(`${name}, ${label}: ${reasons.join(', ')}`);
      } else if (typeof measured !== 'string') {
        bare.set(label, { ...measured, turn });
      }
    }
  } finally {
    store.stop();
  }
}

const engines = (process.env.BENCH_ENGINES ?? '').toLowerCase().split(',');
const wanted = (engine: string) => engines.some(part => engine.toLowerCase().includes(part));
try {
  let databases = 0;
  if (wanted('bare')) await measureEngine(bareName, async () => '');
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
  if (rows > 0) console.log(`\n${rows - missed.length} of ${rows} rows met all goals\n${missed.join('\n')}`);
} finally {
  rmSync(folder, { recursive: true });
}
