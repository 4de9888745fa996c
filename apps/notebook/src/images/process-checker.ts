import { FairLine, type Turn } from '../model/fair-line.ts';
import { CheckerProcess, type CheckerProcessLimits } from './checker-process.ts';
import type { ImageChecker, ImageVerdict } from './image-checker.ts';

export interface CheckerLimits extends Partial<CheckerProcessLimits> {
  /** What waiting files may hold together. Beyond it, whoever sent most is refused. */
  readonly waitingBytes?: number;
  readonly waitingFiles?: number;
}

interface Waiting extends Turn {
  readonly file: Uint8Array;
  readonly resolve: (verdict: ImageVerdict | 'busy') => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Checks files one after the other in a process of their own; one decoder at a time bounds the memory. Who used least of its time goes
 * first: a file of a kilobyte may hold 25 megapixels, so neither its size nor the number of files says what it costs.
 */
export function createImageChecker({
  waitingBytes = 32_000_000,
  waitingFiles = 64,
  ...limits
}: CheckerLimits = {}): ImageChecker {
  const checker = new CheckerProcess({ timeMillis: 20_000, memoryBytes: 400_000_000, idleMillis: 60_000, ...limits });
  const line = new FairLine<Waiting>({ maxTurns: waitingFiles, maxBytes: waitingBytes });
  let taken = false;
  let closed = false;
  const closedError = () => new Error('the image checker is closed');

  function next(): void {
    const waiting = taken || closed ? undefined : line.take();
    if (!waiting) return;
    taken = true;
    const started = performance.now();
    checker
      .check(waiting.file)
      .then(waiting.resolve, waiting.reject)
      .finally(() => {
        line.charge(waiting, performance.now() - started);
        taken = false;
        next();
      });
  }

  return {
    check: (file, client) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(closedError());
        const payers = client === undefined ? [] : [client];
        const leaving = line.add({ file, payers, background: false, bytes: taken ? file.length : 0, resolve, reject });
        for (const sentAway of leaving) sentAway.resolve('busy');
        next();
      }),
    async close() {
      closed = true;
      for (const waiting of line.clear()) waiting.reject(closedError());
      checker.close();
    },
  };
}
