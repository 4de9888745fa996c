import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRunner } from '../../src/jobs/runner.ts';
import { createStore } from '../../src/store/open-store.ts';

// One process of several: each line on its input is a time of the schedule, and how far the process's clock is ahead; each run it does is
// a line in the file of runs.
const [databaseUrl = '', runsFile = '', mode = 'finish'] = process.argv.slice(2);
const store = createStore(databaseUrl);
await store.migrate();

let [due, aheadMs] = [0, 0];
const times = { latest: () => due, next: () => due + 1 };
const run = async () => {
  appendFileSync(runsFile, `${due} ${process.pid}\n`);
  if (mode === 'hang') await new Promise(() => {});
  await sleep(5);
  return 'did it';
};
const silent = { info: () => {}, error: () => {} };
const parts = { store, now: () => Date.now() + aheadMs, randomBytes: (size: number) => randomBytes(size) };
const runner = createRunner(parts, [{ name: 'counted', times, run }], silent, { leaseMs: 60_000 });

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  [due, aheadMs] = line.split(' ').map(Number) as [number, number];
  const ran = await runner.check();
  process.stdout.write(`${JSON.stringify({ due, ran: ran.length })}\n`);
}
await store.close();
