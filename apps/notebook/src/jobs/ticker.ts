/** Work that every process repeats for itself. */
export interface Ticker {
  start(): void;
  /** Ends the round under way and resolves when nothing runs any more. */
  stop(): Promise<void>;
}

/** An outage lasts for many rounds. A line for each would fill the log, perhaps on the same full disk. */
const reportMs = 60_000;

/** A starting process answers its first requests before it repeats work that others may do as well. */
const firstMs = 250;

/**
 * Runs the first round shortly after the start and then one after each pause, never two at a time. An error in a round is reported, and
 * the next round still runs.
 * @param onError called at most once a minute, with how many more rounds have failed since the last call
 */
export function createTicker(
  pauseMs: number,
  round: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown, more: number) => void,
): Ticker {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();
  let reportedAt = Number.NEGATIVE_INFINITY;
  let more = 0;

  function report(error: unknown): void {
    if (stopping.signal.aborted) return;
    const now = performance.now();
    if (now - reportedAt < reportMs) {
      more += 1;
      return;
    }
    onError(error, more);
    reportedAt = now;
    more = 0;
  }

  const wait = (millis: number) => {
    timer = setTimeout(tick, millis);
    timer.unref();
  };
  const tick = () => {
    underWay = round(stopping.signal)
      .catch(report)
      .then(() => {
        if (!stopping.signal.aborted) wait(pauseMs);
      });
  };
  return {
    start: () => wait(Math.min(firstMs, pauseMs)),
    async stop() {
      stopping.abort(new Error('the service is stopping'));
      clearTimeout(timer);
      await underWay;
    },
  };
}
