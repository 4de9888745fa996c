import { findOwnProgram } from './own-program.ts';
import { watchService } from './watchdog/watch.ts';

// What this process makes (the database, its log, its backups) is nobody else's to read.
process.umask(0o077);
// A limit on the size of files (`ulimit -f`) is answered as a full disk is; unheard, the signal would end the process.
process.on('SIGXFSZ', () => {});

watchService({
  program: findOwnProgram('service', import.meta.url),
  recorder: findOwnProgram('record-ending', import.meta.url),
});
