import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Fastify from 'fastify';
import { Pulse } from '../../src/watchdog/pulse.ts';
import { trackRequests } from '../../src/watchdog/track-requests.ts';
import type { ServiceData } from '../../src/watchdog/watch.ts';

const never = new Int32Array(new SharedArrayBuffer(4));

// A service whose routes keep its thread busy. The watchdog around it is the real one.
const work: Record<string, () => unknown> = {
  script: () => {
    for (;;);
  },
  // Native code, which nothing interrupts: its time grows with the square of a run of marks.
  native: () => `a${'\u0301\u0316'.repeat(2_000_000)}`.normalize('NFC'),
  // As silent as a loop, without taking a core from other tests.
  waiting: () => Atomics.wait(never, 0, 0),
  // Longer than the watchdog's longWait in all, but never at once.
  portions: async () => {
    for (let portion = 0; portion < 8; portion++) {
      Atomics.wait(never, 0, 0, 400);
      await new Promise(resolve => setImmediate(resolve));
    }
  },
  nothing: () => {},
};

const app = Fastify();
const pulse = new Pulse((workerData as ServiceData).pulse, (route, name) =>
  parentPort!.postMessage({ kind: 'route', route, name }),
);
pulse.start();
trackRequests(app, pulse);
app.get('/work/:kind/:slug', async request => {
  // At once: soon this thread says nothing more.
  writeSync(1, 'working\n');
  await work[(request.params as { kind: string }).kind]!();
  return 'done';
});
const address = await app.listen({ host: '127.0.0.1', port: 0 });
parentPort!.once('message', () => app.close().then(() => process.exit(0)));
parentPort!.postMessage({ kind: 'listening' });
process.stdout.write(`listening on ${address}\n`);
