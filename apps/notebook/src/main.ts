import './required-node.ts';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { ConfigError, readConfig } from './config.ts';
import { findOwnProgram } from './own-program.ts';
import { supervise } from './watchdog/supervise.ts';
import { type WorkerPlace, watchService } from './watchdog/watch.ts';

// Nobody else may read what this process creates (the database, its log, its backups).
process.umask(0o077);
// A file size limit (`ulimit -f`) is handled like a full disk; without a listener, the signal would end the process.
process.on('SIGXFSZ', () => {});

// The next start finds the compiled program in a folder beside it; if that cannot be written, it compiles again. The variable tells the
// service's thread.
if (import.meta.url.endsWith('.js')) {
  const folder = fileURLToPath(new URL('compiled', import.meta.url));
  enableCompileCache(folder);
  process.env.NODE_COMPILE_CACHE ??= folder;
}

/**
 * By default, V8 collects garbage when the heap has doubled, and hardly counts the buffers of bodies and answers: under attack that was a
 * third of the process's memory (`npm run bench silence`). During a start the heap only grows, and collecting then took a tenth of it.
 */
function collectEarly(): void {
  setFlagsFromString('--heap-growing-percent=40');
  setFlagsFromString('--external-memory-accounted-in-global-limit');
}

/** `--worker=1 --listen-fds=3,4`: one of several processes, started by their supervisor. */
function readPlace(args: readonly string[]): WorkerPlace | undefined {
  const textOf = (name: string) => args.find(arg => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const [number, fds] = [textOf('worker'), textOf('listen-fds')];
  return number === undefined || fds === undefined ? undefined : { number: Number(number), fds: fds.split(',').map(Number) };
}

/** The service itself refuses a faulty configuration. */
function readSupervised() {
  try {
    const { workers, host, port, publicUrl } = readConfig(process.env);
    return workers > 1 ? { workers, host, port, publicUrl } : undefined;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

const place = readPlace(process.argv);
const supervised = place ? undefined : readSupervised();

if (supervised) {
  supervise({ ...supervised, env: process.env, program: fileURLToPath(findOwnProgram('main', import.meta.url)) }).catch(
    (error: Error) => {
      process.stderr.write(`Octavo cannot start: ${error.message}\n`, () => process.exit(1));
    },
  );
} else {
  watchService({
    program: findOwnProgram('service', import.meta.url),
    recorder: findOwnProgram('record-ending', import.meta.url),
    place,
    onListening: collectEarly,
  });
}
