import { CheckSeat, type SeatLimits } from './check-seat.ts';
import type { ImageChecker, ImageVerdict } from './image-checker.ts';

export interface CheckerLimits extends Partial<SeatLimits> {
  /** Of the files that wait for their turn; while there are more, none is taken. */
  readonly waitingBytes?: number;
}

/** Checks files one after the other in a process of their own; one decoder at a time bounds the memory, and the queue the waiting. */
export function createImageChecker({ waitingBytes = 64_000_000, ...limits }: CheckerLimits = {}): ImageChecker {
  const seat = new CheckSeat({ timeMillis: 20_000, memoryBytes: 400_000_000, idleMillis: 60_000, ...limits });
  let bytesInLine = 0;
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;
  const checkNow = (file: Uint8Array): Promise<ImageVerdict> => {
    if (closed) throw new Error('the image checker is closed');
    return seat.check(file);
  };
  return {
    async check(file) {
      if (bytesInLine > waitingBytes) return 'busy';
      bytesInLine += file.length;
      const turn = last.then(() => checkNow(file));
      last = turn.catch(() => {});
      try {
        return await turn;
      } finally {
        bytesInLine -= file.length;
      }
    },
    async close() {
      closed = true;
      seat.close();
    },
  };
}
