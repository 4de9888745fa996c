import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import { createStore } from '../apps/notebook/src/store/open-store.ts';
import type { Store } from '../apps/notebook/src/store/store.ts';
import { aChange, atOnce, type Made, make } from '../apps/notebook/test/store/contract/subject.ts';
import { startPostgres } from '../apps/notebook/test/support/postgres.ts';
import { processorMicros } from './processor-time.ts';
import { slowSyncs } from './save/slow-sync.ts';

// Saves per second through the store (a page of 3 kB, the notebook's version, the writer's rate limit, all durable) against bare
// durable commits of one row of 3 kB on the same engine in the same run. A save keeps the replaced text as a snapshot and drops
// the eleventh; an auto-save keeps one only every five minutes. One notebook each, so that saves can overlap. Each engine is
// measured on this machine's disk, and again with every wait for the disk replaced by exactly one millisecond, as on an ordinary
// SSD or a cloud volume. The PostgreSQL from npm is compiled for size (-Os); a packaged one, if installed, is measured too.
//
// node bench/save.ts [seconds] [engine…]: the seconds of each measurement, and engines by the start of their names.
const seconds = Number(process.argv[2] ?? 5);
const wanted = process.argv.slice(3);
const inFlight = [1, 16];
/** With turns this short, a slow moment of the machine affects all alike, and the median ignores it. */
const turnSeconds = 0.25;
const slowMicros = 1_000;

const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
const slow =
  process.env.SYNC_MICROS === undefined
    ? undefined
    : { LD_PRELOAD: process.env.LD_PRELOAD!, SYNC_MICROS: process.env.SYNC_MICROS };
const disk = slow ? `waits of ${slowMicros / 1000} ms` : 'this disk';
try {
  await compareEngines();
  const env = slow ? undefined : slowSyncs(folder, slowMicros);
  if (env) spawnSync(process.execPath, process.argv.slice(1), { stdio: 'inherit', env: { ...process.env, ...env } });
  else if (!slow) console.log('No C compiler is installed: slower disks are not measured.');
} finally {
  rmSync(folder, { recursive: true });
}

interface Bare {
  /** The process of the database server, if there is one. */
  readonly server?: number;
  commit(id: number, text: string): Promise<void>;
  close(): Promise<void>;
}

async function compareEngines(): Promise<void> {
  const isWanted = (engine: string) => wanted.length === 0 || wanted.some(name => engine.startsWith(name));
  if (isWanted('SQLite')) await compare('SQLite', `sqlite:${join(folder, 'store.db')}`, bareSqlite(join(folder, 'bare.db')));
  if (isWanted('PostgreSQL from npm')) await comparePostgres('PostgreSQL from npm');
  for (const native of packagedPostgres())
    if (isWanted('packaged PostgreSQL')) await comparePostgres('packaged PostgreSQL', native);
}

/** As Debian installs it: the folder above its `bin`. */
function packagedPostgres(): string[] {
  return globSync('/usr/lib/postgresql/*/bin/postgres')
    .map(program => dirname(dirname(program)))
    .sort()
    .slice(-1);
}

async function comparePostgres(name: string, native?: string): Promise<void> {
  const postgres = await startPostgres({ ...(native ? { native } : {}), env: { ...slow } });
  try {
    const [url, bareUrl] = [await postgres.createDatabase(), await postgres.createDatabase()];
    await compare(name, url, await barePostgres(bareUrl));
  } finally {
    await postgres.stop();
  }
}

async function compare(engine: string, url: string, bare: Bare): Promise<void> {
  const store = createStore(url, { poolSize: 16 });
  await store.migrate();
  for (const workers of inFlight) {
    const made = await atOnce(workers, () => make(store));
    const works: Record<string, (worker: number) => Promise<void>> = {
      'bare commits': worker => bare.commit(worker, text()),
      saves: worker => save(store, made[worker]!, false),
      'auto-saves': worker => save(store, made[worker]!, true),
    };
    const turns = Object.fromEntries(Object.keys(works).map(name => [name, [] as Turn[]]));
    for (let turn = 0; turn < seconds / turnSeconds; turn++)
      for (const [name, work] of Object.entries(works)) turns[name]!.push(await takeTurn(workers, work, bare.server));
    const [bareRate, bareMicros] = sumUp(turns['bare commits']!);
    for (const [name, all] of Object.entries(turns)) {
      const [rate, micros] = sumUp(all);
      const figures = `${rate.toFixed(0)} ${name}/s, ratio ${(rate / bareRate).toFixed(2)}`;
      const processor = `${micros.toFixed(0)} µs of processor time each, ratio ${(bareMicros / micros).toFixed(2)}`;
      console.log(`${engine}, ${disk}, ${workers} in flight: ${figures}; ${processor} (load ${loadavg()[0]!.toFixed(1)})`);
    }
  }
  await store.close();
  await bare.close();
}

async function save(store: Store, { owner, pages }: Made, autosave: boolean): Promise<void> {
  const slot = { name: 'contentWrite', key: owner.notebookId, max: 1e9, windowSeconds: 600 };
  const result = await store.changePage(owner, pages[0]!.id, aChange({ markdown: text(), autosave }), Date.now(), slot);
  if (result.kind !== 'changed') throw new Error(result.kind);
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
}

function text(): string {
  return randomBytes(1500).toString('hex');
}

interface Turn {
  readonly done: number;
  readonly rate: number;
  /** Processor time, including the database server's; NaN if the system does not report it. */
  readonly micros: number;
}

/** The median of the rates. Processor time is counted in hundredths of a second, so its total is divided by all the work done. */
function sumUp(turns: readonly Turn[]): [rate: number, micros: number] {
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  return [median(turns.map(({ rate }) => rate)), sum(turns.map(({ micros }) => micros)) / sum(turns.map(({ done }) => done))];
}

async function takeTurn(workers: number, run: (worker: number) => Promise<void>, server: number | undefined): Promise<Turn> {
  const processor = () => {
    const { user, system } = process.cpuUsage();
    return user + system + (server === undefined ? 0 : processorMicros(server));
  };
  const before = processor();
  const started = performance.now();
  const end = started + turnSeconds * 1000;
  let done = 0;
  await atOnce(workers, async worker => {
    for (; performance.now() < end; done++) await run(worker);
  });
  return { done, rate: done / ((performance.now() - started) / 1000), micros: processor() - before };
}

function bareSqlite(path: string): Bare {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE pages (id INTEGER PRIMARY KEY, text TEXT)');
  for (let id = 0; id < 16; id++) database.prepare('INSERT INTO pages VALUES (?, ?)').run(id, '');
  const update = database.prepare('UPDATE pages SET text = ? WHERE id = ?');
  return {
    commit: async (id, value) => void update.run(value, id),
    close: async () => database.close(),
  };
}

async function barePostgres(url: string): Promise<Bare> {
  const pool = new Pool({ connectionString: url, max: 16 });
  // The server may be stopped before the last connection has closed.
  pool.on('error', () => {});
  await pool.query('CREATE TABLE pages (id integer PRIMARY KEY, text text)');
  for (let id = 0; id < 16; id++) await pool.query('INSERT INTO pages VALUES ($1, $2)', [id, '']);
  const { rows } = await pool.query<{ pid: string }>("SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1) AS pid");
  return {
    server: Number(rows[0]!.pid),
    async commit(id, value) {
      await pool.query({ name: 'save', text: 'UPDATE pages SET text = $1 WHERE id = $2', values: [value, id] });
    },
    close: () => pool.end(),
  };
}
