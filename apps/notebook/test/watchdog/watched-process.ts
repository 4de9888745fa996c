import { watchService } from '../../src/watchdog/watch.ts';

// In place of main.ts: another service, less longWait.
const [silentMillis, stopMillis] = process.argv.slice(2).map(Number);
watchService({
  program: new URL('./blocking-service.ts', import.meta.url),
  silentMillis: silentMillis!,
  stopMillis: stopMillis!,
});
