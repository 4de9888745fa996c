import { Readable } from 'node:stream';
import { limits } from '../limits.ts';
import type { FairPool } from '../operations/fair-pool.ts';

/** Somebody who has a place. */
interface Reader {
  readonly client: string;
  /** Since it has its place. */
  readonly since: number;
  readonly stream: Readable;
  taken: number;
  /** Milliseconds that we waited until more was taken. */
  waited: number;
  /** Since when we wait, while we do. */
  waitsSince: number | undefined;
}

const betweenLooksMs = 100;

/**
 * Places for answers that are sent as they are made. As long as there are enough, everybody may read at a pace of his own. Once somebody
 * waits for one, whoever keeps his place without need gives way: a place must not cost less than what it denies to others.
 */
export class LargeReadPlaces {
  readonly #pool: FairPool;
  readonly #readers = new Set<Reader>();
  #waiting = 0;
  #looks: NodeJS.Timeout | undefined;

  constructor(pool: FairPool) {
    this.#pool = pool;
  }

  /**
   * A stream of `bytes` as soon as a place is free, which it keeps until it is closed.
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
    this.#looks ??= setInterval(() => this.#makeRoom(), betweenLooksMs).unref();
    try {
      return await this.#pool.enter(client);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) {
        clearInterval(this.#looks);
        this.#looks = undefined;
      }
    }
  }

  /** Whoever makes the bytes is asked for more when the client took what there was: what passes in between is the client's time. */
  async *#watch(bytes: AsyncIterable<Uint8Array>, find: () => Reader): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      const reader = find();
      reader.waitsSince = performance.now();
      yield piece;
      reader.waited += performance.now() - reader.waitsSince;
      reader.waitsSince = undefined;
      reader.taken += piece.length;
    }
  }

  #makeRoom(): void {
    const next = this.#pool.findNext();
    if (next === undefined) return;
    const staying = [...this.#readers].filter(({ stream }) => !stream.destroyed);
    const standings = staying.map(reader => ({ reader, ...this.#standingOf(reader, performance.now()) }));
    const one = chooseToGiveWay(standings, this.#pool.insideOf(next));
    one?.reader.stream.destroy(new Error('Somebody else waited for the place.'));
  }

  #standingOf({ client, since, taken, waited, waitsSince }: Reader, now: number): Standing {
    const waitedSeconds = (waited + (waitsSince === undefined ? 0 : now - waitsSince)) / 1_000;
    const places = this.#pool.insideOf(client);
    return { places, heldSeconds: (now - since) / 1_000, waitedSeconds, bytesPerSecond: taken / Math.max(waitedSeconds, 0.001) };
  }
}

export function openStream(bytes: AsyncIterable<Uint8Array>): Readable {
  return Readable.from(bytes, { objectMode: false, highWaterMark: 65_536 });
}

/** How much a reader gets, and how he takes it. */
export interface Standing {
  /** Of his address. */
  readonly places: number;
  readonly heldSeconds: number;
  readonly waitedSeconds: number;
  /** While we waited for him. */
  readonly bytesPerSecond: number;
}

/**
 * Of those whose address has two places more than who waits, so that nobody loses his for an equal: whoever takes his answer slower than it
 * is made, or is there for long, however fast. Besides, for an address that has none, who takes less than a slow network brings. First
 * of an address with most places, then the slowest.
 */
export function chooseToGiveWay<One extends Standing>(readers: readonly One[], placesOfNext: number): One | undefined {
  const { placeSeconds, workSeconds, bytesPerSecond } = limits.largeReadGivesWay;
  const givesWay = (one: Standing) => {
    const waits = one.waitedSeconds >= placeSeconds;
    if (one.places >= placesOfNext + 2) return waits || one.heldSeconds >= workSeconds;
    return placesOfNext === 0 && waits && one.bytesPerSecond < bytesPerSecond;
  };
  const [first] = readers.filter(givesWay).sort((a, b) => b.places - a.places || a.bytesPerSecond - b.bytesPerSecond);
  return first;
}
