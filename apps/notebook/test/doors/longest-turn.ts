/** Processor time of this thread: what others on the machine take does not count. */
function usedMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

export interface LongestTurn {
  /** Since the last look, in milliseconds of processor time: for so long nobody else was answered. */
  take(): number;
  stop(): void;
}

/** Looks at every turn of the event loop how long the one before it was worked. */
export function watchTurns(): LongestTurn {
  let before = usedMillis();
  let longest = 0;
  const look = () => {
    const now = usedMillis();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, 1);
  return {
    take() {
      look();
      const taken = longest;
      longest = 0;
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}

/** What a linear look at as many characters takes here and now: one decode, one fold, one JSON of it. */
export function referenceMillis(chars: number): number {
  const text = 'a é\n'.repeat(chars / 4);
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5; tries++) {
    const started = usedMillis();
    JSON.parse(Buffer.from(JSON.stringify({ text })).toString());
    text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ');
    best = Math.min(best, usedMillis() - started);
  }
  return Math.max(best, 0.5);
}
