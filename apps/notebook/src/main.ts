import { existsSync } from 'node:fs';
import { watchService } from './watchdog/watch.ts';

// What this process makes (the database, its log, its backups) is nobody else's to read.
process.umask(0o077);
// A limit on the size of files (`ulimit -f`) is answered as a full disk is; unheard, the signal would end the process.
process.on('SIGXFSZ', () => {});

/** Beside us as source, or beside the bundle that we became part of. */
function findProgram(name: string): URL {
  const programs = [`./${name}.ts`, `./${name}.js`].map(file => new URL(file, import.meta.url));
  return programs.find(url => existsSync(url)) ?? programs[0]!;
}

watchService({ program: findProgram('service'), recorder: findProgram('record-ending') });
