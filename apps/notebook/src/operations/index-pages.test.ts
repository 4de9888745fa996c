import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { IndexTurn } from '../store/store.ts';
import { indexerOf } from './index-pages.ts';
import type { Parts } from './parts.ts';

afterEach(() => vi.restoreAllMocks());

type Turn = (afterNotebook: string, now: number) => IndexTurn | undefined | Promise<IndexTurn | undefined>;

/** An indexer on a queue that answers with these turns, one after the other, and is empty after that. */
function openIndexer(...turns: Turn[]) {
  const asked: [string, number][] = [];
  const store = {
    async indexNextPage(afterNotebook: string, now: number) {
      asked.push([afterNotebook, now]);
      return turns.shift()?.(afterNotebook, now);
    },
  } as unknown as Parts['store'];
  let now = 0;
  const parts = { store, now: () => (now += 1) };
  return { parts, indexer: indexerOf(parts), asked, add: (...more: Turn[]) => turns.push(...more) };
}

const turn = (notebookId: string) => () => ({ notebookId });
const failed = (pageId: string) => () => ({
  notebookId: 'n',
  failure: { pageId, tries: 1, waitMs: 2_000, error: new Error('no') },
});
/** The clock that measures the turns. */
function startClock() {
  const clock = { now: 1_000 };
  vi.spyOn(performance, 'now').mockImplementation(() => clock.now);
  return clock;
}

describe('a round', () => {
  it('takes turns until nothing is queued, each after the notebook before it', async () => {
    const { indexer, asked, add } = openIndexer(turn('a'), turn('b'), turn('a'));
    await indexer.round();
    expect(asked).toEqual([
      ['', 1],
      ['a', 2],
      ['b', 3],
      ['a', 4],
    ]);
    add(turn('c'));
    await indexer.round();
    expect(asked.slice(4)).toEqual([
      ['', 5],
      ['c', 6],
    ]);
  });

  it('is one for all who ask while it is under way, of one store', async () => {
    const { parts, indexer, asked } = openIndexer(turn('a'));
    expect(indexerOf({ ...parts })).toBe(indexer);
    expect(openIndexer().indexer).not.toBe(indexer);
    const round = indexer.round();
    expect(indexer.round()).toBe(round);
    await round;
    expect(asked).toHaveLength(2);
    expect(indexer.round()).not.toBe(round);
  });

  /** Three pages, at the second of which the service is told to stop. */
  const openStopped = () => {
    const stop = new AbortController();
    const second = () => {
      stop.abort();
      return { notebookId: 'b' };
    };
    return { stop, ...openIndexer(turn('a'), second, turn('c')) };
  };

  it('ends between two pages when it is told to', async () => {
    const { stop, indexer, asked } = openStopped();
    await indexer.round(stop.signal);
    expect(asked).toHaveLength(2);
    await indexer.round(stop.signal);
    expect(asked).toHaveLength(2);
    await indexer.round();
    expect(asked).toHaveLength(4);
  });

  it('that a search began ends too when the service stops', async () => {
    const { stop, indexer, asked } = openStopped();
    const begun = indexer.settle(60_000);
    await indexer.round(stop.signal);
    await begun;
    expect(asked).toHaveLength(2);
  });

  it('that fails is told, and the next one begins anew', async () => {
    const { indexer, add } = openIndexer(() => Promise.reject(new Error('no database')));
    await expect(indexer.round()).rejects.toThrow('no database');
    add(turn('a'));
    await indexer.round();
  });

  it('rests after a page for as long as it took, from 25 ms on and for half a second at most', async () => {
    const clock = startClock();
    const takes =
      (millis: number): Turn =>
      () => {
        clock.now += millis;
        return { notebookId: 'n' };
      };
    const rests: unknown[] = [];
    const { setTimeout } = timers;
    timers.setTimeout = (async (millis: number) => void rests.push(millis)) as typeof setTimeout;
    syncBuiltinESMExports();
    try {
      for (const millis of [25, 26, 60, 500, 600_000]) await openIndexer(takes(millis)).indexer.round();
    } finally {
      timers.setTimeout = setTimeout;
      syncBuiltinESMExports();
    }
    expect(rests).toEqual([26, 60, 500, 500]);
  });
});

describe('a search', () => {
  it('waits for the round under way, however it ends', async () => {
    const { indexer, asked, add } = openIndexer(turn('a'), turn('b'));
    await indexer.settle(60_000);
    expect(asked).toHaveLength(3);
    add(() => Promise.reject(new Error('no database')));
    await indexer.settle(60_000);
  });

  it('waits for another round when the one under way may have looked before what it is to find was written', async () => {
    const answer = Promise.withResolvers<undefined>();
    const { indexer, asked, add } = openIndexer(() => answer.promise);
    const underWay = indexer.round();
    add(turn('written since'));
    const searches = [indexer.settle(60_000), indexer.settle(60_000)];
    answer.resolve(undefined);
    await Promise.all(searches);
    // Both wait for the same one.
    expect(asked.map(([after]) => after)).toEqual(['', '', 'written since']);
    await underWay;
  });

  it('begins no other round when the service stops', async () => {
    const stop = new AbortController();
    const answer = Promise.withResolvers<IndexTurn>();
    const { indexer, asked } = openIndexer(() => answer.promise, turn('b'));
    const underWay = indexer.round(stop.signal);
    const search = indexer.settle(60_000);
    stop.abort();
    answer.resolve({ notebookId: 'a' });
    await Promise.all([underWay, search]);
    expect(asked).toHaveLength(1);
  });

  it('waits no longer than it will, counted from the start of the round', async () => {
    const clock = startClock();
    const go = Promise.withResolvers<undefined>();
    const { indexer } = openIndexer(() => go.promise);
    await indexer.settle(10);
    clock.now += 5_000;
    const left = vi.fn();
    const settled = indexer.settle(5_000).then(left);
    await new Promise(resolve => setImmediate(resolve));
    expect(left).toHaveBeenCalled();
    const more = vi.fn();
    const waits = indexer.settle(65_000).then(more);
    await new Promise(resolve => setImmediate(resolve));
    expect(more).not.toHaveBeenCalled();
    go.resolve(undefined);
    await Promise.all([settled, waits, indexer.round()]);
  });
});

it('pages that failed are told once, twenty of them at most', async () => {
  const { indexer, add } = openIndexer(turn('a'), ...Array.from({ length: 25 }, (_, at) => failed(`page ${at}`)));
  expect(indexer.takeFailures()).toEqual([]);
  await indexer.round();
  expect(indexer.takeFailures().map(({ pageId }) => pageId)).toEqual(Array.from({ length: 20 }, (_, at) => `page ${at}`));
  expect(indexer.takeFailures()).toEqual([]);
  add(failed('another'));
  await indexer.round();
  expect(indexer.takeFailures()).toMatchObject([{ pageId: 'another', waitMs: 2_000 }]);
});
