import { parentPort } from 'node:worker_threads';
import { DatabaseUnavailable } from './database-unavailable.ts';
import type { ThreadAnswer, ThreadFailure } from './store-thread.ts';

interface RequestHandlers<Request> {
  handle(request: Request): unknown;
  /** Called for every request that arrives. */
  onArrival?(): void;
  onAnswered?(): void;
  close(): void | Promise<void>;
}

/** The other end of a `StoreThread`: runs one request after the other until it is told to end. */
export function serveRequests<Request>({ handle, onArrival, onAnswered, close }: RequestHandlers<Request>): void {
  const port = parentPort!;
  let last: Promise<void> = Promise.resolve();

  async function answer(number: number, request: Request): Promise<ThreadAnswer> {
    try {
      return { number, result: await handle(request) };
    } catch (error) {
      return { number, failed: toFailure(error) };
    }
  }

  async function serve(number: number, request: Request | 'end'): Promise<void> {
    if (request === 'end') {
      await close();
      port.close();
      return;
    }
    port.postMessage(await answer(number, request));
    onAnswered?.();
  }

  port.on('message', ({ number, request }: { number: number; request: Request | 'end' }) => {
    onArrival?.();
    last = last.then(() => serve(number, request));
  });
}

function toFailure(error: unknown): ThreadFailure {
  const known = error as ThreadFailure & { cause?: ThreadFailure };
  // For an outage, send SQLite's own error: the other side recognizes it by its code.
  const isUnavailable = error instanceof DatabaseUnavailable;
  const told = known.cause?.errcode !== undefined || (isUnavailable && known.cause instanceof Error);
  const { message, errcode, lostIndex } = known.lostIndex === undefined && told ? known.cause! : known;
  return { message, errcode, lostIndex, ...(isUnavailable && { uncertain: error.uncertain }) };
}
