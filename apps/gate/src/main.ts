import { readFileSync, statSync } from 'node:fs';
import { type App, createApp } from './app.ts';
import { readConfig } from './config/read-config.ts';
import { startProblem } from './config/start-problem.ts';
import { limits } from './limits.ts';
import { errorFields } from './operate/log.ts';

export { checkState } from './app.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The process: starts the gate, applies new configurations, stops on a signal. */
export async function serve(path: string, env: Env): Promise<void> {
  // Reading metadata may take half a minute. A SIGHUP would end the process until something listens to it.
  let isReloadDue = false as boolean;
  let onHangUp = (): void => {
    isReloadDue = true;
  };
  process.on('SIGHUP', () => onHangUp());
  const begun = stamp(path);
  const app = await createApp(readConfig(readFileSync(path, 'utf8'), env)).catch(error => {
    throw startProblem(error);
  });
  const { reload, stop: stopWatching } = watchConfig(path, env, app, begun);
  onHangUp = reload;
  if (isReloadDue) reload();
  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    app.log.info('stopping', { signal });
    stopWatching();
    app.close().then(
      () => process.exit(0),
      error => {
        app.log.error('could not stop cleanly', errorFields(error));
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', () => stop('SIGTERM'));
  process.once('SIGINT', () => stop('SIGINT'));
  app.log.info('the gate is listening', { address: app.address });
}

/** Reads the file again when it changed since it was `seen`, or when asked to, which also fetches the metadata of SAML providers. */
function watchConfig(path: string, env: Env, app: App, seenFirst: string | undefined): { reload(): void; stop(): void } {
  let seen = seenFirst;
  const reload = async () => {
    try {
      const stays = await app.reload(readConfig(readFileSync(path, 'utf8'), env));
      if (stays.length > 0) app.log.warn('these settings take effect after a restart', { settings: stays });
    } catch (error) {
      // The old configuration stays in force: a typo must neither open nor close the gate.
      app.log.error('the new configuration was rejected; the old one stays in effect', errorFields(error));
    }
  };
  const look = setInterval(() => {
    const now = stamp(path);
    if (now === seen || now === undefined) return;
    seen = now;
    void reload();
  }, limits.configLookEveryMs);
  look.unref();
  return {
    reload() {
      seen = stamp(path);
      void reload().then(() => app.refreshMetadata());
    },
    stop: () => clearInterval(look),
  };
}

function stamp(path: string): string | undefined {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return undefined;
  }
}
