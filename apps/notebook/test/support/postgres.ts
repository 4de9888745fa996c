import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createCluster } from './postgres-cluster.ts';

/** A real PostgreSQL 18 from npm, on its own port and data folder. */
export interface RunningPostgres {
  /** Of the maintenance database; `createDatabase(url)` makes more beside it. */
  readonly url: string;
  createDatabase(): Promise<string>;
  /** Kills the server like a power cut and starts it again at the same address. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

const prefix = 'octavo-postgres-';

export async function startPostgres(): Promise<RunningPostgres> {
  await removeStaleServers();
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'runner.pid'), String(process.pid));
  const cluster = await createCluster(folder);
  await cluster.start();
  const stopAtExit = () => void cluster.stop('SIGINT');
  process.once('exit', stopAtExit);
  return {
    url: cluster.url,
    createDatabase: () => createDatabase(cluster.url),
    async crash() {
      await cluster.stop('SIGKILL');
      await cluster.start();
    },
    async stop() {
      process.off('exit', stopAtExit);
      await cluster.stop('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A fresh, empty database on a running server: one for each test file. Works in any process that knows the server's URL. */
export async function createDatabase(serverUrl: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** A runner that was killed could not stop its server: the next one does, by process id, and clears the folder. */
async function removeStaleServers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(tmpdir(), name);
    const runner = await readPid(join(folder, 'runner.pid'));
    if (runner === undefined || isAlive(runner)) continue;
    const server = await readPid(join(folder, 'data', 'postmaster.pid'));
    if (server !== undefined && (await runsIn(server, folder))) await endServer(server);
    await rm(folder, { recursive: true, force: true });
  }
}

async function readPid(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : undefined;
}

/** Process ids are used again: only a server that names this folder is the one that was left behind. */
async function runsIn(pid: number, folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return isAlive(pid);
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(folder);
}

async function endServer(pid: number): Promise<void> {
  process.kill(pid, 'SIGQUIT');
  for (let waited = 0; isAlive(pid) && waited < 5_000; waited += 50) await new Promise(resolve => setTimeout(resolve, 50));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
