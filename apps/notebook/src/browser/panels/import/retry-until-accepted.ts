import { ApiProblem } from '../../api/api-client.ts';
import { retryAfterMillis, waitEndWords } from '../../api/retry-after.ts';

export interface Waiting {
  readonly onTry: () => void;
  /** @param end `in 20 seconds`, `at 10:42` */
  readonly onWait: (end: string) => void;
  readonly signal: AbortSignal;
}

/** The person stopped the import. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
  constructor() {
    super('You stopped it.');
  }
}

/**
 * Repeats the work as long as the service only asks to wait (429, or 503 with Retry-After): a rate limit of pages per ten minutes is no
 * reason to give up an import.
 * @throws Stopped, and every other refusal
 */
export async function retryUntilAccepted<Value>(work: () => Promise<Value>, { onTry, onWait, signal }: Waiting): Promise<Value> {
  for (;;) {
    if (signal.aborted) throw new Stopped();
    onTry();
    try {
      return await work();
    } catch (problem) {
      const millis = problem instanceof ApiProblem && [429, 503].includes(problem.status) ? retryAfterMillis(problem) : 0;
      if (millis === 0) throw problem;
      onWait(waitEndWords(millis, Date.now()));
      await delay(millis, signal);
    }
  }
}

/** @throws Stopped */
function delay(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new Stopped());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, millis);
    signal.addEventListener('abort', stop, { once: true });
  });
}
