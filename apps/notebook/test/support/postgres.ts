import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { markFolder, removeLeftBehind } from './left-behind.ts';
import { type ClusterOptions, createCluster } from './postgres-cluster.ts';

/** A real PostgreSQL 18 from npm, on its own port and data folder. */
export interface RunningPostgres {
  /** The address of the maintenance database; `createDatabase(url)` creates more beside it. */
  readonly url: string;
  createDatabase(): Promise<string>;
  /** Kills the server like a power cut and starts it again at the same address. */
  crash(whileDown?: () => Promise<void>): Promise<void>;
  /** Restarts it as an operator would: running statements are ended, connections closed. */
  restart(whileDown?: () => Promise<void>): Promise<void>;
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  stop(): Promise<void>;
}

const prefix = 'octavo-postgres-';

export async function startPostgres(options: ClusterOptions = {}): Promise<RunningPostgres> {
  await removeLeftBehind({ prefix, pidFiles: ['data/postmaster.pid'], signal: 'SIGQUIT' });
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await chmod(folder, 0o755);
  await markFolder(folder);
  const cluster = await createCluster(folder, options);
  await cluster.start();
  const stopAtExit = () => void cluster.stop('SIGINT');
  process.once('exit', stopAtExit);
  async function stopped(signal: 'SIGKILL' | 'SIGINT', whileDown?: () => Promise<unknown>): Promise<void> {
    await cluster.stop(signal);
    try {
      await whileDown?.();
    } finally {
      // What fails meanwhile must not fail the tests after it.
      await cluster.start();
    }
  }
  return {
    url: cluster.url,
    createDatabase: () => createDatabase(cluster.url),
    crash: whileDown => stopped('SIGKILL', whileDown),
    restart: whileDown => stopped('SIGINT', whileDown),
    freeze: cluster.freeze,
    thaw: cluster.thaw,
    async stop() {
      process.off('exit', stopAtExit);
      await cluster.stop('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a fresh, empty database on a running server, one for each test file. Works in any process that knows the server's URL. */
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
