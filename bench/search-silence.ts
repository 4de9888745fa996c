import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { TextTracker } from '../apps/notebook/src/model/text-tracker.ts';
import type { Parts } from '../apps/notebook/src/operations/parts.ts';
import { searchNotebooks } from '../apps/notebook/src/operations/search-notebooks.ts';
import { createStore } from '../apps/notebook/src/store/open-store.ts';
import type { Store } from '../apps/notebook/src/store/store.ts';
import { indexAll, make, noon } from '../apps/notebook/test/store/contract/subject.ts';
import { startPostgres } from '../apps/notebook/test/support/postgres.ts';

// `npm run bench search-silence`: how long the service's event loop is blocked at most while its text index adds BENCH_PAGES
// public pages (2,000) of BENCH_CHARS characters (8,000), half of random and half of common words, while it is searched, and
// while they are removed. The row "nothing" shows the machine's own baseline. BENCH_ENGINES selects engines by part of their
// names.
const pages = Number(process.env.BENCH_PAGES ?? 2_000);
const chars = Number(process.env.BENCH_CHARS ?? 8_000);
const perNotebook = 100;

const vocabulary = Array.from({ length: 400 }, () => randomWord());

function randomWord(): string {
  return Math.random()
    .toString(36)
    .slice(2, 5 + Math.floor(Math.random() * 8));
}

function textOf(page: number): string {
  const isCommon = page % 2 === 0;
  const words = ['this notebook is about lorem ipsum', isCommon ? 'common' : 'random'];
  for (let length = 0; length < chars; ) {
    const word = isCommon ? vocabulary[Math.floor(Math.random() * vocabulary.length)]! : randomWord();
    words.push(word);
    length += word.length + 1;
  }
  return words.join(' ').slice(0, chars);
}

const queries = [
  'lorem',
  'is',
  'notebook about lorem ipsum',
  'about is lorem random',
  'a',
  'absentword',
  `${vocabulary[0]} ${vocabulary[1]}`,
  'o 1 a b',
];

/** The duration of the work, and the longest time in which nothing else ran on this thread. */
async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const started = performance.now();
  delay.enable();
  await work();
  // One more turn, or the longest delay would not be seen.
  await new Promise(resolve => setTimeout(resolve, 20));
  delay.disable();
  const seconds = (performance.now() - started) / 1_000;
  console.log(`| ${what} | ${seconds.toFixed(2)} | ${(delay.max / 1e6).toFixed(0)} |`);
}

async function measureEngine(name: string, store: Store): Promise<void> {
  console.log(`\n${name}: ${pages} pages of ${chars} characters\n\n| | s | longest silence, ms |\n|---|---|---|`);
  await store.migrate();
  await indexAll(store);
  await measure('nothing', () => new Promise(resolve => setTimeout(resolve, 3_000)));
  const notebooks: Awaited<ReturnType<typeof make>>[] = [];
  for (let from = 0; from < pages; from += perNotebook) {
    const texts = Array.from({ length: Math.min(perNotebook, pages - from) }, (_, at) => textOf(from + at));
    notebooks.push(await make(store, { visibility: 'public' }, texts));
  }
  await measure('taken in', () => indexAll(store));
  // The parts that a search needs.
  const parts = { store, now: () => noon, texts: new TextTracker() } as unknown as Parts;
  const signal = new AbortController().signal;
  for (const query of queries) {
    const search = (page: number) => searchNotebooks(parts, { query, page, client: 'bench', signal });
    await search(1);
    await measure(`searched for "${query}"`, () => search(1));
    await measure(`the last page of it`, () => search(50));
  }
  await measure('thirty searches at once', () =>
    Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        searchNotebooks(parts, { query: queries[at % queries.length]!, page: 1, client: `c${at}`, signal }),
      ),
    ),
  );
  for (const { owner } of notebooks) await store.changeSettings(owner, { visibility: 'unlisted' }, noon);
  await measure('taken out', () => indexAll(store));
  await store.close();
}

const wanted = (engine: string) => engine.toLowerCase().includes((process.env.BENCH_ENGINES ?? '').toLowerCase());
const folder = mkdtempSync(join(tmpdir(), 'octavo-search-silence-'));
try {
  if (wanted('SQLite')) await measureEngine('SQLite', createStore(`sqlite:${join(folder, 'octavo.db')}`));
  if (wanted('PostgreSQL')) {
    const postgres = await startPostgres();
    try {
      await measureEngine('PostgreSQL', createStore(await postgres.createDatabase()));
    } finally {
      await postgres.stop();
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
