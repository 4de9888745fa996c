import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { ConfigError, readConfig } from './config.ts';
import { findOwnProgram } from './own-program.ts';
import { supervise } from './watchdog/supervise.ts';
import { watchService } from './watchdog/watch.ts';

// What this process makes (the database, its log, its backups) is nobody else's to read.
process.umask(0o077);
// A limit on the size of files (`ulimit -f`) is answered as a full disk is; unheard, the signal would end the process.
process.on('SIGXFSZ', () => {});

// The next start finds the program compiled, in a folder beside it; where none can be written it compiles again. The service's thread is
// told by the variable.
if (import.meta.url.endsWith('.js')) {
  const folder = fileURLToPath(new URL('compiled', import.meta.url));
  enableCompileCache(folder);
  process.env.NODE_COMPILE_CACHE ??= folder;
}

/**
 * Left to itself, V8 collects when the heap has doubled, and hardly counts the buffers of bodies and answers: under attack that was a third of
 * the process's memory (`npm run bench silence`). A start only grows, and collecting then was a tenth of it.
 */
function collectEarly(): void {
  setFlagsFromString('--heap-growing-percent=40');
  setFlagsFromString('--external-memory-accounted-in-global-limit');
}

/** `--worker=1 --listen-fd=3`: one of several, started by the process that supervises them. */
function readPlace(args: readonly string[]): { number: number; fd: number } | undefined {
  const numberOf = (name: string) => args.find(arg => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const [number, fd] = [numberOf('worker'), numberOf('listen-fd')];
  return number === undefined || fd === undefined ? undefined : { number: Number(number), fd: Number(fd) };
}

/** A configuration with faults is for the service to refuse. */
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
