import { type ChildProcess, spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { writeSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenError } from '../listening/listen-error.ts';
import { requireFree, socketsPerProcess } from '../listening/listening-sockets.ts';

export interface SuperviseOptions {
  /** The program that each worker runs: our own, which finds its place in `--worker=…` and `--listen-fds=…`. */
  readonly program: string;
  readonly workers: number;
  readonly host: string;
  readonly port: number;
  /** The address shown to people. */
  readonly publicUrl: string;
  /** The environment of each worker. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** From a worker: it now answers requests. To a worker: finish the work under way and end, because another worker has your place. */
export type WorkerMessage = 'listening' | 'hand-over';

/** The parts of node:net that Node's own cluster uses. Node provides types for neither. */
interface Handle {
  readonly fd: number;
  getsockname(into: object): number;
  close(): void;
}
const { _createServerHandle: createHandle } = net as unknown as {
  _createServerHandle(address: string, port: number, family: 4 | 6, fd: undefined, flags: number): Handle | number;
};
/** libuv's UV_TCP_REUSEPORT: Linux spreads connections over the sockets of one port. */
const reusePort = 2;

interface Slot {
  readonly number: number;
  readonly handles: readonly Handle[];
  child: ChildProcess | undefined;
  quickDeaths: number;
  /** A rolling restart is starting a new worker, so a worker that dies meanwhile is not replaced elsewhere. */
  rolling: boolean;
}

/** A worker that lives this long has started well; one that dies sooner is replaced after a growing delay. */
const stableMillis = 10_000;
const longestWaitMillis = 5_000;
/** A worker's own watchdog ends it after 9.5 s. */
const stopMillis = 10_500;

/**
 * Runs several processes on one port. This process accepts no connections: it opens listening sockets for each worker and keeps them for the
 * worker's successor, so that a connection that was not accepted yet waits for the next worker rather than being refused. SIGHUP: new
 * workers take over one after the other. SIGTERM, SIGINT: all end.
 */
export async function supervise(options: SuperviseOptions): Promise<void> {
  const { workers, publicUrl } = options;
  let stopping = false;
  const slots = await openSlots(options);
  const address = addressOf(slots[0]!.handles[0]!);
  const children = new Set<ChildProcess>();

  /** Async, so that a `spawn` that throws (the system has no memory for a process) rejects as any other failure does. */
  async function start(slot: Slot): Promise<ChildProcess> {
    const sockets = slot.handles.map(({ fd }) => fd);
    const fds = sockets.map((_, at) => 3 + at).join(',');
    const args = [...process.execArgv, options.program, `--worker=${slot.number}`, `--listen-fds=${fds}`];
    // Otherwise glibc keeps an arena of freed memory for each thread: 40 to 60 MB more under attack.
    const env = { MALLOC_ARENA_MAX: '2', ...options.env };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'inherit', ...sockets, 'ipc'] });
    const began = performance.now();
    children.add(child);
    return new Promise((resolve, reject) => {
      child.once('message', (message: WorkerMessage) => {
        if (message !== 'listening') return;
        slot.child = child;
        resolve(child);
      });
      // Not `once`: a second error without a listener would end the supervisor.
      child.on('error', reject);
      child.once('exit', (code, signal) => {
        children.delete(child);
        reject(new Error(`worker ${slot.number} exited before it was ready (${signal ?? code})`));
        if (slot.child !== child || stopping) return;
        slot.child = undefined;
        slot.quickDeaths = performance.now() - began < stableMillis ? slot.quickDeaths + 1 : 0;
        log('a worker ended and is replaced', { worker: slot.number, pid: child.pid, code, signal });
        if (!slot.rolling) void replace(slot);
      });
    });
  }

  async function replace(slot: Slot): Promise<void> {
    while (!stopping && !slot.child) {
      if (slot.quickDeaths > 0) await sleep(Math.min(longestWaitMillis, 100 * 2 ** slot.quickDeaths));
      if (stopping || slot.child) return;
      await start(slot).catch(error => {
        slot.quickDeaths++;
        log('a worker could not be replaced; it is tried again', { worker: slot.number, reason: String(error.message) });
      });
    }
  }

  let rolling = Promise.resolve();
  async function roll(): Promise<void> {
    for (const slot of slots) {
      const old = slot.child;
      if (stopping || !old) continue;
      slot.rolling = true;
      try {
        await start(slot);
      } catch (error) {
        log('the new worker did not start; the old one stays', {
          worker: slot.number,
          reason: String((error as Error).message),
        });
        continue;
      } finally {
        slot.rolling = false;
        // The old worker has died too.
        if (!slot.child) void replace(slot);
      }
      if (hasEnded(old)) continue;
      const gone = new Promise(resolve => old.once('exit', resolve));
      // A worker that dies at this moment does not get the message and is gone.
      old.send('hand-over' satisfies WorkerMessage, () => {});
      await gone;
    }
    if (!stopping) log('every worker was replaced', {}, 30);
  }

  function stop(signal: NodeJS.Signals): void {
    if (stopping) return;
    stopping = true;
    // Workers accept what waits and close theirs. What arrived in ours later would wait for nobody, and be reset at the end.
    for (const { handles } of slots) for (const handle of handles) handle.close();
    for (const child of children) child.kill(signal);
    setTimeout(() => {
      for (const child of children) child.kill('SIGKILL');
    }, stopMillis).unref();
    void whenGone();
  }

  async function whenGone(code = 0): Promise<void> {
    for (const child of children) if (!hasEnded(child)) await new Promise(gone => child.once('exit', gone));
    process.exit(code);
  }

  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('SIGHUP', () => {
    rolling = rolling.then(roll);
  });

  try {
    // Starts the first worker alone: it brings the database up to date, and reports a faulty configuration.
    const [first, ...others] = slots;
    await start(first!);
    await Promise.all(others.map(start));
  } catch {
    if (stopping) return;
    stopping = true;
    for (const child of children) child.kill('SIGTERM');
    return whenGone(1);
  }
  process.stdout.write(`Octavo is at ${publicUrl} (listening on ${address}, ${workers} workers)\n`);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function openSlots({ host, port, workers }: SuperviseOptions): Promise<Slot[]> {
  const { address, family } = await lookup(host);
  if (port !== 0)
    await requireFree(address, port).catch(error => {
      throw listenError(error, { host, port });
    });
  const slots: Slot[] = [];
  let boundPort = port;
  for (let number = 0; number < workers; number++) {
    const handles = Array.from({ length: socketsPerProcess }, () => {
      const handle = createHandle(address, boundPort, family === 6 ? 6 : 4, undefined, reusePort);
      if (typeof handle === 'number') {
        const why = process.platform === 'linux' ? '' : ' Several workers need Linux.';
        throw new Error(`${host}:${boundPort} cannot be used for listening (error ${handle}).${why}`);
      }
      boundPort = nameOf(handle).port;
      return handle;
    });
    slots.push({ number, handles, child: undefined, quickDeaths: 0, rolling: false });
  }
  return slots;
}

function nameOf(handle: Handle): AddressInfo {
  const name = {};
  handle.getsockname(name);
  return name as AddressInfo;
}

function addressOf(handle: Handle): string {
  const { address, family, port } = nameOf(handle);
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** In the format of the service's own log lines. Level 50 is an error. */
function log(msg: string, facts: object, level = 50): void {
  try {
    writeSync(2, `${JSON.stringify({ level, time: Date.now(), ...facts, msg })}\n`);
  } catch {
    // Nobody reads the output any more.
  }
}
