import { describe, expect, it } from 'vitest';
import { TurnShare } from './turn-share.ts';

/** A clock that only work moves. */
function startClock() {
  let now = 0;
  return {
    now: () => now,
    work(millis: number) {
      now += millis;
    },
  };
}

/** How often the event loop came round before each request began. */
async function beginAll(count: number, millis: number): Promise<number[]> {
  const clock = startClock();
  const share = new TurnShare(clock.now);
  let turn = 0;
  let left = count;
  const countTurns = () => {
    turn += 1;
    if (left > 0) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const begunIn: number[] = [];
  const request = async (index: number) => {
    const room = share.enter();
    if (room) {
      await room;
      // What a request does without waiting is several microtasks long.
      for (let step = 0; step < 5; step += 1) await undefined;
    }
    clock.work(millis);
    begunIn[index] = turn;
    left -= 1;
  };
  await Promise.all(Array.from({ length: count }, (_, index) => request(index)));
  return begunIn;
}

describe('requests that arrive together', () => {
  it('share a turn of the event loop until its 8 ms are over', async () => {
    const turns = await beginAll(40, 2);
    expect([...Map.groupBy(turns, turn => turn).values()].map(({ length }) => length)).toEqual(Array(10).fill(4));
  });

  it('begin in the order in which they came', async () => {
    const turns = await beginAll(40, 5);
    expect(turns).toEqual(turns.toSorted((a, b) => a - b));
  });

  it('all begin at once when they cost nothing', async () => {
    expect(new Set(await beginAll(40, 0))).toEqual(new Set([0]));
  });
});

it('a request that comes alone does not wait', () => {
  expect(new TurnShare().enter()).toBeUndefined();
});
