import { setFlagsFromString } from 'node:v8';
import { findOwnProgram } from './own-program.ts';
import { watchService } from './watchdog/watch.ts';

// What this process makes (the database, its log, its backups) is nobody else's to read.
process.umask(0o077);
// A limit on the size of files (`ulimit -f`) is answered as a full disk is; unheard, the signal would end the process.
process.on('SIGXFSZ', () => {});

// Left to itself, V8 collects when the heap has doubled, and hardly counts the buffers of bodies and answers: under attack that was a third of
// the process's memory (`npm run bench silence`).
setFlagsFromString('--heap-growing-percent=40');
setFlagsFromString('--external-memory-accounted-in-global-limit');

watchService({
  program: findOwnProgram('service', import.meta.url),
  recorder: findOwnProgram('record-ending', import.meta.url),
});
