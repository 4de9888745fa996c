/** Resolves when the browser has drawn and has nothing else to do, at the latest after this time. Safari doesn't tell: there it is soon. */
export function whenIdle(mostMilliseconds: number): Promise<void> {
  return new Promise(resolve => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: mostMilliseconds });
    else setTimeout(resolve, Math.min(mostMilliseconds, 200));
  });
}
