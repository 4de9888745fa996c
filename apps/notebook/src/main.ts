import { createApp } from './app.ts';
import { ConfigError, readConfig } from './config.ts';

/** Long enough for a save under way, short enough for a supervisor that waits ten seconds. */
const stopWithinMs = 8_000;

// What this process makes (the database, its log, its backups) is nobody else's to read.
process.umask(0o077);
// A limit on the size of files (`ulimit -f`) is answered as a full disk is; unheard, the signal would end the process.
process.on('SIGXFSZ', () => {});

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const app = await createApp(config);
  const { log } = app.server;
  if (config.images.kind === 'off' && config.images.missing.length > 0 && config.images.missing.length < 5) {
    log.warn({ missing: config.images.missing }, 'image upload is off: not all five R2_ variables are set');
  }
  if (config.rateLimits === 'off') log.warn('RATE_LIMITS=off: nothing is limited; only for benches and tests');
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), stopWithinMs).unref();
    app.close().then(
      () => process.exit(0),
      error => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', () => stop('SIGTERM'));
  process.once('SIGINT', () => stop('SIGINT'));
  const address = await app.listen();
  if (config.jobs.kind === 'on') app.jobs.start();
  process.stdout.write(`Octavo is at ${config.publicUrl} (listening on ${address})\n`);
}

serve().catch((error: unknown) => {
  const message =
    error instanceof ConfigError
      ? error.message
      : error instanceof Error
        ? `Octavo cannot start: ${error.message}`
        : String(error);
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
