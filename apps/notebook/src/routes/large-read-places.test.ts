import { afterEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../limits.ts';
import { FairPool } from '../operations/fair-pool.ts';
import { chooseReaderToEvict, LargeReadPlaces, type ReaderShare } from './large-read-places.ts';

const { placeSeconds, workSeconds, bytesPerSecond, longReaders, longSeconds } = limits.largeReadEviction;

/** A reader that made us wait the whole time and took next to nothing. */
const slow = (over: Partial<ReaderShare> = {}): ReaderShare => ({
  places: 1,
  networkPlaces: over.places ?? 1,
  heldSeconds: placeSeconds,
  waitedSeconds: placeSeconds,
  bytesPerSecond: 10,
  ...over,
});
const fast: Partial<ReaderShare> = { waitedSeconds: 0, bytesPerSecond: 1e9 };

describe('for a client that has no place', () => {
  it('a slow reader gives way, the slowest first', () => {
    const slowest = slow({ bytesPerSecond: 9 });
    expect(chooseReaderToEvict([slow(), slowest, slow()], 0, 0)).toBe(slowest);
  });

  it.each([
    ['has let us wait for less than the time that everybody has', { waitedSeconds: placeSeconds - 0.001 }],
    ['takes as much as a slow network brings', { bytesPerSecond }],
    ['waits for us, however long', { ...fast, heldSeconds: 100 * workSeconds }],
  ])('nobody does who has one place and %s', (_, over) => {
    expect(chooseReaderToEvict([slow(over)], 0, 0)).toBeUndefined();
  });

  it('one of an address with most places does before one that is slower', () => {
    const most = slow({ places: 3, bytesPerSecond: 1_000 });
    expect(chooseReaderToEvict([slow(), slow({ places: 2 }), most], 0, 0)).toBe(most);
  });
});

describe('whose address has two places more than who waits', () => {
  it.each([0, 1, 5])('gives way at any pace, once we wait for him: %i', places => {
    const most = slow({ places: places + 2, bytesPerSecond: 1e9 });
    expect(chooseReaderToEvict([most], places, places)).toBe(most);
    expect(chooseReaderToEvict([{ ...most, waitedSeconds: placeSeconds - 0.001 }], places, places)).toBeUndefined();
  });

  it('gives way after a while even where all the time was ours', () => {
    const working = slow({ ...fast, places: 2, heldSeconds: workSeconds });
    expect(chooseReaderToEvict([working], 0, 0)).toBe(working);
    expect(chooseReaderToEvict([{ ...working, heldSeconds: workSeconds - 0.001 }], 0, 0)).toBeUndefined();
  });
});

describe('whose network has two places more than that of who waits', () => {
  const beside = slow({ networkPlaces: 2, bytesPerSecond: 1e9 });

  it('gives way although his own address has one', () => {
    expect(chooseReaderToEvict([beside], 0, 0)).toBe(beside);
    expect(chooseReaderToEvict([{ ...beside, waitedSeconds: 0 }], 0, 0)).toBeUndefined();
    const working = slow({ ...fast, networkPlaces: 2, heldSeconds: workSeconds });
    expect(chooseReaderToEvict([working], 0, 0)).toBe(working);
  });

  it('gives way before one of an address with more places, and not to a neighbor', () => {
    const crowded = slow({ networkPlaces: 9 });
    expect(chooseReaderToEvict([slow({ places: 8 }), crowded], 0, 0)).toBe(crowded);
    expect(chooseReaderToEvict([beside], 0, 1)).toBeUndefined();
  });
});

describe('of decent readers from a network each, who take long', () => {
  const readers = (count: number, over: Partial<ReaderShare> = {}) =>
    Array.from({ length: count }, (_, at) =>
      slow({ bytesPerSecond: 2 * bytesPerSecond, waitedSeconds: longSeconds + at, heldSeconds: longSeconds + at, ...over }),
    );

  it('the latest gives way to a network without a place, past the number that they may have', () => {
    const [latest, ...others] = readers(longReaders + 1);
    expect(chooseReaderToEvict([...others, latest!], 0, 0)).toBe(latest);
    expect(chooseReaderToEvict(others, 0, 0)).toBeUndefined();
    expect(chooseReaderToEvict([...others, { ...latest!, waitedSeconds: longSeconds - 0.001 }], 0, 0)).toBeUndefined();
  });

  it('nobody does for a neighbor of one of them, nor for one who has a place', () => {
    expect(chooseReaderToEvict(readers(longReaders + 1), 0, 1)).toBeUndefined();
    expect(chooseReaderToEvict(readers(longReaders + 1), 1, 1)).toBeUndefined();
  });

  it('one slower than a slow network gives way before them', () => {
    const slowest = slow();
    expect(chooseReaderToEvict([...readers(longReaders + 1), slowest], 0, 0)).toBe(slowest);
  });
});

it('decent readers from 32 networks keep none from reading that is quick, and all but four of them end what they began', async () => {
  vi.useFakeTimers();
  const networkOf = (client: string) => client;
  const bounds = { atOnce: limits.maxLargeReadsAtOnce, maxWaiting: 256, maxWaitingPerClient: 64, networkOf };
  const places = new LargeReadPlaces(new FairPool(bounds, () => new Error('full')));
  const pieces = async function* (count: number) {
    for (let piece = 0; piece < count; piece++) yield new Uint8Array(2 * bytesPerSecond);
  };
  const open = (client: string, count: number) => places.open(client, pieces(count));
  const clients = Array.from({ length: limits.maxLargeReadsAtOnce }, (_, at) => `network ${at}`);
  const slowOnes = await Promise.all(clients.map(client => open(client, 200)));
  const readings = slowOnes.map(stream => stream.on('error', () => {})[Symbol.asyncIterator]());
  let read = 0;
  const readQuickly = async (client: string) => {
    for await (const _ of await open(client, 3)) await undefined;
    read += 1;
  };
  for (let second = 0; second < 60; second++) {
    if (second % 5 === 0) void readQuickly(`quick ${second}`);
    await vi.advanceTimersByTimeAsync(1_000);
    for (const [at, reading] of readings.entries()) if (!slowOnes[at]!.destroyed) await reading.next();
  }
  expect(read).toBe(12);
  expect(slowOnes.filter(({ destroyed }) => destroyed).length).toBeLessThanOrEqual(limits.maxLargeReadsAtOnce - longReaders);
  for (const stream of slowOnes) stream.destroy();
  vi.useRealTimers();
});

it.each([1, 2, 5])('nobody loses a place to one who has as many, or would have: %i', places => {
  expect(chooseReaderToEvict([slow({ places }), slow({ places: places + 1 })], places, places)).toBeUndefined();
});

describe('a reader that took much at once', () => {
  afterEach(() => vi.useRealTimers());

  /** Takes 4 MiB at once and then a piece each second, while another address waits. @returns whether that one gets the place */
  async function takeThen(pieceBytes: number): Promise<boolean> {
    vi.useFakeTimers();
    const pool = new FairPool({ atOnce: 1, maxWaiting: 8, maxWaitingPerClient: 8 }, () => new Error('full'));
    const places = new LargeReadPlaces(pool);
    const pieces = async function* () {
      for (;;) yield new Uint8Array(pieceBytes);
    };
    const first = await places.open('first', pieces());
    first.on('error', () => {});
    const reading = first[Symbol.asyncIterator]();
    for (let taken = 0; taken < 4_194_304; taken += pieceBytes) await reading.next();
    let other: { destroy(): unknown } | undefined;
    void places.open('other', pieces()).then(stream => {
      other = stream;
    });
    for (let second = 0; second < 15 && !other; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      if (!first.destroyed) await reading.next();
    }
    const got = other !== undefined;
    for (const stream of [first, other]) stream?.destroy();
    return got;
  }

  it('gives way within seconds once it takes little', async () => {
    expect(await takeThen(16_384)).toBe(true);
  });

  it('keeps its place while it takes as much as a slow network brings', async () => {
    expect(await takeThen(2 * bytesPerSecond)).toBe(false);
  });
});

it.each([
  ['of one network', ['a1', 'a2'], true],
  ['of a network each', ['a1', 'b1'], false],
])('two readers %s that are faster than a slow network: does one give way to another network’s?', async (_, clients, gives) => {
  vi.useFakeTimers();
  const bounds = { atOnce: 2, maxWaiting: 8, maxWaitingPerClient: 8, networkOf: (client: string) => client.slice(0, 1) };
  const places = new LargeReadPlaces(new FairPool(bounds, () => new Error('full')));
  const pieces = async function* () {
    for (;;) yield new Uint8Array(2 * bytesPerSecond);
  };
  const streams = await Promise.all(clients.map(client => places.open(client, pieces())));
  const readers = streams.map(stream => stream.on('error', () => {})[Symbol.asyncIterator]());
  let other: { destroy(): unknown } | undefined;
  void places.open('c1', pieces()).then(stream => {
    other = stream;
  });
  for (let second = 0; second < 15 && !other; second++) {
    await vi.advanceTimersByTimeAsync(1_000);
    for (const [at, reader] of readers.entries()) if (!streams[at]!.destroyed) await reader.next();
  }
  expect(other !== undefined).toBe(gives);
  for (const stream of [...streams, other]) stream?.destroy();
  vi.useRealTimers();
});
