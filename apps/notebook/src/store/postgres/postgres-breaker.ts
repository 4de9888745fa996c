import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../database-unavailable.ts';

export interface BreakerOptions {
  /** Work that takes longer than this makes us probe the server. */
  readonly suspectAfterMs: number;
  readonly betweenProbesMs: number;
}

export interface Breaker {
  /** Runs the work. While the server is silent, it throws `DatabaseUnavailable` at once. `changes`: the work may have changed something. */
  run<Result>(work: () => Promise<Result>, changes: boolean): Promise<Result>;
  close(): void;
}

/**
 * A server that was stopped, or a network that drops packets, leaves every connection open and answers nothing: each request would wait for
 * its whole timeout, and those behind it for a connection. So the first slow request sends a probe on its own connection. When that gets no
 * answer either, every request fails at once until a probe comes back.
 * @param probe rejects when the server does not answer
 */
export function createBreaker(probe: () => Promise<void>, { suspectAfterMs, betweenProbesMs }: BreakerOptions): Breaker {
  const waiting = new Set<(cause: unknown) => void>();
  let down: { readonly cause: unknown } | undefined;
  let probing = false;
  let closed = false;

  async function suspect(): Promise<void> {
    if (probing) return;
    probing = true;
    for (;;) {
      const fault = await probe().then(
        () => undefined,
        (cause: unknown) => ({ cause }),
      );
      down = closed ? undefined : fault;
      if (!down) break;
      for (const tell of waiting) tell(down.cause);
      await sleep(betweenProbesMs, undefined, { ref: false });
    }
    probing = false;
  }

  return {
    async run(work, changes) {
      if (down) throw new DatabaseUnavailable(down.cause);
      const timer = setTimeout(() => void suspect(), suspectAfterMs);
      timer.unref();
      let tell: ((cause: unknown) => void) | undefined;
      const silence = new Promise<never>((_, reject) => {
        tell = cause => reject(new DatabaseUnavailable(cause, changes));
        waiting.add(tell);
      });
      try {
        return await Promise.race([work(), silence]);
      } finally {
        clearTimeout(timer);
        if (tell) waiting.delete(tell);
      }
    },
    close() {
      closed = true;
    },
  };
}
