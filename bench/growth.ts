import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../apps/notebook/test/support/postgres.ts';
import { liveTogether, type MixedTimes } from './growth/mixed.ts';
import { slowReads } from './growth/slow-read.ts';
import { createMillis, peakMegabytes, percentile, readSitemap, readUntil, searchMillis, watchPurge } from './growth/upkeep.ts';
import { evenly, type Grown, lookAt, skewed } from './growth/worlds.ts';
import { load, type Measured } from './view/load.ts';
import { type Running, startProgram } from './view/servers.ts';
import { makeWorld, tellWorld } from './world/make.ts';
import { randomFrom } from './world/shape.ts';

// `npm run bench growth -- 100000`: what becomes slower as a world grows. It measures views of 1,000 notebooks and of many,
// evenly and skewed like real readers, by 64 people with pauses who also write and search, and by as many readers as the service
// can serve; and a create, searches, the sitemap and the purge of a tenth, with readers meanwhile, in a world a tenth as large
// and in the large one. BENCH_ENGINES=sqlite or postgres selects one engine, BENCH_PARTS=mixed,views,work,purge some parts;
// BENCH_PLACE is a folder that keeps SQLite's worlds for the next run; BENCH_READ_MICROS makes SQLite's reads from the disk slower.
const notebooks = Number(process.argv[2] ?? 100_000);
const engines = (process.env.BENCH_ENGINES ?? 'sqlite,postgres').split(',');
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const mixedSeconds = Number(process.env.BENCH_MIXED_SECONDS ?? 10);
const parts = (process.env.BENCH_PARTS ?? 'mixed,views,work,purge').split(',');
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const sizes = { few: Math.min(1_000, notebooks), some: Math.ceil(notebooks / 10), many: notebooks };

const place = process.env.BENCH_PLACE;
const scratch = mkdtempSync(join(tmpdir(), 'octavo-growth-'));
const folder = place ?? scratch;
const readMicros = Number(process.env.BENCH_READ_MICROS ?? 0);
const slow = readMicros > 0 ? slowReads(scratch, readMicros) : {};

const median = (numbers: readonly number[]) => percentile(numbers, 0.5);

async function started<Result>(
  world: Grown,
  work: (program: Running) => Promise<Result>,
  env: NodeJS.ProcessEnv = {},
): Promise<Result> {
  const program = await startProgram({ DATABASE_URL: world.databaseUrl, ...slow, ...env });
  try {
    return await work(program);
  } finally {
    await program.stop();
  }
}

type Order = typeof evenly;

async function readViews(world: Grown, order: Order): Promise<Measured> {
  const paths = order(world.views, randomFrom(5));
  return started(world, async ({ url: origin, pid }) => {
    const ask = { origin, pid, paths, headers: { 'accept-encoding': 'br' } };
    // A service in use already has in memory what it keeps there; with even reads of many notebooks, that is little.
    await load(ask, seconds);
    return load(ask, seconds);
  });
}

async function compareViews(few: Grown, many: Grown): Promise<void> {
  for (const [name, order] of [
    ['evenly', evenly],
    ['skewed', skewed],
  ] as const) {
    const measured = { few: [] as Measured[], many: [] as Measured[] };
    for (let round = 0; round < rounds; round++) {
      measured.few.push(await readViews(few, order));
      measured.many.push(await readViews(many, order));
    }
    const of = (which: 'few' | 'many', read: (one: Measured) => number) => median(measured[which].map(read));
    const ratio = (read: (one: Measured) => number) =>
      median(measured.many.map((one, round) => read(one) / read(measured.few[round]!))).toFixed(2);
    for (const which of ['few', 'many'] as const)
      console.log(
        `  views ${name}, ${sizes[which]} notebooks: ${of(which, one => one.rate).toFixed(0)}/s, ${of(which, one => one.micros).toFixed(1)} us, p50 ${of(which, one => one.p50).toFixed(2)} ms`,
      );
    console.log(`    p50 x ${ratio(one => one.p50)}, processor time x ${ratio(one => one.micros)}`);
  }
}

async function compareMixed(few: Grown, many: Grown): Promise<void> {
  for (const [name, order] of [
    ['evenly', evenly],
    ['skewed', skewed],
  ] as const) {
    const measured: Record<'few' | 'many', MixedTimes[]> = { few: [], many: [] };
    const live = (world: Grown) =>
      started(world, program => liveTogether(program, world, order(world.views, randomFrom(6)), mixedSeconds));
    for (let round = 0; round < rounds; round++) {
      measured.few.push(await live(few));
      measured.many.push(await live(many));
    }
    const halfOf = (which: 'few' | 'many', kind: keyof MixedTimes) => measured[which].map(one => percentile(one[kind], 0.5));
    for (const which of ['few', 'many'] as const)
      console.log(
        `  mixed load, ${name}, ${sizes[which]} notebooks: ${measured[which][0]!.all.length / mixedSeconds} answers/s, p50 of views ${median(halfOf(which, 'views')).toFixed(2)} ms, of all ${median(halfOf(which, 'all')).toFixed(2)} ms, p99 of views ${median(measured[which].map(one => percentile(one.views, 0.99))).toFixed(1)} ms`,
      );
    const ratio = (kind: keyof MixedTimes) =>
      median(halfOf('many', kind).map((half, round) => half / halfOf('few', kind)[round]!)).toFixed(2);
    console.log(`    p50 of views x ${ratio('views')}, of all x ${ratio('all')}`);
  }
}

async function measureWork(world: Grown): Promise<void> {
  const size = `${world.notebooks} notebooks`;
  await started(world, async program => {
    const idle = peakMegabytes(program);
    const { millis, links } = await readSitemap(program);
    const perLink = ((millis * 1_000) / links).toFixed(0);
    console.log(
      `  sitemap, ${size}: ${links} links in ${millis.toFixed(0)} ms, ${perLink} us a link, memory +${(peakMegabytes(program) - idle).toFixed(0)} MB`,
    );
  });
  await started(world, async program => {
    const queries = { 'in one page': world.rareWord, 'a common word': 'la', 'two common words': 'la mo', 'four letters': 'lare' };
    for (const [name, query] of Object.entries(queries))
      console.log(`  search, ${name}, ${size}: ${(await searchMillis(program, query)).toFixed(1)} ms`);
    console.log(`  memory after the searches, ${size}: ${peakMegabytes(program).toFixed(0)} MB`);
    console.log(`  create, ${size}: ${(await createMillis(program)).toFixed(1)} ms`);
  });
}

async function measurePurge(world: Grown): Promise<void> {
  const paths = evenly(world.views, randomFrom(7)).slice(0, 1_000);
  const quiet = await started(world, program => {
    const until = performance.now() + 2 * seconds * 1_000;
    return readUntil(program, paths, () => performance.now() > until);
  });
  await started(
    world,
    async program => {
      const idle = peakMegabytes(program);
      const { notebooks: purged, seconds: took, times } = await watchPurge(program, world.databaseUrl, paths, 900);
      const p99 = percentile(times, 0.99);
      const memory = (peakMegabytes(program) - idle).toFixed(0);
      console.log(
        `  purge, ${world.notebooks} notebooks: ${purged} in ${took.toFixed(1)} s, ${((took * 1_000) / purged).toFixed(2)} ms each, memory +${memory} MB`,
      );
      console.log(
        `    readers' p99 ${p99.toFixed(1)} ms, without a purge ${percentile(quiet, 0.99).toFixed(1)}: x ${(p99 / percentile(quiet, 0.99)).toFixed(2)}`,
      );
    },
    { JOBS: 'on' },
  );
}

async function grow(engine: string, urlOf: (size: string) => Promise<string>): Promise<void> {
  console.log(`\n${engine}`);
  const worlds: Partial<Record<keyof typeof sizes, Grown>> = {};
  for (const [name, size] of Object.entries(sizes) as [keyof typeof sizes, number][]) {
    const databaseUrl = await urlOf(name);
    const isThere = databaseUrl.startsWith('sqlite:') && existsSync(databaseUrl.slice('sqlite:'.length));
    console.log(`  world: ${isThere ? `kept from before: ${databaseUrl}` : tellWorld(await makeWorld(databaseUrl, size))}`);
    worlds[name] = await lookAt(databaseUrl);
  }
  const { few, some, many } = worlds as Record<keyof typeof sizes, Grown>;
  if (parts.includes('mixed')) await compareMixed(few, many);
  if (parts.includes('views')) await compareViews(few, many);
  if (parts.includes('work')) for (const world of [some, many]) await measureWork(world);
  // This comes last: it deletes from the worlds what a later run would purge.
  if (parts.includes('purge')) for (const world of [some, many]) await measurePurge(world);
}

try {
  if (engines.includes('sqlite'))
    await grow('SQLite', async size => `sqlite:${join(folder, String(sizes[size as keyof typeof sizes]), 'world.db')}`);
  if (engines.includes('postgres')) {
    const postgres = await startPostgres();
    try {
      await grow('PostgreSQL', () => postgres.createDatabase());
    } finally {
      await postgres.stop();
    }
  }
} finally {
  rmSync(scratch, { recursive: true });
}
