import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { pageOf } from './render/pages.ts';
import { engines, pipelines } from './render/pipelines.ts';

// Milliseconds per page, the median of rounds that alternate between the contestants, so that a busy moment affects all alike.
const sizes = [4_000, 20_000, 100_000, 1_000_000];

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function measure(contestants: Record<string, (markdown: string) => string>, page: string): Map<string, number> {
  const times = new Map(Object.keys(contestants).map(name => [name, [] as number[]]));
  const rounds = page.length > 500_000 ? 3 : page.length > 50_000 ? 9 : 40;
  for (let round = -2; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(contestants)) {
      const started = performance.now();
      run(page);
      // The first two only warm up the compiler.
      if (round >= 0) times.get(name)!.push(performance.now() - started);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

function print(title: string, contestants: Record<string, (markdown: string) => string>): void {
  process.stdout.write(`\n${title}: ms a page, and how many times our time\n`);
  for (const size of sizes) {
    const results = measure(contestants, pageOf(size));
    const [[, first] = ['', 1]] = results;
    const cells = [...results].map(([name, time]) => `${name} ${time.toFixed(time < 10 ? 2 : 0)} (${(time / first).toFixed(2)})`);
    process.stdout.write(`${String(size / 1_000).padStart(5)} kB  ${cells.join('   ')}\n`);
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
