import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import { createStore } from '../apps/notebook/src/store/open-store.ts';
import type { Store } from '../apps/notebook/src/store/store.ts';
import { indexAll, make, noon } from '../apps/notebook/test/store/contract/subject.ts';
import { startPostgres } from '../apps/notebook/test/support/postgres.ts';

// Milliseconds per search over 20,000 public notebooks of about 1 kB (first page of results, including texts for the snippets),
// against a bare LIKE that stops at the twentieth of the newest. LIKE does not handle accents or short words, so it finds
// something else: it only shows what a database does without an index of words.
const notebooks = Number(process.argv[2] ?? 20_000);
const turns = 9;

const cases: readonly (readonly [what: string, query: string])[] = [
  ['in one notebook', 'needle17x'],
  ['in 1 of 500', 'marzipan'],
  ['in every one', 'notebook'],
  ['every one, two words', 'notebook lorem'],
  ['CJK, in 1 of 50', '北京'],
  ['CJK, three characters', '天气很好'],
  ['two letters, in 1 of 20', 'uk'],
  ['two letters, in every one', 'is'],
  ['rare and two letters', 'marzipan is'],
  ['in none', 'absentword'],
];

// A linear congruential generator: the same texts in every run.
let seed = 1;
const random = (below: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed % below;
};
const syllables = ['lo', 'rem', 'ip', 'sum', 'do', 'lor', 'sit', 'am', 'et', 'con', 'sec', 'te', 'tur', 'ad', 'el', 'it'];
const word = () => Array.from({ length: 2 + random(3) }, () => syllables[random(syllables.length)]).join('');
const vocabulary = Array.from({ length: 5_000 }, word);

function textOf(number: number): string {
  const words = Array.from({ length: 150 }, () => vocabulary[Math.min(random(5_000), random(5_000))]!);
  const extras = [
    'this notebook is about lorem',
    number % 500 === 7 ? 'marzipan' : '',
    number % 50 === 3 ? '明天北京的天气很好。' : '',
    number % 20 === 5 ? 'the UK' : '',
    number === 1_234 ? 'needle17x' : '',
  ];
  return `# ${words[0]}\n\n${[...extras, ...words].join(' ')}`;
}

async function fill(store: Store): Promise<number> {
  const startedAt = performance.now();
  for (let from = 0; from < notebooks; from += 200) {
    const numbers = Array.from({ length: Math.min(200, notebooks - from) }, (_, at) => from + at);
    await Promise.all(
      numbers.map(number =>
        make(store, { visibility: 'public', updatedAt: noon + number, createdAt: noon + number }, [textOf(number)]),
      ),
    );
  }
  await indexAll(store);
  return (performance.now() - startedAt) / 1000;
}

type Like = (pattern: string) => Promise<unknown[]>;
const like = (operator: string, mark: string) =>
  `SELECT pages.id, markdown FROM notebooks JOIN pages ON pages.notebook_id = notebooks.id
   WHERE visibility = 'public' AND markdown ${operator} ${mark} ORDER BY notebooks.updated_at DESC LIMIT 21`;

async function median(run: () => Promise<unknown[]>): Promise<{ millis: number; found: number }> {
  const times: number[] = [];
  let found = 0;
  for (let turn = -2; turn < turns; turn++) {
    const startedAt = performance.now();
    found = (await run()).length;
    // The first two only warm up.
    if (turn >= 0) times.push(performance.now() - startedAt);
  }
  return { millis: times.sort((one, other) => one - other)[Math.floor(turns / 2)]!, found };
}

async function compare(engine: string, store: Store, bare: Like): Promise<void> {
  console.log(`\n${engine}: ms a search, the first 20 of those found`);
  for (const [what, query] of cases) {
    const ours = await median(() => store.searchPublic({ query, limit: 21, offset: 0, now: noon }));
    const theirs = await median(() => bare(`%${query.replace(/ .*/, '')}%`));
    const ratio = (theirs.millis / ours.millis).toFixed(2);
    const cells = [`${what} (${query})`.padEnd(42), `search ${ours.millis.toFixed(2)} found ${ours.found}`.padEnd(24)];
    console.log(`${cells.join('')}LIKE ${theirs.millis.toFixed(2)} found ${theirs.found}, LIKE/search ${ratio}`);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
const postgres = await startPostgres();
try {
  const path = join(folder, 'search.db');
  const embedded = createStore(`sqlite:${path}`);
  await embedded.migrate();
  console.log(`SQLite filled in ${(await fill(embedded)).toFixed(0)} s`);
  const database = new DatabaseSync(path);
  const statement = database.prepare(like('LIKE', '?'));
  await compare('SQLite', embedded, async pattern => statement.all(pattern));
  database.close();
  await embedded.close();

  seed = 1;
  const url = await postgres.createDatabase();
  const served = createStore(url);
  await served.migrate();
  console.log(`\nPostgreSQL filled in ${(await fill(served)).toFixed(0)} s`);
  const pool = new Pool({ connectionString: url, max: 1 });
  // What autovacuum does within minutes.
  await pool.query('VACUUM ANALYZE');
  await compare('PostgreSQL', served, async pattern => (await pool.query(like('ILIKE', '$1'), [pattern])).rows);
  await pool.end();
  await served.close();
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true });
}
