import { describe, expect, test } from 'vitest';
import { growthSizes } from '../../../../tools/growth.ts';
import { findGrown } from './find-grown.ts';
import { hostileTexts, pairs } from './hostile-texts.ts';
import { mainThread } from './main-thread.ts';

describe.each([
  ['the hostile corpus and runs of every class, to 1 MiB', hostileTexts, growthSizes],
  ['pairs of every two classes, to 64 kB', pairs, growthSizes.slice(0, 3)],
] as const)('%s', (_, texts, sizes) => {
  test.each(Object.entries(mainThread))('%s', (_, run) => {
    expect(findGrown(run, texts, sizes)).toEqual([]);
  });
});
