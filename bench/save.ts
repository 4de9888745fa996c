import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import { createStore } from '../apps/notebook/src/store/open-store.ts';
import type { Store } from '../apps/notebook/src/store/store.ts';
import { aChange, atOnce, type Made, make } from '../apps/notebook/test/store/contract/subject.ts';
import { startPostgres } from '../apps/notebook/test/support/postgres.ts';

// Saves per second through the store (a page of 3 kB, the notebook's version, the writer's rate slot, all durable) against bare durable
// commits of one row of 3 kB on the same engine in the same run. A save keeps the replaced text as a snapshot and drops the eleventh; an
// auto-save keeps one only every five minutes. One notebook each, so that saves can overlap.
const seconds = Number(process.argv[2] ?? 5);
const inFlight = [1, 16];
/** In turns this short, a slow moment of the machine falls on all alike; the median forgets it. */
const turnSeconds = 0.25;

const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
const postgres = await startPostgres();
try {
  await compare('SQLite', `sqlite:${join(folder, 'store.db')}`, bareSqlite(join(folder, 'bare.db')));
  await compare('PostgreSQL', await postgres.createDatabase(), await barePostgres(await postgres.createDatabase()));
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true });
}

interface Bare {
  commit(id: number, text: string): Promise<void>;
  close(): Promise<void>;
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
    const rates = Object.fromEntries(Object.keys(works).map(name => [name, [] as number[]]));
    for (let turn = 0; turn < seconds / turnSeconds; turn++)
      for (const [name, work] of Object.entries(works)) rates[name]!.push(await perSecond(workers, work));
    const bareRate = median(rates['bare commits']!);
    for (const [name, all] of Object.entries(rates)) {
      const rate = median(all);
      console.log(`${engine}, ${workers} in flight: ${rate.toFixed(0)} ${name}/s, ratio ${(rate / bareRate).toFixed(2)}`);
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

async function perSecond(workers: number, run: (worker: number) => Promise<void>): Promise<number> {
  const started = performance.now();
  const end = started + turnSeconds * 1000;
  let done = 0;
  await atOnce(workers, async worker => {
    for (; performance.now() < end; done++) await run(worker);
  });
  return done / ((performance.now() - started) / 1000);
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
  return {
    async commit(id, value) {
      await pool.query({ name: 'save', text: 'UPDATE pages SET text = $1 WHERE id = $2', values: [value, id] });
    },
    close: () => pool.end(),
  };
}
