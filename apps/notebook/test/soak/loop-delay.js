import { writeFileSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';
import { threadId } from 'node:worker_threads';

// Loaded before the program (`--import`), in each of its threads; the first one answers requests. How long its event loop keeps a timer
// waiting goes into the file LOOP_DELAY_FILE, in milliseconds.
const lookMillis = 10;
const writeMillis = 5_000;

if (threadId === 1 && process.env.LOOP_DELAY_FILE) {
  const delays = createHistogram();
  let due = performance.now() + lookMillis;
  const look = () => {
    const now = performance.now();
    delays.record(Math.max(1, Math.round((now - due) * 1_000)));
    due = now + lookMillis;
    setTimeout(look, lookMillis).unref();
  };
  setTimeout(look, lookMillis).unref();
  setInterval(() => {
    const at = share => delays.percentile(share) / 1_000;
    writeFileSync(process.env.LOOP_DELAY_FILE, JSON.stringify({ p50: at(50), p99: at(99), most: delays.max / 1_000 }));
  }, writeMillis).unref();
}
