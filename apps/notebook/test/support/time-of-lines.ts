import type { Locator } from 'playwright-core';

/**
 * Puts so many lines into a text field of Chromium, unseen by our scripts.
 * @returns how long its page's thread worked on them, in seconds of processor time
 */
export async function timeOfLines(field: Locator): Promise<(lines: number) => Promise<number>> {
  const devtools = await field.page().context().newCDPSession(field.page());
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
  return async lines => {
    const before = await spent();
    await field.evaluate((element, count) => {
      (element as HTMLTextAreaElement).value = 'e\n'.repeat(count);
      return new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }, lines);
    return (await spent()) - before;
  };
}
