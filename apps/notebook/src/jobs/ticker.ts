/** Work that every process repeats for itself. */
export interface Ticker {
  start(): void;
  /** Ends the round under way and resolves when nothing runs any more. */
  stop(): Promise<void>;
}

/**
 * Runs a round at once and then one after each pause, never two at a time. An error in a round is reported, and the next round still runs.
 */
export function createTicker(
  pauseMs: number,
  round: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): Ticker {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();

  const tick = () => {
    underWay = round(stopping.signal)
      .catch(error => stopping.signal.aborted || onError(error))
      .then(() => {
        if (stopping.signal.aborted) return;
        timer = setTimeout(tick, pauseMs);
        timer.unref();
      });
  };
  return {
    start: tick,
    async stop() {
      stopping.abort(new Error('the service is stopping'));
      clearTimeout(timer);
      await underWay;
    },
  };
}
