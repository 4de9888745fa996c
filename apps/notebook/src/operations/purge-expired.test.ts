import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inPortions } from './purge-expired.ts';

/** Takes portions until nothing is left. @returns their sizes, and the turns that others had had by the beginning of each */
async function take(gone: readonly number[], millis = 25) {
  const sizes: number[] = [];
  const turns: number[] = [];
  let taken = 0;
  let others = 0;
  let over = false;
  const working = (async () => {
    while (!over) {
      await nextTurn();
      others += 1;
    }
  })();
  const counts = await inPortions({ signal: undefined, millis }, { first: 5, most: 20 }, async size => {
    sizes.push(size);
    turns.push(others);
    // As SQLite does, in the thread that others wait for.
    const began = performance.now();
    while (performance.now() - began < 2);
    return { gone: gone[taken++] ?? 0 };
  });
  over = true;
  await working;
  return { counts, sizes, turns };
}

it('others have turns between two portions, and what was deleted is added up', async () => {
  const { counts, turns } = await take([5, 7, 3, 1]);
  expect(counts).toEqual({ gone: 16 });
  expect(turns).toHaveLength(5);
  turns.slice(1).forEach((count, at) => {
    expect(count, `before portion ${at + 2}`).toBeGreaterThan(turns[at]!);
  });
});

it('a portion that was fast is followed by one of twice its size, up to the most, and a slow one by the smallest', async () => {
  expect((await take([1, 1, 1], 1_000_000)).sizes).toEqual([5, 10, 20, 20]);
  expect((await take([1, 1], 0.000_1)).sizes).toEqual([5, 1, 1]);
});

it('ends with the reason of its signal, before another portion', async () => {
  const stopping = new AbortController();
  let portions = 0;
  const purge = inPortions({ signal: stopping.signal, millis: 25 }, { first: 5, most: 20 }, async () => {
    portions += 1;
    stopping.abort(new Error('the service is stopping'));
    return { gone: 1 };
  });
  // A pause that was begun names its end in its own way.
  await expect(purge).rejects.toThrow(/stopping|aborted/);
  expect(portions).toBe(1);
});
