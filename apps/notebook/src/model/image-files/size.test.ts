import { expect, it } from 'vitest';
import { requireFrames, requireSize } from './size.ts';

it.each([
  [16_384, 1, undefined],
  [1, 16_384, undefined],
  [5_000, 5_000, undefined],
  [1, 1, undefined],
  [16_385, 1, 'has too long an edge'],
  [1, 16_385, 'has too long an edge'],
  [5_001, 5_000, 'has too many pixels'],
  [0, 1, 'has no pixels'],
  [1, 0, 'has no pixels'],
])('%d × %d pixels: %s', (width, height, fault) => {
  if (fault === undefined) expect(() => requireSize(width, height)).not.toThrow();
  else expect(() => requireSize(width, height)).toThrow(fault);
});

it.each([
  [1_000, 1, 1, undefined],
  [20, 5_000, 2_000, undefined],
  [1_001, 1, 1, 'has too many frames'],
  [21, 5_000, 2_000, 'has too many pixels in its frames'],
])('%d frames of %d × %d: %s', (frames, width, height, fault) => {
  if (fault === undefined) expect(() => requireFrames(frames, width, height)).not.toThrow();
  else expect(() => requireFrames(frames, width, height)).toThrow(fault);
});
