import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from './free-port.ts';
import { markFolder, removeLeftBehind } from './left-behind.ts';

const run = promisify(execFile);
const prefix = 'octavo-ceph-';
const servers = ['radosgw', 'ceph-osd', 'ceph-mon'] as const;
type Server = (typeof servers)[number];

const programs = [...servers, 'ceph', 'monmaptool', 'radosgw-admin'];
const isInstalled = (program: string) => (process.env.PATH ?? '').split(':').some(folder => existsSync(join(folder, program)));
const missing = programs.filter(program => !isInstalled(program));

export const cephMissing =
  missing.length > 0 ? `${missing.join(', ')} not installed (Debian: radosgw ceph-mon ceph-osd ceph-common)` : undefined;

/** One monitor and one storage server that keeps everything in memory, without keys, on their own ports. Ready in a second. */
export interface CephCluster {
  readonly folder: string;
  readonly gatewayPort: number;
  start(server: Server, args: readonly string[]): Promise<ChildProcess>;
  /** Runs one of Ceph's tools with this cluster's configuration. */
  tell(program: 'ceph' | 'radosgw-admin', ...args: string[]): Promise<string>;
  /** The last lines of a server's log, for an error. */
  readLog(server: Server): Promise<string>;
  stop(): Promise<void>;
}

export async function startCephCluster(): Promise<CephCluster> {
  if (cephMissing) throw new Error(cephMissing);
  await removeLeftBehind({ prefix, pidFiles: servers.map(server => `${server}.pid`), signal: 'SIGKILL' });
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await markFolder(folder);
  const [monitorPort, gatewayPort, id, storageId] = [await findFreePort(), await findFreePort(), randomUUID(), randomUUID()];
  await Promise.all(['mon', 'osd', 'rgw'].map(name => mkdir(join(folder, name))));
  await writeFile(join(folder, 'ceph.conf'), configuration(folder, id, monitorPort, gatewayPort));

  const conf = ['-c', join(folder, 'ceph.conf')];
  const options = { cwd: folder, timeout: 20_000, env: { PATH: process.env.PATH, CEPH_CONF: join(folder, 'ceph.conf') } };
  const running = new Set<ChildProcess>();
  const stopAtExit = () => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', stopAtExit);

  const cluster: CephCluster = {
    folder,
    gatewayPort,
    async start(server, args) {
      const child = spawn(server, [...conf, '-f', ...args], {
        ...options,
        timeout: undefined,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const log = createWriteStream(join(folder, `${server}.out`), { flags: 'a' });
      child.stdout.pipe(log, { end: false });
      child.stderr.pipe(log, { end: false });
      await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
      running.add(child);
      child.once('exit', () => running.delete(child));
      await writeFile(join(folder, `${server}.pid`), String(child.pid));
      return child;
    },
    tell: async (program, ...args) => (await run(program, [...conf, ...args], options)).stdout,
    readLog: async server => (await readFile(join(folder, `${server}.out`), 'utf8').catch(() => '')).slice(-2_000),
    async stop() {
      process.off('exit', stopAtExit);
      await Promise.all([...running].map(endProcess));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };

  try {
    const map = join(folder, 'monmap');
    await run('monmaptool', ['--create', '--fsid', id, '--addv', 'a', `v1:127.0.0.1:${monitorPort}`, map], options);
    await run('ceph-mon', [...conf, '-i', 'a', '--mkfs', '--monmap', map], options);
    await cluster.start('ceph-mon', ['-i', 'a']);
    await untilItWorks(() => cluster.tell('ceph', '--connect-timeout', '2', 'osd', 'new', storageId));
    await run('ceph-osd', [...conf, '-i', '0', '--mkfs', '--osd-uuid', storageId], options);
    await startStorage(cluster);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

/** A storage server that asks the monitor before that has the map is told "wrong fsid" and ends; the next one is not. */
async function startStorage(cluster: CephCluster): Promise<void> {
  for (let tries = 1; tries <= 20; tries++) {
    const server = await cluster.start('ceph-osd', ['-i', '0']);
    const isUp = await untilItWorks(async () => {
      if (server.exitCode !== null || server.signalCode !== null) return false;
      const { num_up_osds: up } = JSON.parse(await cluster.tell('ceph', 'osd', 'stat', '-f', 'json')) as { num_up_osds: number };
      if (up === 0) throw new Error('the storage server does not come up');
      return true;
    });
    if (isUp) return;
  }
  throw new Error(`the storage server does not start:\n${await cluster.readLog('ceph-osd')}`);
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** Repeats what a server refuses while it is still starting. */
export async function untilItWorks<T>(attempt: () => Promise<T>, mostMs = 60_000): Promise<T> {
  for (const began = performance.now(); ; await sleep(50)) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() - began > mostMs) throw error;
    }
  }
}

/**
 * Proposals without their usual second of waiting: a pool is created at once, and the gateway creates eight. The gateway runs without its
 * cache: after one was killed, the next would wait for it at each change, for half a minute.
 */
const configuration = (folder: string, id: string, monitorPort: number, gatewayPort: number) => `[global]
fsid = ${id}
mon host = v1:127.0.0.1:${monitorPort}
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv4 = true
ms bind ipv6 = false
ms bind msgr2 = false
ms bind port min = 20000
ms bind port max = 32000
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
mon data avail crit = 1
mon data avail warn = 2
mon warn on pool no redundancy = false
paxos propose interval = 0.05
paxos min wait = 0.01
run dir = ${folder}
admin socket =
pid file =
log file = ${folder}/$name.log
mon data = ${folder}/mon
osd data = ${folder}/osd
[osd]
osd objectstore = memstore
memstore device bytes = 1073741824
osd op num shards = 1
osd heartbeat grace = 60
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort}
rgw data = ${folder}/rgw
rgw dns name = localhost
rgw enable usage log = false
rgw cache enabled = false
rgw thread pool size = 32
`;
