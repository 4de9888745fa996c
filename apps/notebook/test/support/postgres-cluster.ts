import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from './free-port.ts';
import { findNativeFolder, findServerUser, makeReachable, type ServerUser } from './postgres-binaries.ts';

/** One server with its own data folder: the result of `initdb`, and the process that runs on it. */
export interface Cluster {
  readonly url: string;
  start(): Promise<void>;
  /** `SIGINT` is PostgreSQL's fast shutdown, `SIGKILL` is a power cut. */
  stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void>;
  /** Stops every process of the server: connections stay open and nothing answers. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

/** Another server than the one from npm, and its processes' environment. */
export interface ClusterOptions {
  /** The folder that contains `bin`. */
  readonly native?: string;
  readonly env?: Record<string, string>;
  /** False: nothing is forced to the disk, for a server that nobody crashes. Default true. */
  readonly isLasting?: boolean;
}

export async function createCluster(
  folder: string,
  { native: given, env = {}, isLasting = true }: ClusterOptions = {},
): Promise<Cluster> {
  const user = await findServerUser();
  const native = given ?? (await makeReachable(await findNativeFolder(), user, folder));
  const password = randomBytes(12).toString('hex');
  const data = join(folder, 'data');
  await initdb(join(native, 'bin', 'initdb'), { folder, data, password, user });

  const port = await findFreePort();
  let server: ChildProcess | undefined;
  let frozen: number[] = [];
  return {
    async freeze() {
      const pid = server!.pid!;
      process.kill(pid, 'SIGSTOP');
      // The server first, so that it starts no new processes while the list is read.
      frozen = [pid, ...(await childrenOf(pid))];
      for (const child of frozen.slice(1)) process.kill(child, 'SIGSTOP');
    },
    async thaw() {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
      frozen = [];
    },
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    async start() {
      server = await startServer(join(native, 'bin', 'postgres'), { data, port, user, env, isLasting });
    },
    async stop(signal) {
      const running = server;
      server = undefined;
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const ended = new Promise(resolve => running.once('exit', resolve));
      running.kill(signal);
      await ended;
    },
  };
}

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(pid)]);
  return stdout.trim().split(/\s+/).map(Number);
}

interface NewCluster {
  readonly folder: string;
  readonly data: string;
  readonly password: string;
  readonly user: ServerUser;
}

async function initdb(program: string, { folder, data, password, user }: NewCluster): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  await mkdir(data, { mode: 0o700 });
  if ('uid' in user) await Promise.all([passwordFile, data].map(path => chown(path, user.uid, user.gid)));
  // The plainest locale: nothing that works here (CJK search above all) depends on the server's language settings.
  const flags = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8', '--no-locale'];
  await promisify(execFile)(program, [`--pgdata=${data}`, ...flags, '--no-instructions'], { ...user, cwd: folder });
}

/** A killed server leaves shared memory behind until its last child notices; the next try then succeeds. */
async function startServer(program: string, given: Started): Promise<ChildProcess> {
  for (let tries = 1; ; tries++) {
    try {
      return await startOnce(program, given);
    } catch (error) {
      if (tries === 50) throw error;
      await sleep(100);
    }
  }
}

interface Started extends Pick<NewCluster, 'data' | 'user'> {
  readonly port: number;
  readonly env: Record<string, string>;
  readonly isLasting: boolean;
}

function startOnce(program: string, { data, port, user, env, isLasting }: Started): Promise<ChildProcess> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200', 'shared_buffers=32MB'];
  if (!isLasting) settings.push('fsync=off', 'full_page_writes=off');
  const args = ['-D', data, '-p', String(port), ...settings.flatMap(setting => ['-c', setting])];
  const server = spawn(program, args, {
    ...user,
    cwd: data,
    env: { ...env, LC_MESSAGES: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let log = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      log = (log + chunk).slice(-4_000);
      if (log.includes('ready to accept connections')) resolve(server);
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${log}`)));
  });
}
