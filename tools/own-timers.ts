import { vi } from 'vitest';

/**
 * Counts the timers that a module sets from now on, in a played clock. `vi.getTimerCount()` also counts those of what another test file of
 * the same worker left behind.
 * @param module the end of its path, such as `/src/wait.ts`
 * @returns how many of them are running
 */
export function countTimers(module: string): () => number {
  if (!vi.isFakeTimers()) throw new Error('Only timers of a played clock are counted.');
  const running = new Set<unknown>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  // Until the clock is real again, which takes these away with its own.
  Object.assign(globalThis, {
    setTimeout: (act: (...given: unknown[]) => void, millis?: number, ...given: unknown[]) => {
      const isOwn = new Error().stack?.includes(`${module}:`);
      const timer = set(() => {
        running.delete(timer);
        act(...given);
      }, millis);
      if (isOwn) running.add(timer);
      return timer;
    },
    clearTimeout: (timer: NodeJS.Timeout | undefined) => {
      running.delete(timer);
      clear(timer);
    },
  });
  return () => running.size;
}
