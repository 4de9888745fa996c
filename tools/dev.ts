import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startLocalS3 } from '../apps/notebook/test/support/local-s3.ts';
import { buildQuickly, buildQuicklyIfStale } from './build.ts';
import { createDevFront } from './dev-front.ts';

// `npm run dev`: the service on a separate database with notebooks in every state, and all links printed. It is seeded once: your
// changes stay until you delete `data/dev.db`. On each change the affected parts are rebuilt, the service restarts, and open
// pages reload.
const root = fileURLToPath(new URL('../', import.meta.url));
const port = process.env.PORT ?? '3000';
const origin = `http://localhost:${port}`;
const images = await findImageStore();
const innerPort = await findFreePort();
const env = {
  ...process.env,
  ...images.env,
  PORT: String(innerPort),
  HOST: '127.0.0.1',
  PUBLIC_URL: process.env.PUBLIC_URL ?? origin,
  RATE_LIMITS: 'off',
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  DATABASE_URL: process.env.DATABASE_URL ?? 'sqlite:data/dev.db',
};

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

/** Uses the store from the environment, or one in this process. */
async function findImageStore(): Promise<{ env: Record<string, string>; told: string }> {
  if (process.env.R2_ENDPOINT) return { env: {}, told: `in ${process.env.R2_ENDPOINT}` };
  const { env } = await (await startLocalS3()).createBucket();
  return { env, told: 'in memory until this process ends; the R2_ variables name another store (docs/image-store.md)' };
}

interface Created {
  readonly viewUrl: string;
  readonly editUrl: string;
}

/** Each folder is a notebook, each file a page, in the order of their names; `settings.json` goes into the request. */
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
  if (answer.status !== 201) throw new Error(`the service refused a seed notebook: ${await answer.text()}`);
  return answer.json() as Promise<Created>;
}

interface Link extends Created {
  readonly name: string;
}

/** Stored next to the database: nothing else knows the edit links. */
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
  if (!answer.ok) throw new Error(`the service refused a seed comment: ${await answer.text()}`);
  // The API cannot create a notebook that has already expired. The service also writes to this database.
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
  throw new Error(`the service does not respond at ${origin}`);
}

const wasSeeded = existsSync(databaseFile) && existsSync(links);
await buildQuicklyIfStale();
let service = startService();
const front = createDevFront(`http://127.0.0.1:${innerPort}`);
front.server.listen(Number(port), process.env.HOST ?? 'localhost');
await once(front.server, 'listening');
await waitUntilReady();
await showWorld();

/** Rooms whose code never reaches a browser; any other may be part of a script. */
const serverOnly =
  /^(?:analytics|commands|http|images|jobs|objects|operations|routes|store|views|watchdog)\/|^(?:app|cli|config|main|service)\.ts$/;

const changed = new Set<string>();
let building = false;

/** One rebuild at a time; changes that arrive meanwhile come next. */
async function rebuild(): Promise<void> {
  while (changed.size > 0) {
    const paths = [...changed];
    changed.clear();
    const began = performance.now();
    try {
      const needsClient = paths.some(path => !path.startsWith('content/') && !serverOnly.test(path.replace(/^src\//, '')));
      await buildQuickly(needsClient);
      service.kill('SIGTERM');
      if (service.exitCode === null) await once(service, 'exit');
      service = startService();
      await waitUntilReady();
      front.reload();
      process.stdout.write(`${paths.join(', ')}: built and started again in ${Math.round(performance.now() - began)} ms\n`);
    } catch (error) {
      process.stderr.write(`not built: ${error instanceof Error ? error.message : error}\n`);
    }
  }
  building = false;
}

for (const folder of ['src', 'content', 'public']) {
  watch(join(root, 'apps/notebook', folder), { recursive: true }, (_event, file) => {
    if (!file || file.includes('.test.')) return;
    changed.add(`${folder}/${file.replaceAll('\\', '/')}`);
    // Some editors write several files in a row.
    if (!building) {
      building = true;
      void sleep(50).then(rebuild);
    }
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    service.once('exit', () => process.exit(0));
    service.kill('SIGTERM');
  });
}
