import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyNotebook } from './view/copies.ts';
import { connections, load, type Measured } from './view/load.ts';
import { type Answer, databaseOf, type Running, startBareNode, startNginx, startOctavo } from './view/servers.ts';

// GET /n/{slug}, a page of 20 kB, kept-alive connections: the built program against nginx with the same bytes in a file and
// against node:http with the same bytes and headers in memory. All in the same run, alternating, so that they share the machine's
// conditions; the server and the client have a core each. Then pages that are not in memory against one that is.
const rounds = 5;
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
/** More than one process keeps in memory, so that of pages read in turn none is cached. */
const coldPages = Number(process.env.BENCH_PAGES ?? 12_000);
const pageBytes = 20_000;

const words =
  'leaf margin binding index paper folio gather stitch press ink type page line rule spine cover quire sheet fold'.split(' ');

/** Words that do not repeat in a way that helps a compressor; the same in every run. */
function paragraph(number: number): string {
  let seed = number + 1;
  const word = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return `${words[seed % words.length]}${seed % 97 === 0 ? '.' : ''}`;
  };
  const text = Array.from({ length: 60 }, word).join(' ');
  return `## ${word()} ${word()}\n\n${text}, *${word()}* and [${word()}](https://example.org/${word()}).\n\n| part | cost |\n|---|---:|\n| ${word()} | ${seed % 1000} |\n\n`;
}

/** A notebook whose view has about 20 kB of HTML, shell included. */
async function createPage(url: string): Promise<string> {
  for (let paragraphs = 4; ; paragraphs += 2) {
    const markdown = `# A page of ordinary size\n\n${Array.from({ length: paragraphs }, (_, number) => paragraph(number)).join('')}`;
    const answer = await fetch(`${url}/api/quick`, {
      method: 'POST',
      headers: { 'content-type': 'text/markdown' },
      body: markdown,
    });
    if (answer.status !== 201) throw new Error(`could not create the page: ${await answer.text()}`);
    const path = answer.headers.get('location')!;
    if ((await get(url + path, {})).body.length >= pageBytes) return path;
  }
}

/** The raw answer: `fetch` would decompress it. */
function get(url: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { headers }, response => {
        const parts: Buffer[] = [];
        const { date: _date, connection: _connection, 'keep-alive': _alive, ...rest } = response.headers;
        response.on('data', part => parts.push(part));
        response.on('end', () => resolve({ body: Buffer.concat(parts), headers: rest as Record<string, string> }));
      })
      .on('error', reject);
  });
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

interface Contestant {
  readonly name: string;
  readonly origin: string;
  readonly pid: number;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Alternates the contestants; the first is compared with each of the others, round by round. */
async function measure(title: string, contestants: readonly Contestant[]): Promise<void> {
  const all = contestants.map(contestant => ({ contestant, measured: [] as Measured[] }));
  for (const { contestant } of all) await load(contestant, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const { contestant, measured } of all) measured.push(await load(contestant, seconds));
  }
  const ours = all[0]!.measured;
  console.log(`${title} (${connections} connections, median of ${rounds}, measured at load ${loadavg()[0]!.toFixed(1)})`);
  for (const { contestant, measured } of all) {
    const of = (read: (one: Measured) => number) => median(measured.map(read));
    // Compared round by round, so that both had the same conditions.
    const against = (read: (one: Measured) => number) => median(measured.map((one, round) => read(ours[round]!) / read(one)));
    const [rate, p50, micros] = [of(one => one.rate), of(one => one.p50), of(one => one.micros)];
    const ratios = [against(one => one.rate), 1 / against(one => one.micros), against(one => one.p50)].map(one => one.toFixed(2));
    const compared = measured === ours ? '' : `   ratio ${ratios[0]}, by processor time ${ratios[1]}, p50 x ${ratios[2]}`;
    console.log(
      `  ${contestant.name.padEnd(24)} ${Math.round(rate).toString().padStart(7)}/s ${micros.toFixed(1).padStart(7)} us  p50 ${p50.toFixed(2)} ms${compared}`,
    );
  }
}

/** Compares the page, and its `304`, with servers that answer the same. */
async function compare(
  title: string,
  { url: origin, pid }: Running,
  path: string,
  asked: Record<string, string>,
  folder: string,
): Promise<void> {
  const answer = await get(origin + path, asked);
  const bare = await startBareNode(folder, answer);
  const nginx = await startNginx(folder, answer);
  try {
    const others = [
      { name: 'node:http, same headers', origin: bare.url, pid: bare.pid, paths: ['/'] },
      ...(nginx ? [{ name: 'nginx, a file', origin: nginx.url, pid: nginx.pid, paths: ['/page.html'] }] : []),
    ];
    const octavo = { name: 'octavo', origin, pid, paths: [path] };
    await measure(
      `${title}, ${answer.body.length} bytes`,
      [octavo, ...others].map(one => ({ ...one, headers: asked })),
    );
    const again = async (one: typeof octavo) => {
      const { etag = '' } = (await get(one.origin + one.paths[0], asked)).headers;
      return { ...one, headers: { ...asked, 'if-none-match': etag } };
    };
    await measure(`${title}, 304`, await Promise.all([octavo, ...others].map(again)));
  } finally {
    await Promise.all([bare, nginx].map((server: Running | undefined) => server?.stop()));
  }
  if (!nginx) console.log('  nginx is not installed: compared with node:http only.');
}

const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
let octavo = await startOctavo(folder);
try {
  const path = await createPage(octavo.url);
  const brotli = { 'accept-encoding': 'br' };
  await compare('view, plain', octavo, path, {}, folder);
  await compare('view, brotli', octavo, path, brotli, folder);
  await octavo.stop();
  const copies = copyNotebook(databaseOf(folder), path.slice('/n/'.length), coldPages).map(slug => `/n/${slug}`);
  octavo = await startOctavo(folder);
  const { url: origin, pid } = octavo;
  await measure(`one of ${coldPages} notebooks in turn`, [
    { name: 'not in memory', origin, pid, paths: copies, headers: brotli },
    { name: 'in memory', origin, pid, paths: [path], headers: brotli },
  ]);
} finally {
  await octavo.stop();
  rmSync(folder, { recursive: true });
}
