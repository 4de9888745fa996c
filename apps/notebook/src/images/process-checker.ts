import { CheckSeat, type SeatLimits } from './check-seat.ts';
import type { ImageChecker, ImageVerdict } from './image-checker.ts';

export interface CheckerLimits extends Partial<SeatLimits> {
  /** Files that may wait for their turn; one more is not taken. */
  readonly waiting?: number;
}

/** Checks files one after the other in a process of their own; one decoder at a time bounds the memory, and the queue the waiting. */
export function createImageChecker({ waiting = 16, ...limits }: CheckerLimits = {}): ImageChecker {
  const seat = new CheckSeat({ timeMillis: 20_000, memoryBytes: 400_000_000, idleMillis: 60_000, ...limits });
  let inLine = 0;
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;
  const checkNow = (file: Uint8Array): Promise<ImageVerdict> => {
    if (closed) throw new Error('the image checker is closed');
    return seat.check(file);
  };
  return {
    async check(file) {
      if (inLine > waiting) return 'busy';
      inLine += 1;
      const turn = last.then(() => checkNow(file));
      last = turn.catch(() => {});
      try {
        return await turn;
      } finally {
        inLine -= 1;
      }
    },
    async close() {
      closed = true;
      seat.close();
    },
  };
}
