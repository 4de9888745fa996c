/** Characters: 4 kB to 1 MiB, each four times the one before. */
export const growthSizes = [4_096, 16_384, 65_536, 262_144, 1_048_576] as const;

/** Below it nothing is judged: no clock and no scheduler is that exact, and nobody waits for it. */
const floorMillis = 10;
/** What is linear takes 4 times as long for 4 times the text, what is quadratic 16 times. */
const mostGrowth = 10;
const mostGrowthOfTwo = 64;

/** The shortest of some tries: others on the machine only ever add. */
function shortest(run: () => unknown, tries: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let at = 0; at < tries && (at === 0 || best > floorMillis / 10); at++) {
    const started = performance.now();
    run();
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

/**
 * Runs a function on a text at growing sizes, and stops at the first size whose work grew much more than the text. So a quadratic
 * function fails in milliseconds, long before a mebibyte would take it minutes.
 * @returns what grew, as a sentence; undefined when the work stays in proportion
 */
export function findFasterGrowth(
  run: (text: string) => unknown,
  make: (chars: number) => string,
  sizes: readonly number[] = growthSizes,
): string | undefined {
  const took: number[] = [];
  for (const [step, chars] of sizes.entries()) {
    const text = make(chars);
    const measure = (tries: number) => shortest(() => run(text), tries);
    const grewTooMuch = (millis: number) =>
      millis > floorMillis &&
      step > 0 &&
      (millis > mostGrowth * Math.max(took[step - 1]!, 1) || millis > mostGrowthOfTwo * Math.max(took[step - 2] ?? millis, 1));
    let millis = measure(2);
    for (let again = 0; again < 3 && grewTooMuch(millis); again++) millis = Math.min(millis, measure(2));
    if (grewTooMuch(millis))
      return `${chars} characters took ${millis.toFixed(1)} ms, ${sizes[step - 1]} took ${took[step - 1]!.toFixed(1)} ms`;
    took.push(millis);
  }
  return undefined;
}
