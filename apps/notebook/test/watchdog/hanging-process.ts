import { watchService } from '../../src/watchdog/watch.ts';

// In place of main.ts: the built service and its recorder, one flaw, less longWait.
watchService({
  program: new URL('./hanging-service.ts', import.meta.url),
  recorder: new URL('../../dist/server/record-ending.js', import.meta.url),
  silentMillis: Number(process.argv[2]),
  stopMillis: Number(process.argv[3]),
});
