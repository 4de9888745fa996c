import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../apps/notebook/test/support/postgres.ts';
import { ProcessorShare } from './processor-share.ts';
import { childrenOf, processorMicros } from './processor-time.ts';
import { load, type Measured } from './view/load.ts';
import { type Running, startProgram } from './view/servers.ts';

// `npm run bench workers`: one worker against two on one SQLite file, and one process against two on one PostgreSQL, alternating.
// Each may use a part of a core, so that with two workers on two cores the client has a core's worth left (Linux control groups,
// as root; elsewhere the second worker shares the client's core, and the processor time of an answer tells what a separate core
// would give). Then saves by 16 writers, each checked over other connections as soon as it is answered. BENCH_SHARE is the part
// of a core; 0 means no limit.
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const writers = 16;
/** The part of a core for each process that answers. */
const shareOfCore = Number(process.env.BENCH_SHARE ?? 0.3);

interface Owned {
  readonly path: string;
  readonly api: string;
  readonly token: string;
}

async function create({ url }: Pick<Running, 'url'>, number: number): Promise<Owned> {
  const markdown = `# Page ${number}\n\n${'Words of a page of ordinary size. '.repeat(90)}\n`;
  const answer = await fetch(`${url}/api/notebooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ pages: [{ markdown }] }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  const { notebook, editToken } = (await answer.json()) as {
    notebook: { slug: string; pages: { id: string }[] };
    editToken: string;
  };
  const { slug, pages } = notebook;
  return { path: `/n/${slug}`, api: `/api/notebooks/${slug}/pages/${pages[0]!.id}`, token: editToken };
}

interface Saved {
  readonly rate: number;
  readonly micros: number;
  readonly stale: number;
}

function get(url: string, agent: http.Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent }, response => {
        const parts: Buffer[] = [];
        response.on('data', part => parts.push(part));
        response.on('end', () => resolve(Buffer.concat(parts).toString()));
      })
      .on('error', reject);
  });
}

/** Each save is answered and then checked on a separate connection, which any worker may get. */
async function saveAndLook(programs: readonly Running[], owned: readonly Owned[]): Promise<Saved> {
  const used = () => programs.reduce((sum, { pid }) => sum + processorMicros(pid), 0);
  const [started, before] = [performance.now(), used()];
  let [saves, stale] = [0, 0];
  await Promise.all(
    owned.map(async ({ path, api, token }, writer) => {
      for (let turn = 0; performance.now() - started < seconds * 1_000; turn++) {
        const mark = `mark-${writer}-${turn}-${saves}`;
        const answer = await fetch(programs[turn % programs.length]!.url + api, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json', 'x-edit-token': token },
          body: JSON.stringify({ markdown: `# Page\n\n${mark}\n\n${'Words of a page of ordinary size. '.repeat(90)}\n` }),
        });
        if (answer.status !== 200) throw new Error(`a save answered ${answer.status}: ${await answer.text()}`);
        await answer.arrayBuffer();
        saves += 1;
        const seen = await get(programs[(turn + 1) % programs.length]!.url + path, new http.Agent());
        if (!seen.includes(mark)) stale += 1;
      }
    }),
  );
  return { rate: saves / ((performance.now() - started) / 1_000), micros: (used() - before) / saves, stale };
}

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;

/** Loads all programs at once, with the connections divided among them. */
async function loadAll(programs: readonly Running[], path: string): Promise<Measured> {
  const headers = { 'accept-encoding': 'br' };
  const all = await Promise.all(
    programs.map(({ url: origin, pid }) => load({ origin, pid, paths: [path], headers, share: programs.length }, seconds)),
  );
  const rate = all.reduce((sum, one) => sum + one.rate, 0);
  return { rate, micros: all.reduce((sum, one) => sum + one.micros * one.rate, 0) / rate, p50: median(all.map(one => one.p50)) };
}

/** Limits each process that answers: the workers, if there are any. */
function shareOut(programs: readonly Running[]): ProcessorShare[] {
  const answering = programs.flatMap(({ pid }) => {
    const workers = childrenOf(pid);
    return workers.length > 0 ? workers : [pid];
  });
  return answering.flatMap(pid => {
    const share = shareOfCore > 0 ? ProcessorShare.create(String(pid), shareOfCore) : undefined;
    share?.add(pid);
    return share ?? [];
  });
}

async function compare(name: string, start: (many: boolean) => Promise<Running[]>): Promise<void> {
  const views = { one: [] as Measured[], two: [] as Measured[] };
  const saves = { one: [] as Saved[], two: [] as Saved[] };
  let shared = 0;
  for (let round = 0; round < rounds; round++)
    for (const which of ['one', 'two'] as const) {
      const programs = await start(which === 'two');
      const shares = shareOut(programs);
      shared += shares.length;
      try {
        const owned = await Promise.all(Array.from({ length: writers }, (_, number) => create(programs[0]!, number)));
        await loadAll(programs, owned[0]!.path);
        views[which].push(await loadAll(programs, owned[0]!.path));
        saves[which].push(await saveAndLook(programs, owned));
      } finally {
        await Promise.all(programs.map(program => program.stop()));
        await Promise.all(shares.map(share => share.remove()));
      }
    }
  const ratio = <One>(all: { one: One[]; two: One[] }, read: (one: One) => number) =>
    median(all.two.map((one, round) => read(one) / read(all.one[round]!)));
  const rate = ratio(views, one => one.rate);
  const micros = ratio(views, one => one.micros);
  const told = (which: 'one' | 'two') =>
    `${median(views[which].map(one => one.rate)).toFixed(0)}/s at ${median(views[which].map(one => one.micros)).toFixed(1)} us`;
  const bound = shared > 0 ? `${shareOfCore} of a core each` : 'all cores, the second shares the client’s';
  console.log(`${name} (${bound}): views ${told('one')}, two ${told('two')}`);
  console.log(
    `  rate x ${rate.toFixed(2)}, processor time x ${micros.toFixed(2)}: with a core for each x ${(2 / micros).toFixed(2)}`,
  );
  const stale = [...saves.one, ...saves.two].reduce((sum, one) => sum + one.stale, 0);
  const savesTold = (which: 'one' | 'two') => `${median(saves[which].map(one => one.rate)).toFixed(0)}/s`;
  console.log(
    `  saves ${savesTold('one')}, two ${savesTold('two')}: rate x ${ratio(saves, one => one.rate).toFixed(2)}, processor time x ${ratio(saves, one => one.micros).toFixed(2)}; views older than an answered save: ${stale}`,
  );
  if (stale > 0) process.exitCode = 1;
}

const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
const postgres = await startPostgres();
const spread = { pin: false } as const;
try {
  const file = `sqlite:${join(folder, 'bench.db')}`;
  await compare('SQLite, workers', async two => [await startProgram({ DATABASE_URL: file, WORKERS: two ? '2' : '1' }, spread)]);
  const url = await postgres.createDatabase();
  await compare('PostgreSQL, processes', async two => {
    const first = await startProgram({ DATABASE_URL: url }, spread);
    return two ? [first, await startProgram({ DATABASE_URL: url }, spread)] : [first];
  });
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true });
}
