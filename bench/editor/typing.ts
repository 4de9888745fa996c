import type { Page } from 'playwright-core';

export interface Typed {
  /** Milliseconds from each key press to the frame that shows its result. */
  readonly painted: readonly number[];
  /** The main thread's longest task meanwhile; browsers report those over 50 ms. */
  readonly longestTask: number;
}

/** Measures the next key presses. `shows` is where the change must appear; without it, the field itself counts. */
export async function watchKeys(page: Page, shows?: string): Promise<void> {
  await page.evaluate(selector => {
    const watch = { painted: [] as number[], longestTask: 0, waiting: 0 };
    Object.assign(window, { watch });
    new PerformanceObserver(list => {
      for (const { duration } of list.getEntries()) watch.longestTask = Math.max(watch.longestTask, duration);
    }).observe({ type: 'longtask' });
    const seen = (): void => {
      const pressed = watch.waiting;
      if (pressed === 0) return;
      watch.waiting = 0;
      // The task after the frame's own: by then the frame is with the compositor.
      requestAnimationFrame(() => setTimeout(() => watch.painted.push(performance.now() - pressed)));
    };
    document.addEventListener('beforeinput', event => (watch.waiting = event.timeStamp), true);
    if (selector === undefined) document.addEventListener('input', seen, true);
    else
      new MutationObserver(seen).observe(document.querySelector(selector)!, {
        childList: true,
        subtree: true,
        characterData: true,
      });
  }, shows);
}

export async function typeKeys(page: Page, count: number, pauseMillis = 60): Promise<Typed> {
  for (let key = 0; key < count; key += 1) {
    await page.keyboard.press('abcdefghij'[key % 10]!);
    await page.waitForFunction(done => (window as unknown as { watch: Typed }).watch.painted.length > done, key, {
      timeout: 60_000,
    });
    await page.waitForTimeout(pauseMillis);
  }
  return page.evaluate(() => (window as unknown as { watch: Typed }).watch);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
