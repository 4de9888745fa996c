import type { ImageChecker, ImageVerdict } from './image-checker.ts';
import { type ProcessLimits, TaskProcess } from './task-process.ts';
import { TaskQueue } from './task-queue.ts';

export interface CheckerLimits extends Partial<ProcessLimits> {
  /** The limit for all waiting files together. Past it, a file of the client that sent most is refused. */
  readonly waitingBytes?: number;
  readonly waitingFiles?: number;
}

const faults = {
  'too slow': 'The file takes too long to decode.',
  // A decoder that crashes ends only its own process.
  crashed: 'The file has damaged pixels.',
} as const;

/**
 * Checks files one after the other in a separate process; a single decoder at a time limits the memory. The client that used least of its
 * time goes first: a file of a kilobyte may contain 25 megapixels, so neither its size nor the number of files tells the cost.
 */
export function createImageChecker({
  waitingBytes = 32_000_000,
  waitingFiles = 64,
  ...limits
}: CheckerLimits = {}): ImageChecker {
  const bounds = { timeMillis: 20_000, memoryBytes: 400_000_000, idleMillis: 60_000, ...limits };
  const line = new TaskQueue(new TaskProcess<Uint8Array, ImageVerdict>({ name: 'check-process' }, bounds), {
    waitingBytes,
    waitingTasks: waitingFiles,
  });
  return {
    async check(file, client) {
      const verdict = await line.run(file, file.length, client);
      return verdict === 'too slow' || verdict === 'crashed' ? { fault: faults[verdict] } : verdict;
    },
    close: async () => line.close(),
  };
}
