import { parentPort } from 'node:worker_threads';
import { DatabaseUnavailable } from './database-unavailable.ts';
import type { Failed, ThreadAnswer } from './store-thread.ts';

interface Servant<Order> {
  obey(order: Order): unknown;
  /** Called for every order that arrives. */
  begin?(): void;
  answered?(): void;
  close(): void | Promise<void>;
}

/** The other end of a `StoreThread`: runs one order after the other until it is told to end. */
export function serveOrders<Order>({ obey, begin, answered, close }: Servant<Order>): void {
  const port = parentPort!;
  let last: Promise<void> = Promise.resolve();

  async function answer(number: number, order: Order): Promise<ThreadAnswer> {
    try {
      return { number, result: await obey(order) };
    } catch (error) {
      return { number, failed: tell(error) };
    }
  }

  async function serve(number: number, order: Order | 'end'): Promise<void> {
    if (order === 'end') {
      await close();
      port.close();
      return;
    }
    port.postMessage(await answer(number, order));
    answered?.();
  }

  port.on('message', ({ number, order }: { number: number; order: Order | 'end' }) => {
    begin?.();
    last = last.then(() => serve(number, order));
  });
}

function tell(error: unknown): Failed {
  const known = error as Failed & { cause?: Failed };
  // For an outage, send SQLite's own error: the other side recognizes it by its code.
  const isUnavailable = error instanceof DatabaseUnavailable;
  const told = known.cause?.errcode !== undefined || (isUnavailable && known.cause instanceof Error);
  const { message, errcode, lostIndex } = known.lostIndex === undefined && told ? known.cause! : known;
  return { message, errcode, lostIndex, ...(isUnavailable && { uncertain: error.uncertain }) };
}
