import { watchService } from '../../src/watchdog/watch.ts';

// In place of main.ts.
watchService({ program: new URL('./measured-thread.ts', import.meta.url), silentMillis: 600_000 });
