import sharp from 'sharp';
import { expect, it } from 'vitest';
import { createImageChecker } from '../../src/images/process-checker.ts';
import { peakMegabytes, pidOf } from './child-pids.ts';
import { hostileFiles } from './hostile-files.ts';
import { aPicture } from './pictures.ts';

const [width, height] = [6_250, 4_000];

it.skipIf(process.platform === 'linux' ? undefined : 'only Linux tells the memory of a process')(
  'the largest pictures there may be, and every hostile one, take no more than 600 MB',
  { timeout: 300_000 },
  async () => {
    // One process for all of them, whatever it grows to.
    const checker = createImageChecker({ memoryBytes: 4_000_000_000, timeMillis: 120_000 });
    const pid = await pidOf(async () => checker.check(await aPicture('png')));
    for (const [, , file] of await hostileFiles()) expect(await checker.check(file)).toHaveProperty('fault');
    console.log(`the process that checks images, after the hostile files: ${Math.round(peakMegabytes(pid))} MB at most`);
    const largest = sharp({ create: { width, height, channels: 3, background: '#345' } });
    for (const format of ['png', 'jpeg', 'webp', 'avif'] as const) {
      const file = await largest
        .clone()
        .toFormat(format, format === 'jpeg' ? { progressive: true } : { effort: 1 })
        .toBuffer();
      const started = performance.now();
      expect(await checker.check(file)).toMatchObject({ type: format, width, height });
      const took = Math.round(performance.now() - started);
      console.log(`${format}, ${width} x ${height}: ${took} ms, ${Math.round(peakMegabytes(pid))} MB at most so far`);
    }
    expect(peakMegabytes(pid)).toBeLessThan(600);
    await checker.close();
  },
);
