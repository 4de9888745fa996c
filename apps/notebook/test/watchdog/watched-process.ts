import { watchService } from '../../src/watchdog/watch.ts';

// In place of main.ts: another service, less longWait.
const [program, silentMillis, stopMillis] = process.argv.slice(2);
watchService({ program: new URL(program!), silentMillis: Number(silentMillis), stopMillis: Number(stopMillis) });
