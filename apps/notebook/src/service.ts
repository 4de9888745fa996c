import { parentPort, workerData } from 'node:worker_threads';
import { createApp } from './app.ts';
import { ConfigError, isWeakKey, pathOfAddress, readConfig } from './config.ts';
import { Pulse } from './watchdog/pulse.ts';
import type { ServiceData, ServiceMessage, WatchMessage } from './watchdog/watch.ts';

/** Long enough for a save under way, short enough for a supervisor that waits ten seconds. */
const stopWithinMs = 8_000;
/** A client that does not read its answer, or does not send its request to the end, must not keep us from closing the database. */
const cutOffAfterMs = 6_500;

function notifyWatchdog(message: ServiceMessage): void {
  parentPort?.postMessage(message);
}

/** The log is written asynchronously, and at exit only a process's first thread writes the rest, so this thread flushes it first. */
function exit(log: object, code: number): void {
  const { flush } = log as { flush?: (done: () => void) => void };
  if (flush) flush.call(log, () => process.exit(code));
  else process.exit(code);
}

/** Resolves once the process's first thread, which owns the output, has written it: what is logged next comes after it. */
function print(line: string): Promise<void> {
  return new Promise(resolve => process.stdout.write(line, () => resolve()));
}

async function serve(): Promise<void> {
  const pulse = new Pulse((workerData as ServiceData).pulse, (route, name) => notifyWatchdog({ kind: 'route', route, name }));
  pulse.start();
  const { place } = workerData as ServiceData;
  const config = readConfig(process.env);
  const app = await createApp(config, { pulse, place });
  const { log } = app.server;
  if (config.images.kind === 'off' && config.images.missing.length > 0 && config.images.missing.length < 5) {
    log.warn({ missing: config.images.missing }, 'image upload is off: not all five R2_ variables are set');
  }
  if (isWeakKey(config.secretKey))
    log.warn('SECRET_KEY has fewer than 32 characters, so it is combined with the key that is kept in the database');
  const path = pathOfAddress(config.publicUrl);
  if (path !== '')
    log.warn(
      { path },
      'PUBLIC_URL has a path, but pages link to the root of their host: give the service a host name of its own',
    );
  if (config.rateLimits === 'off') log.warn('RATE_LIMITS=off: nothing is limited; only for benches and tests');
  // The watching thread receives signals and reports each once (watchdog/watch.ts).
  parentPort?.once('message', ({ stop: signal }: WatchMessage) => {
    log.info({ signal }, 'stopping');
    setTimeout(() => app.server.server.closeAllConnections(), cutOffAfterMs).unref();
    setTimeout(() => process.exit(1), stopWithinMs).unref();
    const drained = signal === 'hand-over' ? app.drain() : Promise.resolve();
    drained.then(app.close).then(
      () => exit(log, 0),
      error => {
        log.error({ err: error }, 'could not stop cleanly');
        exit(log, 1);
      },
    );
  });
  const address = await app.listen();
  notifyWatchdog({ kind: 'listening' });
  // With several workers, the supervisor prints this.
  if (!place) await print(`Octavo is at ${config.publicUrl} (listening on ${address})\n`);
  if (config.jobs.kind === 'on') app.jobs.start();
}

serve().catch((error: unknown) => {
  const message =
    error instanceof ConfigError
      ? error.message
      : error instanceof Error
        ? `Octavo cannot start: ${error.message}`
        : String(error);
  process.stderr.write(`${message}\n`, () => process.exit(1));
});
