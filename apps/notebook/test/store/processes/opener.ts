import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { createStore } from '../../../src/store/open-store.ts';

// Opens a new database at the same moment as the other threads do, again and again, and tells what went wrong.
const { meeting, folder, threads, rounds } = workerData as {
  meeting: Int32Array<SharedArrayBuffer>;
  folder: string;
  threads: number;
  rounds: number;
};
const [arrived, round] = [0, 1];

function meet(turn: number): void {
  if (Atomics.add(meeting, arrived, 1) < threads - 1) {
    Atomics.wait(meeting, round, turn);
    return;
  }
  Atomics.store(meeting, arrived, 0);
  Atomics.add(meeting, round, 1);
  Atomics.notify(meeting, round);
}

const faults: string[] = [];
for (let turn = 0; turn < rounds; turn++) {
  meet(turn);
  try {
    const store = createStore(`sqlite:${join(folder, `${turn}.db`)}`);
    await store.migrate();
    await store.getSecret('name', () => 'value');
    await store.close();
  } catch (error) {
    faults.push(String(error));
  }
}
parentPort?.postMessage(faults);
