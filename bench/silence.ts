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
// says what the machine and Node cost by themselves; PostgreSQL is compared with one that reads a row of it for each view. Goals
// on a quiet machine: silence, kept p99 and the longest turn of the event loop in processor time 50 ms or what the bare program
// has, first views 2 s, memory 600 MB. A row that misses a goal is measured twice more, in turns with the bare program, and the
// medians of silence, kept p99 and turn count. BENCH_SECONDS is the time for each attack (6), BENCH_ATTACKS a part of their names,
// BENCH_GROUP one group of four by number, BENCH_ENGINES parts of the engines' names (bare, SQLite, PostgreSQL) with commas,
// BENCH_FLAGS flags for the service's Node. BENCH_TURNS=1 adds the longest turns of the service's event loop after each row, and
// where they were (silence/turns.ts).
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

async function startService(databaseUrl: string, store: string, isBare: boolean): Promise<Service> {
  const images = { R2_ENDPOINT: store, R2_ACCESS_KEY_ID: 'a', R2_SECRET_ACCESS_KEY: 'b', R2_BUCKET: 'c', R2_PUBLIC_URL: store };
  const child = spawn(process.execPath, ['--import', turnsProgram, ...flags, isBare ? bareProgram : program], {
    env: {
      PATH: process.env.PATH,
      // As `npm start` sets it.
      MALLOC_ARENA_MAX: '2',
      PORT: '0',
      ...(databaseUrl !== '' && { [isBare ? 'BARE_DATABASE_URL' : 'DATABASE_URL']: databaseUrl }),
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

interface Row {
  readonly measured: Outcome;
  /** The longest, in processor time. */
  readonly turn: number;
}

const missed: string[] = [];
let rows = 0;

const heading =
  'silence ms (bare) | of it without a processor, not in it: the asking process | longest turn, processor ms (bare) | kept p99 ms (bare) | first view ms (most) | shown plain | memory MB | refused to others';

const beside = (millis: number, control: number | undefined) =>
  control === undefined ? millis.toFixed(0) : `${millis.toFixed(0)} (${control.toFixed(0)})`;

function line(name: string, { measured, turn }: Row, bare: Moments | undefined): string {
  if (typeof measured === 'string') return `| ${name} | ${measured} | | | | | | | |`;
  const { silence, silenceQueued, ownWait, unhealthy, keptP99, firstMost, first, firstPlain, memoryMegabytes, refused } =
    measured;
  const others = [...Object.entries(refused), ['healthz', unhealthy] as const]
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');
  const cells = [
    beside(silence, bare?.silence),
    `${silenceQueued.toFixed(0)}, ${ownWait.toFixed(0)}`,
    beside(turn, bare?.turn),
    beside(keptP99, bare?.keptP99),
    firstMost.toFixed(0),
    `${firstPlain} of ${first}`,
    memoryMegabytes.toFixed(0),
    others || 'none',
  ];
  return `| ${name} | ${cells.join(' | ')} |`;
}

/** What depends on the machine's moments. */
interface Moments {
  readonly silence: number;
  readonly turn: number;
  readonly keptP99: number;
}

const middle = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

function momentsOf(all: readonly Row[]): Moments {
  const of = (figure: (row: Row, measured: Measured & Silence) => number) =>
    middle(all.flatMap(row => (typeof row.measured === 'string' ? [] : [figure(row, row.measured)])));
  return {
    silence: of((_, { silence }) => silence),
    turn: of(({ turn }) => turn),
    keptP99: of((_, { keptP99 }) => keptP99),
  };
}

/** The goals that the measurements of a row missed: medians of what depends on the machine's moments, the worst of everything else. */
function check(all: readonly Row[], bare: Moments | undefined): string[] {
  const failed = all.flatMap(({ measured }) => (typeof measured === 'string' ? [measured] : []));
  const others = all.flatMap(({ measured }) => (typeof measured === 'string' ? [] : [measured]));
  const worst = (figure: (measured: Measured & Silence) => number) => Math.max(0, ...others.map(figure));
  const { silence, turn, keptP99 } = momentsOf(all);
  const goals: [string, number, number][] = [
    ['silence', silence, Math.max(50, bare?.silence ?? 0)],
    ['longest turn', turn, Math.max(50, bare?.turn ?? 0)],
    ['kept p99', keptP99, Math.max(50, bare?.keptP99 ?? 0)],
    ['first view', worst(({ firstMost }) => firstMost), 2_000],
    ['memory', worst(({ memoryMegabytes }) => memoryMegabytes), 600],
    [
      'refused to others',
      worst(({ unhealthy, refused }) => unhealthy + Object.values(refused).reduce((sum, count) => sum + count, 0)),
      0,
    ],
  ];
  const most = goals.filter(([, had, most]) => others.length > 0 && !(had <= most));
  return [...failed, ...most.map(([goal, had, most]) => `${goal} ${had.toFixed(0)} > ${most.toFixed(0)}`)];
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

interface Program {
  readonly name: string;
  newDatabase(): Promise<string>;
  readonly isBare?: true;
}

async function measure(
  { newDatabase, isBare }: Program,
  together: readonly Attack[],
): Promise<Row & { stacks: readonly string[] }> {
  const store = await startImageStore();
  // A fresh service for each, or the memory that one attack took would count for the next.
  const service = await startService(await newDatabase(), store.url, isBare ?? false);
  let measured: Outcome = 'no answer';
  let end = 0;
  try {
    measured = await measureUnder(service, together);
    end = Number(process.hrtime.bigint()) / 1e6;
  } finally {
    await stop(service.child);
    store.stop();
  }
  return { measured, ...readTurns(end) };
}

/** A row that missed a goal is measured twice more, in turns with the bare program. */
const again = 2;

async function compare(service: Program, bare: Program | undefined): Promise<void> {
  const all = [[], ...chosen.map(attack => [attack]), ...fours()];
  const selected = group === undefined ? all : fours().slice(group - 1, group);
  const controls: Row[][] = [];
  const heads = (name: string) =>
    console.log(`\n${name}: ${seconds} s each\n\n| attack | ${heading} |\n|---|---|---|---|---|---|---|---|---|`);
  const show = (name: string, row: Row & { stacks: readonly string[] }, control?: Moments) =>
    console.log([line(name, row, control), ...row.stacks].join('\n'));
  const labelOf = (together: readonly Attack[]) => together.map(attack => attack.name).join('; ') || 'nothing';
  if (bare) {
    heads(bare.name);
    for (const together of selected) {
      const row = await measure(bare, together);
      controls.push([row]);
      show(labelOf(together), row);
    }
  }
  heads(service.name);
  for (const [index, together] of selected.entries()) {
    const label = labelOf(together);
    const control = controls[index] ?? [];
    const controlMoments = () => (control.length > 0 ? momentsOf(control) : undefined);
    const measured: Row[] = [];
    const measureService = async (name: string) => {
      const row = await measure(service, together);
      measured.push(row);
      show(name, row, controlMoments());
    };
    await measureService(label);
    const rounds = check(measured, controlMoments()).length > 0 ? again : 0;
    for (let round = 0; round < rounds; round += 1) {
      if (bare) {
        const row = await measure(bare, together);
        control.push(row);
        show('the bare program again', row);
      }
      await measureService('the same again');
    }
    rows += 1;
    const reasons = check(measured, controlMoments());
    if (reasons.length > 0) missed.push(`${service.name}, ${label}: ${reasons.join(', ')}`);
  }
}

const engines = (process.env.BENCH_ENGINES ?? '').toLowerCase().split(',');
const wanted = (engine: string) => engines.some(part => engine.toLowerCase().includes(part));
try {
  let databases = 0;
  if (wanted('SQLite')) {
    const newDatabase = async () => {
      databases += 1;
      return `sqlite:${join(folder, `${databases}.db`)}`;
    };
    const bare: Program = { name: 'Bare node:http', newDatabase: async () => '', isBare: true };
    await compare({ name: 'SQLite', newDatabase }, wanted('bare') ? bare : undefined);
  }
  if (wanted('PostgreSQL')) {
    const postgres = await startPostgres();
    try {
      const newDatabase = () => postgres.createDatabase();
      const bare: Program = { name: 'Bare node:http that reads a row of PostgreSQL for each view', newDatabase, isBare: true };
      await compare({ name: 'PostgreSQL', newDatabase }, wanted('bare') ? bare : undefined);
    } finally {
      await postgres.stop();
    }
  }
  if (rows > 0) console.log(`\n${rows - missed.length} of ${rows} rows met all goals\n${missed.join('\n')}`);
} finally {
  rmSync(folder, { recursive: true });
}
