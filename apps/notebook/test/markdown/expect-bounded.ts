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
  expect(depthOf(html)).toBeLessThan(browsersDepth);
  if (html.length < 200_000) expect(forbiddenIn(html)).toEqual([]);
}

/** Blink and WebKit put what is deeper beside it instead. */
const browsersDepth = 512;

function depthOf(html: string): number {
  let [depth, deepest] = [0, 0];
  for (const [tag] of html.matchAll(/<\/?(?!(?:br|col|hr|img|input|source|wbr)\b)[a-z]/g)) {
    depth += tag.startsWith('</') ? -1 : 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
