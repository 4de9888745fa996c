import { afterAll, describe, expect, test } from 'vitest';
import { growthSizes } from '../../../../tools/growth.ts';
import { GrowthMeter } from './growth-meter.ts';
import { mainThread } from './main-thread.ts';

const meter = new GrowthMeter(120_000);
afterAll(() => meter.close());

describe.each([
  ['the hostile corpus and runs of every class, to 1 MiB', 'hostile', growthSizes],
  ['pairs of every two classes, to 64 kB', 'pairs', growthSizes.slice(0, 3)],
] as const)('%s', (_, texts, sizes) => {
  test.each(Object.keys(mainThread))('%s', async name => {
    expect(await meter.findGrown({ name, texts, sizes })).toEqual([]);
  });
});
