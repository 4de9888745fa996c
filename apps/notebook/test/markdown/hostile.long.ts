import { afterAll, describe, test } from 'vitest';
import { createRenderer } from '../../src/markdown/renderer.ts';
import { expectBounded, timeMillis } from './expect-bounded.ts';
import { hostileInputs } from './hostile-inputs.ts';

const renderer = createRenderer({ timeMillis, threads: 2 });
afterAll(() => renderer.close());

describe.each([200_000, 1_000_000])('every kind of hostile text, %i characters', size => {
  test.each(hostileInputs)('%s', async (_, make) => {
    await expectBounded(renderer, make(size));
  });
});
