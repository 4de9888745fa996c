import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import lighthouse, { desktopConfig } from 'lighthouse';
import { type ServiceProcess, startService } from '../apps/notebook/test/support/service-process.ts';
import { buildIfStale } from './build.ts';
import { launchChromium } from './chromium.ts';
import { longPages } from './screenshots/texts.ts';

// `npm run lighthouse [mobile|desktop]`: home, quick paste and a public notebook, measured by Lighthouse in the tests' Chromium.
const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const;

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function makePublic(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/api/notebooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Notes from the paper mill', visibility: 'public', pages: longPages.slice(0, 4) }),
  });
  const { viewUrl } = (await answer.json()) as { viewUrl: string };
  return new URL(viewUrl).pathname;
}

/** @returns the four scores, and what was not perfect */
async function measure(url: string, port: number, form: string): Promise<{ scores: number[]; faults: string[] }> {
  const flags = { port, output: 'json' as const, logLevel: 'error' as const, onlyCategories: [...categories] };
  const result = await lighthouse(url, flags, form === 'desktop' ? desktopConfig : undefined);
  if (!result) throw new Error(`Lighthouse returned no result for ${url}`);
  const { lhr } = result;
  const counted = categories.flatMap(name =>
    lhr.categories[name]!.auditRefs.filter(({ weight }) => weight > 0).map(({ id }) => id),
  );
  const faults = counted
    .map(id => lhr.audits[id]!)
    .filter(({ score }) => score !== null && score < 1)
    .map(({ title, displayValue }) => `${title} ${displayValue ?? ''}`.trim());
  return { scores: categories.map(name => Math.round((lhr.categories[name]!.score ?? 0) * 100)), faults };
}

async function run(service: ServiceProcess, port: number): Promise<void> {
  const view = await makePublic(service.origin);
  for (const form of process.argv[2] ? [process.argv[2]] : ['mobile', 'desktop']) {
    for (const path of ['/', '/quick', view]) {
      const { scores, faults } = await measure(service.origin + path, port, form);
      const named = categories.map((name, place) => `${name} ${scores[place]}`).join(', ');
      process.stdout.write(`${form} ${path === view ? '/n/{slug}' : path}: ${named}\n`);
      for (const fault of faults) process.stdout.write(`  ${fault}\n`);
      if (scores.some(score => score < 100)) process.exitCode = 1;
    }
  }
}

await buildIfStale();
const data = await mkdtemp(join(tmpdir(), 'octavo-lighthouse-'));
const port = await freePort();
// The pages must name the same address that is measured.
const ownPort = await freePort();
const service = await startService({
  DATABASE_URL: `sqlite:${join(data, 'measured.db')}`,
  PORT: String(ownPort),
  PUBLIC_URL: `http://127.0.0.1:${ownPort}`,
});
const browser = await launchChromium({ args: [`--remote-debugging-port=${port}`] });
try {
  await run(service, port);
} finally {
  await browser.close();
  await service.kill();
  await rm(data, { recursive: true });
}
