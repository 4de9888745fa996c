import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startLocalS3 } from '../apps/notebook/test/support/local-s3.ts';
import { buildAll, buildIfStale } from './build.ts';

// `npm run dev`: the service on a database of its own with a world of every state, every link printed. It is seeded once: what you change
// stays, until you delete `data/dev.db`. Built and started again on each change.
const root = fileURLToPath(new URL('../', import.meta.url));
const port = process.env.PORT ?? '3000';
const origin = `http://localhost:${port}`;
const images = await findImageStore();
const env = {
  ...process.env,
  ...images.env,
  PORT: port,
  RATE_LIMITS: 'off',
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  DATABASE_URL: process.env.DATABASE_URL ?? 'sqlite:data/dev.db',
};

/** The one of the environment, or one in this process. */
async function findImageStore(): Promise<{ env: Record<string, string>; told: string }> {
  if (process.env.R2_ENDPOINT) return { env: {}, told: `in ${process.env.R2_ENDPOINT}` };
  const { env } = await (await startLocalS3()).createBucket();
  return { env, told: 'in memory until this ends; the R2_ variables name another store (docs/image-store.md)' };
}

interface Created {
  readonly viewUrl: string;
  readonly editUrl: string;
}

/** Each folder is a notebook, each file a page, in the order of their names; `settings.json` goes with the request. */
function readWorld(): { name: string; body: object }[] {
  const world = fileURLToPath(new URL('dev-world/', import.meta.url));
  return readdirSync(world).map(name => {
    const files = readdirSync(join(world, name)).sort();
    const pages = files
      .filter(file => file.endsWith('.md'))
      .map(file => ({ markdown: readFileSync(join(world, name, file), 'utf8') }));
    const settings = files.includes('settings.json') ? JSON.parse(readFileSync(join(world, name, 'settings.json'), 'utf8')) : {};
    return { name, body: { ...settings, pages } };
  });
}

async function create(body: object): Promise<Created> {
  const answer = await fetch(`${origin}/api/notebooks`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  if (answer.status !== 201) throw new Error(`the seed was refused: ${await answer.text()}`);
  return answer.json() as Promise<Created>;
}

interface Link extends Created {
  readonly name: string;
}

/** Beside the database: the edit links are known to nobody else. */
const links = join(root, 'data/dev-links.json');
const databaseFile = join(root, 'data/dev.db');

async function seed(): Promise<Link[]> {
  const seeded: Link[] = [];
  for (const { name, body } of readWorld()) seeded.push({ name, ...(await create(body)) });
  const slugOf = (name: string) =>
    seeded
      .find(link => link.name === name)!
      .viewUrl.split('/')
      .at(-1)!;
  const comment = { author: 'A reader', body: 'The second table is the one I was looking for.' };
  const answer = await fetch(`${origin}/api/notebooks/${slugOf('discussed')}/comments`, {
    method: 'POST',
    body: JSON.stringify(comment),
    headers: { 'content-type': 'application/json' },
  });
  if (!answer.ok) throw new Error(`the comment was refused: ${await answer.text()}`);
  // The API makes nothing that has expired already.
  // The service writes to it as well.
  const database = new DatabaseSync(databaseFile, { timeout: 10_000 });
  database.prepare('UPDATE notebooks SET expires_at = ? WHERE slug = ?').run(Date.now() - 3_600_000, slugOf('expired'));
  database.close();
  writeFileSync(links, JSON.stringify(seeded), { mode: 0o600 });
  return seeded;
}

async function showWorld(): Promise<void> {
  process.stdout.write(`\n  home   ${origin}/\n  new    ${origin}/new\n  quick  ${origin}/quick\n`);
  if (process.env.DATABASE_URL === undefined) {
    const known = wasSeeded ? (JSON.parse(readFileSync(links, 'utf8')) as Link[]) : await seed();
    for (const { name, viewUrl, editUrl } of known)
      process.stdout.write(`\n  ${name}\n    view   ${viewUrl}\n    edit   ${editUrl}\n`);
  }
  process.stdout.write(`\n  images ${images.told}\n\n`);
}

function startService(): ChildProcess {
  return spawn(process.execPath, [join(root, 'apps/notebook/dist/server/main.js')], { env, stdio: 'inherit', cwd: root });
}

async function waitUntilReady(): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const ready = await fetch(`${origin}/readyz`).then(
      answer => answer.ok,
      () => false,
    );
    if (ready) return;
    await sleep(100);
  }
  throw new Error(`the service does not answer at ${origin}`);
}

const wasSeeded = existsSync(databaseFile) && existsSync(links);
await buildIfStale();
let service = startService();
await waitUntilReady();
await showWorld();

let timer: NodeJS.Timeout | undefined;
const rebuild = async () => {
  try {
    await buildAll();
    service.kill('SIGTERM');
    await new Promise(resolve => service.once('exit', resolve));
    service = startService();
    process.stdout.write('built and started again\n');
  } catch (error) {
    process.stderr.write(`not built: ${error instanceof Error ? error.message : error}\n`);
  }
};
for (const folder of ['src', 'content', 'public']) {
  watch(join(root, 'apps/notebook', folder), { recursive: true }, (_event, file) => {
    if (file?.includes('.test.')) return;
    clearTimeout(timer);
    timer = setTimeout(rebuild, 200);
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    service.kill('SIGTERM');
    service.once('exit', () => process.exit(0));
  });
}
