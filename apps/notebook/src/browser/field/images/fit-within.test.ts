import fc from 'fast-check';
import { expect, it } from 'vitest';
import { limits } from '../../../limits.ts';
import { fitWithin, stepsDown } from './fit-within.ts';

it.each([
  [4000, 3000, 1600, 1200],
  [3000, 4000, 1200, 1600],
  [1601, 10, 1600, 10],
  [1600, 1600, 1600, 1600],
  [64, 48, 64, 48],
  [40_000, 3, 1600, 1],
])('%i×%i becomes %i×%i', (width, height, fitWidth, fitHeight) => {
  expect(fitWithin({ width, height }, limits.maxImageEdgePixels)).toEqual({ width: fitWidth, height: fitHeight });
});

/** Failures that random sizes found earlier. */
const counterexamples: [number, number][] = [[12_815, 1_607]];

it('steps only ever go down, by no more than half, and end at the target', () => {
  const edge = fc.integer({ min: 1, max: 20_000 });
  fc.assert(
    fc.property(edge, edge, (width, height) => {
      const target = fitWithin({ width, height }, 1600);
      const steps = stepsDown({ width, height }, target);
      expect(steps.at(-1)).toEqual(target);
      expect(Math.max(target.width, target.height)).toBeLessThanOrEqual(1600);
      let before = { width, height };
      for (const step of steps) {
        expect(step.width).toBeLessThanOrEqual(before.width);
        expect(step.height).toBeLessThanOrEqual(before.height);
        expect(step.width * 2).toBeGreaterThanOrEqual(before.width);
        expect(step.height * 2).toBeGreaterThanOrEqual(before.height);
        before = step;
      }
    }),
    { examples: counterexamples, numRuns: 1_000 },
  );
});
