/** In characters: 4 kB to 1 MiB, each four times the one before. */
export const growthSizes = [4_096, 16_384, 65_536, 262_144, 1_048_576] as const;

/** Below this time growth is not checked: a garbage collection adds as much, and nobody notices it. */
const lowestFloorMillis = 50;
/** How much fresh memory work on a mebibyte of text takes from the system. */
const freshBytes = 16_777_216;
const pageBytes = 4_096;
/** For 4 times the text, linear work takes 4 times as long, quadratic work 16 times. */
const mostGrowth = 10;

/** Processor time of this thread, so that other work on the machine does not count. */
function usedMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function once(run: () => unknown): number {
  const started = usedMillis();
  run();
  return usedMillis() - started;
}

let floor: number | undefined;

/**
 * A page of fresh memory costs a quarter of a microsecond on most machines but 20 on some virtual ones, where that alone looks
 * like growth.
 */
function floorMillis(): number {
  floor ??= lowestFloorMillis + once(touchFreshMemory);
  return floor;
}

function touchFreshMemory(): void {
  const fresh = Buffer.allocUnsafeSlow(freshBytes);
  for (let at = 0; at < freshBytes; at += pageBytes) fresh[at] = 1;
}

/** The shortest of several tries, because caches that others emptied only add time. Slow work is tried twice. */
function shortest(run: () => unknown, enoughMillis: number): number {
  let best = Number.POSITIVE_INFINITY;
  const began = performance.now();
  for (let tries = 0; tries < 2 || (tries < 10 && performance.now() - began < enoughMillis); tries++) {
    best = Math.min(best, once(run));
  }
  return best;
}

/**
 * The same for asynchronous work, measured while nothing else runs in this process.
 * @param sizes each four times the one before
 */
export async function findFasterGrowthLater(
  run: (size: number) => Promise<() => Promise<unknown>>,
  sizes: readonly number[],
): Promise<string | undefined> {
  let before = Number.POSITIVE_INFINITY;
  for (const size of sizes) {
    const work = await run(size);
    let best = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 5; tries += 1) {
      const started = usedMillis();
      await work();
      best = Math.min(best, usedMillis() - started);
      if (best <= floorMillis() || best <= mostGrowth * before) break;
    }
    if (best > floorMillis() && best > mostGrowth * before)
      return `size ${size} took ${best.toFixed(1)} ms, a quarter of it ${before.toFixed(1)} ms`;
    before = Math.max(best, 0.5);
  }
  return undefined;
}

/**
 * Runs a function on texts of growing size, and stops at the first size whose work grew much more than the text. So a quadratic
 * function fails in a second, long before a mebibyte would take minutes.
 * @returns what grew, as a sentence; undefined when the work grows in proportion
 */
export function findFasterGrowth(
  run: (text: string) => unknown,
  make: (chars: number) => string,
  sizes: readonly number[] = growthSizes,
): string | undefined {
  let quarter: string | undefined;
  for (const chars of sizes) {
    const text = make(chars);
    const measure = (enoughMillis: number) => shortest(() => run(text), enoughMillis);
    // Most work stays below the floor, so one measurement is enough.
    if (quarter !== undefined && once(() => run(text)) > floorMillis()) {
      const before = millisOf(run, quarter);
      const grew = (millis: number) => millis > floorMillis() && millis > mostGrowth * before;
      let millis = measure(2);
      // Measured again, in case other work on the machine was the reason.
      if (grew(millis)) millis = Math.min(millis, measure(300));
      if (grew(millis)) return `${chars} characters took ${millis.toFixed(1)} ms, a quarter of them ${before.toFixed(1)} ms`;
    }
    quarter = text;
  }
  return undefined;
}

/** Below half a millisecond, the clock and the compiler count for more than the text. */
const millisOf = (run: (text: string) => unknown, text: string) =>
  Math.max(
    shortest(() => run(text), 2),
    0.5,
  );
