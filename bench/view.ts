import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseLoad } from './view/load.ts';
import { type Answer, type Running, startBareNode, startNginx, startOctavo } from './view/servers.ts';

// GET /n/{slug}, a page of 20 kB, kept-alive connections: the built program against nginx with the same bytes in a file and against
// node:http with the same bytes in memory. All in the same run, in turns, so that the machine's mood is shared.
const rounds = 3;
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const pageBytes = 20_000;

const words =
  'leaf margin binding index paper folio gather stitch press ink type page line rule spine cover quire sheet fold'.split(' ');

/** Words that do not repeat as a compressor would like; the same in every run. */
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

/** As it came: `fetch` would unpack it. */
function get(url: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { headers }, response => {
        const parts: Buffer[] = [];
        response.on('data', part => parts.push(part));
        response.on('end', () => resolve({ body: Buffer.concat(parts), contentEncoding: response.headers['content-encoding'] }));
      })
      .on('error', reject);
  });
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

async function compare(title: string, octavo: string, headers: Record<string, string>, folder: string): Promise<void> {
  const { name, load } = await chooseLoad();
  const answer = await get(octavo, headers);
  const bare = await startBareNode(folder, answer);
  const nginx = await startNginx(folder, answer);
  const contestants = [
    { name: 'octavo', url: octavo },
    { name: 'node:http', url: bare.url },
    ...(nginx ? [{ name: 'nginx', url: `${nginx.url}/page.html` }] : []),
  ].map(contestant => ({ ...contestant, rates: [] as number[] }));
  try {
    for (const { url } of contestants) await load(url, 1, headers);
    for (let round = 0; round < rounds; round += 1) {
      for (const contestant of contestants) contestant.rates.push(await load(contestant.url, seconds, headers));
    }
  } finally {
    await Promise.all([bare, nginx].map((server: Running | undefined) => server?.stop()));
  }
  const ours = median(contestants[0]!.rates);
  console.log(`${title}: ${answer.body.length} bytes, 32 connections kept alive, by ${name}, median of ${rounds}`);
  for (const { name, rates } of contestants) {
    const rate = median(rates);
    const ratio = name === 'octavo' ? '' : `   octavo / ${name} = ${(ours / rate).toFixed(2)}`;
    console.log(`  ${name.padEnd(10)} ${Math.round(rate).toString().padStart(7)} requests/s${ratio}`);
  }
  if (!nginx) console.log('  nginx is not installed: compared with node:http only.');
}

const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
const octavo = await startOctavo(folder);
try {
  const url = octavo.url + (await createPage(octavo.url));
  await compare('view, plain', url, {}, folder);
  await compare('view, brotli', url, { 'accept-encoding': 'br' }, folder);
} finally {
  await octavo.stop();
  rmSync(folder, { recursive: true });
}
