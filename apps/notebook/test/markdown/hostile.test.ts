// Too slow for the quick tests: hostile texts run into the time limits of real workers.
import { afterAll, describe, expect, test } from 'vitest';
import { createRenderer } from '../../src/markdown/renderer.ts';
import { expectBounded, timeMillis } from './expect-bounded.ts';
import { hostileInputs, worstInputs } from './hostile-inputs.ts';

const renderer = createRenderer({ timeMillis, threads: 2 });
afterAll(() => renderer.close());

describe('every kind of hostile text, 20 kB', () => {
  test.each(hostileInputs)('%s', async (_, make) => {
    await expectBounded(renderer, make(20_000));
  });
});

// Short enough for the threads of quick texts, and then for the long queue; hostile.long.ts has every kind in this size.
describe('some of the worst kinds, 200000 characters', () => {
  test.each(worstInputs.filter((_, index) => index % 4 === 1))('%s', async (_, make) => {
    await expectBounded(renderer, make(200_000));
  });
});

describe('the worst kinds, 1000000 characters', () => {
  test.each(worstInputs)('%s', async (_, make) => {
    await expectBounded(renderer, make(1_000_000));
  });
});

test('after all of them it renders as before', async () => {
  expect((await renderer.render('*a*')).html).toBe('<p><em>a</em></p>\n');
});
