import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { pageOf } from './render/pages.ts';
import { engines, pipelines } from './render/pipelines.ts';

// Milliseconds per page, the median of rounds that alternate between the contestants, so that a busy moment affects all alike. A thread
// that renders lives as long as the service, and its first pages take twice as long, until the compiler has seen enough of them.
const sizes = [4_000, 20_000, 100_000, 1_000_000];
const firstRounds = 40;

type Contestants = Record<string, (markdown: string) => string>;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function measure(contestants: Contestants, page: string, rounds: number): Map<string, number> {
  const times = new Map(Object.keys(contestants).map(name => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(contestants)) {
      const started = performance.now();
      run(page);
      times.get(name)!.push(performance.now() - started);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

function row(label: string, results: Map<string, number>): string {
  const [[, first] = ['', 1]] = results;
  const cells = [...results].map(([name, time]) => `${name} ${time.toFixed(time < 10 ? 2 : 0)} (${(time / first).toFixed(2)})`);
  return `${label.padStart(26)}  ${cells.join('   ')}\n`;
}

function print(title: string, contestants: Contestants): void {
  process.stdout.write(`\n${title}: ms a page, and how many times our time\n`);
  const cold = measure(contestants, pageOf(20_000), firstRounds);
  process.stdout.write(row(`20 kB, the first ${firstRounds} pages`, cold));
  for (const size of sizes) {
    const rounds = size > 500_000 ? 3 : size > 50_000 ? 9 : 40;
    process.stdout.write(row(`${size / 1_000} kB`, measure(contestants, pageOf(size), rounds)));
  }
}

/** How much the browser must fetch for the preview's worker. */
async function bundleKilobytes(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, rolldownOptions: { input: entry, output: { codeSplitting: false } } },
  });
  const [chunk] = (result as Rolldown.RolldownOutput).output;
  return `${(gzipSync(chunk.code).length / 1_000).toFixed(0)} kB gzip`;
}

print('Safe HTML with highlighting', pipelines);
print('The engines alone', engines);
const worker = new URL('../apps/notebook/src/markdown/preview-worker.ts', import.meta.url).pathname;
process.stdout.write(`\nThe preview worker, everything in it: ${await bundleKilobytes(worker)}\n`);
