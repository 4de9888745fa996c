import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { growDescriptorTable } from './grow-descriptor-table.ts';
import { createPulseMemory, type PageAtWork, type PulseMemory, readPulse } from './pulse.ts';
import type { WorkerMessage } from './supervise.ts';

export interface WatchOptions {
  /** The service's program, which runs in its own thread. */
  readonly program: URL;
  /** The process ends when the service's event loop does not turn for this long. Default 30 s. */
  readonly silentMillis?: number;
  /** Time from SIGTERM or SIGINT to the end of the process, whatever is running. Default 9.5 s: supervisors wait ten. */
  readonly stopMillis?: number;
  /** A module whose `recordEnding` records the text over which a process was ended. Loaded only then. */
  readonly recorder?: URL;
  /** This process's place among several on one port. */
  readonly place?: WorkerPlace | undefined;
  /** Called once, when the service answers requests. */
  readonly onListening?: () => void;
}

/** A text that blocked the event loop until the process was ended. */
export interface Ending extends PageAtWork {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

export interface Recorder {
  recordEnding(ending: Ending): Promise<void>;
}

/** A worker's number, from 0, and the listening sockets that it was started with. */
export interface WorkerPlace {
  readonly number: number;
  readonly fds: readonly number[];
}

/** The data that the service's thread is started with. */
export interface ServiceData {
  readonly pulse: PulseMemory;
  readonly place: WorkerPlace | undefined;
}

/** To the service's thread. `hand-over`: another process takes its place, and no client with an open connection may notice. */
export type WatchMessage = { readonly stop: 'SIGTERM' | 'SIGINT' | 'hand-over' };

/** From the service's thread: it now answers requests, or a route has this name. */
export type ServiceMessage =
  | { readonly kind: 'listening' }
  | { readonly kind: 'route'; readonly route: number; readonly name: string };

const tickMillis = 500;
/** Time to record the text; a database that does not answer must not keep the process alive. */
const recordMillis = 3_000;

/**
 * Runs the service in a thread and stays free itself: only this thread receives signals, and only a thread that does nothing else can react
 * to them while the other is busy. It ends the process when the service's event loop is silent for too long or does not stop in time.
 */
export function watchService(options: WatchOptions): void {
  const { program, recorder, place, silentMillis = 30_000, stopMillis = 9_500, onListening } = options;
  const pulse = createPulseMemory();
  const service = new Worker(program, {
    workerData: { pulse, place } satisfies ServiceData,
    resourceLimits: {
      // As much as it would get without a thread.
      maxOldGenerationSizeMb: Math.floor(getHeapStatistics().heap_size_limit / 1_048_576),
      maxYoungGenerationSizeMb: 24,
    },
  });
  const names = new Map<number, string>();
  const nameOf = (route: number | undefined) => (route === undefined ? undefined : names.get(route));

  let stopping = false;
  const stop = (signal: WatchMessage['stop']) => {
    if (stopping) return;
    stopping = true;
    const { beats } = readPulse(pulse);
    service.postMessage({ stop: signal } satisfies WatchMessage);
    // A supervisor whose health checks got no answer sends the signal long before 30 seconds have passed.
    const recordAt = Math.max(stopMillis / 2, stopMillis - recordMillis);
    setTimeout(() => readPulse(pulse).beats <= beats + 1 && record(), recordAt).unref();
    setTimeout(() => endProcess(`the service did not stop within ${stopMillis} ms of ${signal}`), stopMillis).unref();
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  if (place) {
    process.on('message', (message: WorkerMessage) => message === 'hand-over' && stop('hand-over'));
    // The supervisor is gone: nobody would replace or end this process.
    process.on('disconnect', () => stop('SIGTERM'));
    // A terminal sends it to the whole group; it is meant for the supervisor.
    process.on('SIGHUP', () => {});
  }

  let recording: Promise<void> | undefined;
  const record = () => {
    recording ??= recordText(recorder, readPulse(pulse).text);
    return recording;
  };

  const endProcess = (why: string) => {
    const { lastRoute, underWay, text } = readPulse(pulse);
    writeLine(why, {
      route: nameOf(lastRoute),
      page: text,
      underWay: Object.fromEntries([...underWay].map(([route, count]) => [nameOf(route), count])),
    });
    // A thread in native code cannot be ended, and `process.exit` would wait for it.
    process.kill(process.pid, 'SIGKILL');
  };

  service.on('message', (message: ServiceMessage) => {
    if (message.kind === 'route') names.set(message.route, message.name);
    else {
      onListening?.();
      process.send?.('listening' satisfies WorkerMessage);
      growDescriptorTable();
      watchPulse(pulse, silentMillis, () => record().then(() => endProcess(`the event loop was silent for ${silentMillis} ms`)));
    }
  });
  service.on('error', error => process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : error}\n`));
  service.on('exit', code => process.exit(code));
}

/** Counts its own ticks rather than the clock: a process that was frozen, or a machine that slept, has not been silent. */
export function watchPulse(memory: PulseMemory, silentMillis: number, onSilence: () => void): void {
  let seen = -1;
  let silentTicks = 0;
  const ticker = setInterval(() => {
    const { beats } = readPulse(memory);
    silentTicks = beats === seen ? silentTicks + 1 : 0;
    seen = beats;
    if (silentTicks * tickMillis < silentMillis) return;
    clearInterval(ticker);
    onSilence();
  }, tickMillis);
}

/** Never rejects, and ends in time: the process ends whether or not the text could be recorded. */
export async function recordText(recorder: URL | undefined, text: PageAtWork | undefined): Promise<void> {
  if (!recorder || !text) return;
  const keep = async () => {
    const { recordEnding } = (await import(recorder.href)) as Recorder;
    await recordEnding({ ...text, at: Date.now() });
  };
  try {
    await Promise.race([keep(), sleep(recordMillis)]);
  } catch (error) {
    writeLine('which text it was could not be kept', { reason: error instanceof Error ? error.message : String(error) });
  }
}

/** In the format of the service's own log lines, and written at once: the process ends right after. Level 60 is fatal. */
function writeLine(msg: string, facts: object): void {
  try {
    writeSync(2, `${JSON.stringify({ level: 60, time: Date.now(), ...facts, msg })}\n`);
  } catch {
    // Nobody reads the output any more; that must not keep the process alive.
  }
}
