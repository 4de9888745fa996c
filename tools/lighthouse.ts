import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import lighthouse, { desktopConfig } from 'lighthouse';
import { type ServiceProcess, startService } from '../apps/notebook/test/support/service-process.ts';
import { buildIfStale } from './build.ts';
import { launchChromium } from './chromium.ts';
import { longPages } from './screenshots/texts.ts';

// `npm run lighthouse [mobile|desktop] [beginning of a page's name]`: every kind of page, measured by Lighthouse in the tests' Chromium.
const allCategories = ['performance', 'accessibility', 'best-practices', 'seo'] as const;

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

interface MeasuredPage {
  readonly name: string;
  readonly path: string;
  /** Pages that nobody but their owner or reader should find ask search engines to stay away, which Lighthouse counts as a fault. */
  readonly indexed: boolean;
}

async function create(origin: string, settings: object): Promise<{ view: string; edit: string; page: string }> {
  const answer = await fetch(`${origin}/api/notebooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Notes from the paper mill', pages: longPages.slice(0, 4), ...settings }),
  });
  if (answer.status !== 201) throw new Error(`The notebook was not created: ${answer.status} ${await answer.text()}`);
  const made = (await answer.json()) as { viewUrl: string; editUrl: string; notebook: { pages: { id: string }[] } };
  const view = new URL(made.viewUrl).pathname;
  return { view, edit: new URL(made.editUrl).pathname, page: `${view}/p/${made.notebook.pages[1]!.id}` };
}

/** Every kind of page that a person meets. */
async function pagesOf(origin: string): Promise<MeasuredPage[]> {
  const open = await create(origin, { visibility: 'public' });
  const unlisted = await create(origin, { visibility: 'unlisted', openEditing: true });
  const locked = await create(origin, { password: 'a pass phrase' });
  const burning = await create(origin, { burnAfterRead: true });
  const found = (name: string, path: string): MeasuredPage => ({ name, path, indexed: true });
  const hidden = (name: string, path: string): MeasuredPage => ({ name, path, indexed: false });
  return [
    found('/', '/'),
    found('/quick', '/quick'),
    found('/n/{slug}, public', open.view),
    found('/n/{slug}/p/{id}, public', open.page),
    found('/new', '/new'),
    found('/burn-after-reading', '/burn-after-reading'),
    hidden('/search?q=paper', '/search?q=paper'),
    hidden('/n/{slug}, unlisted', unlisted.view),
    hidden('/n/{slug}, locked', locked.view),
    hidden('/n/{slug}, burn after read', burning.view),
    hidden('/n/{slug}/find?q=paper', `${open.view}/find?q=paper`),
    hidden('/n/{slug}/report', `${open.view}/report`),
    hidden('/n/{slug}/print', `${open.view}/print`),
    hidden('/n/{slug}/edit, open editing', `${unlisted.view}/edit`),
    hidden('/e/{edit token}, the editor', open.edit),
    hidden('/offline', '/offline'),
  ];
}

/** @returns the four scores, and what was not perfect */
async function measure(
  url: string,
  port: number,
  { form, indexed }: { form: string; indexed: boolean },
): Promise<{ scores: number[]; faults: string[] }> {
  const categories = indexed ? allCategories : allCategories.filter(name => name !== 'seo');
  const flags = {
    port,
    output: 'json' as const,
    logLevel: 'error' as const,
    onlyCategories: [...categories],
    ignoreStatusCode: true,
  };
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
  const [onlyForm, onlyPage] = process.argv.slice(2);
  const pages = (await pagesOf(service.origin)).filter(({ name }) => !onlyPage || name.startsWith(onlyPage));
  for (const form of onlyForm ? [onlyForm] : ['mobile', 'desktop']) {
    for (const { name, path, indexed } of pages) {
      const { scores, faults } = await measure(service.origin + path, port, { form, indexed });
      const named = scores.map((score, place) => `${allCategories[place]} ${score}`).join(', ');
      process.stdout.write(`${form} ${name}: ${named}\n`);
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
