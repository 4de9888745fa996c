import { expect } from 'vitest';
import { renderBounds } from '../../src/markdown/bounds.ts';
import type { Renderer } from '../../src/markdown/rendered.ts';
import { forbiddenIn } from './forbidden.ts';

/** Shorter than in service: what matters is that a limit holds, not how patient it is. */
export const timeMillis = 400;
/** What starting a thread anew and handing 5 MB over may add, in processor time of the whole process: what others do does not count. */
const margin = 10_000;

function usedMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Bounded time, bounded output, and the process answers all the while. */
export async function expectBounded(renderer: Renderer, markdown: string): Promise<void> {
  let beats = 0;
  const heart = setInterval(() => {
    beats += 1;
  }, 20);
  const [started, usedBefore] = [performance.now(), usedMillis()];
  const { html, plain } = await renderer.render(markdown);
  const took = performance.now() - started;
  clearInterval(heart);
  expect(usedMillis() - usedBefore).toBeLessThan(timeMillis + margin);
  // At least every twentieth beat was heard; a blocked event loop hears none.
  expect(beats).toBeGreaterThanOrEqual(Math.floor(took / 400) - 1);
  expect(html.length).toBeLessThanOrEqual(plain ? markdown.length * 6 + 100 : renderBounds.outputChars);
  if (html.length < 200_000) expect(forbiddenIn(html)).toEqual([]);
}
