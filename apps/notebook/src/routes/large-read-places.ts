import { Readable } from 'node:stream';
import { limits } from '../limits.ts';
import type { FairPool } from '../operations/fair-pool.ts';

/** A reader that has a place. */
interface Reader {
  readonly client: string;
  /** When it got its place. */
  readonly since: number;
  readonly stream: Readable;
  taken: number;
  /** Milliseconds that we waited for it to take more. */
  waited: number;
  /** How much it had taken after how many milliseconds of waiting, oldest first, as far back as its pace is measured. */
  readonly marks: { waited: number; taken: number }[];
  /** When the current wait began, while we wait. */
  waitsSince: number | undefined;
}

const checkIntervalMs = 100;
/** The least waiting between two marks: a fast reader takes thousands of pieces in a second. */
const markMs = 100;

/**
 * Places for answers that are sent while they are made. While there are enough, every reader may read at its own pace. Once another waits
 * for a place, a reader that holds one without need gives way: a place must not cost less than what it denies to others.
 */
export class LargeReadPlaces {
  readonly #pool: FairPool;
  readonly #readers = new Set<Reader>();
  #waiting = 0;
  #checkTimer: NodeJS.Timeout | undefined;

  constructor(pool: FairPool) {
    this.#pool = pool;
  }

  /**
   * A stream of `bytes`, as soon as a place is free. It keeps the place until it is closed.
   * @throws the pool's refusal when too many wait
   */
  async open(client: string, bytes: AsyncIterable<Uint8Array>): Promise<Readable> {
    const leave = await this.#enter(client);
    const reader: Reader = {
      client,
      since: performance.now(),
      stream: openStream(this.#watch(bytes, () => reader)),
      taken: 0,
      waited: 0,
      marks: [{ waited: 0, taken: 0 }],
      waitsSince: undefined,
    };
    this.#readers.add(reader);
    reader.stream.once('close', () => {
      this.#readers.delete(reader);
      leave();
    });
    return reader.stream;
  }

  async #enter(client: string): Promise<() => void> {
    this.#waiting += 1;
    this.#checkTimer ??= setInterval(() => this.#makeRoom(), checkIntervalMs).unref();
    try {
      return await this.#pool.enter(client);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) {
        clearInterval(this.#checkTimer);
        this.#checkTimer = undefined;
      }
    }
  }

  /** The generator is asked for more once the client has taken the last piece: the time in between is the client's. */
  async *#watch(bytes: AsyncIterable<Uint8Array>, find: () => Reader): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      const reader = find();
      reader.waitsSince = performance.now();
      yield piece;
      reader.waited += performance.now() - reader.waitsSince;
      reader.waitsSince = undefined;
      reader.taken += piece.length;
      mark(reader);
    }
  }

  #makeRoom(): void {
    const next = this.#pool.findNext();
    if (next === undefined) return;
    const staying = [...this.#readers].filter(({ stream }) => !stream.destroyed);
    const shares = staying.map(reader => ({ reader, ...this.#shareOf(reader, performance.now()) }));
    const one = chooseReaderToEvict(shares, this.#pool.insideOf(next), this.#pool.insideOfNetwork(next));
    one?.reader.stream.destroy(new Error('Another reader waited for the place.'));
  }

  #shareOf(reader: Reader, now: number): ReaderShare {
    const { client, since, taken, waitsSince } = reader;
    const waited = reader.waited + (waitsSince === undefined ? 0 : now - waitsSince);
    const from = reader.marks.findLast(one => one.waited <= waited - paceMs) ?? reader.marks[0]!;
    const bytesPerSecond = ((taken - from.taken) / Math.max(waited - from.waited, 1)) * 1_000;
    return {
      places: this.#pool.insideOf(client),
      networkPlaces: this.#pool.insideOfNetwork(client),
      heldSeconds: (now - since) / 1_000,
      waitedSeconds: waited / 1_000,
      bytesPerSecond,
    };
  }
}

const paceMs = limits.largeReadEviction.paceSeconds * 1_000;

/** Notes what was taken. The newest mark moves on until it is far enough from the one before it. */
function mark({ marks, waited, taken }: Reader): void {
  const [before, last] = marks.slice(-2);
  if (before && last && last.waited - before.waited < markMs) Object.assign(last, { waited, taken });
  else marks.push({ waited, taken });
  while (marks.length > 2 && marks[1]!.waited <= waited - paceMs) marks.shift();
}

/** A stream stays itself: wrapped, it would not be closed when its reader leaves before the first byte. */
export function openStream(bytes: AsyncIterable<Uint8Array>): Readable {
  if (bytes instanceof Readable) return bytes;
  return Readable.from(bytes, { objectMode: false, highWaterMark: 65_536 });
}

/** A reader's share of the places, and how fast it reads. */
export interface ReaderShare {
  /** Places held by its address. */
  readonly places: number;
  /** Places held by its network. */
  readonly networkPlaces: number;
  readonly heldSeconds: number;
  readonly waitedSeconds: number;
  /** While we waited for the reader, lately: a reader who began fast must not live on that for minutes. */
  readonly bytesPerSecond: number;
}

/**
 * Chooses the reader that gives its place to the next one. If its address or its network has at least two places more than the next one's,
 * so that nobody loses a place to an equal, a reader gives way that takes its answer slower than it is made, or that has held its place for
 * long, however fast it reads. For an address without any place, a reader also gives way that is slower than a slow network. Readers of the
 * network with the most places come first, then of the address with the most, then the slowest. For a network without any place, the
 * latest of those gives way who take long, past the number of places that such readers may have: the others are for readers who are quick.
 */
export function chooseReaderToEvict<One extends ReaderShare>(
  readers: readonly One[],
  placesOfNext: number,
  networkPlacesOfNext: number,
): One | undefined {
  const { placeSeconds, workSeconds, bytesPerSecond } = limits.largeReadEviction;
  const givesWay = (one: ReaderShare) => {
    const waits = one.waitedSeconds >= placeSeconds;
    const hasMore = one.places >= placesOfNext + 2 || one.networkPlaces >= networkPlacesOfNext + 2;
    if (hasMore) return waits || one.heldSeconds >= workSeconds;
    return placesOfNext === 0 && waits && one.bytesPerSecond < bytesPerSecond;
  };
  const [first] = readers
    .filter(givesWay)
    .sort((a, b) => b.networkPlaces - a.networkPlaces || b.places - a.places || a.bytesPerSecond - b.bytesPerSecond);
  return first ?? (networkPlacesOfNext === 0 ? findLatestBeyondShare(readers) : undefined);
}

/** Not the slowest: the first to take long then end what they began, however many come after them. */
function findLatestBeyondShare<One extends ReaderShare>(readers: readonly One[]): One | undefined {
  const { longReaders, longSeconds } = limits.largeReadEviction;
  const long = readers.filter(({ waitedSeconds }) => waitedSeconds >= longSeconds);
  return long.length > longReaders ? long.sort((a, b) => a.waitedSeconds - b.waitedSeconds)[0] : undefined;
}
