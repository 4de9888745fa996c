import { ClientLines, currentClient } from '../../event-loop-turns.ts';
import { findOwnProgram } from '../../own-program.ts';
import type { Query } from '../statement.ts';
import { StoreThread } from '../store-thread.ts';

/** The data that a thread is started with. */
export interface ReadAheadData {
  readonly path: string;
}

/**
 * Milliseconds from which a read of some rows counts as slow: a network disk, a card or a hard disk takes so long, a quick disk a quarter of
 * it. The way to a thread and back takes about a millisecond, too.
 */
const slowMillis = 1;
/** Milliseconds of slow reads in a second from which the threads read first, and below which they no longer do. */
const onMillis = 250;
const offMillis = 100;
const windowMillis = 1_000;

/** Reads that wait for the disk at the same time. */
const threads = 4;

interface Waiting {
  /** As JSON. */
  readonly query: string;
  readonly resolve: () => void;
}

/**
 * Waits for the disk outside of the event loop. SQLite reads the pages of its file one after the other, and everybody waits meanwhile: a
 * view that nobody asked for lately reads the disk three or four times, and a network disk takes a millisecond or more each time. When
 * that takes a quarter of the time, threads run such reads first and drop the rows. The read that follows here then finds the pages in the
 * system's memory, so what is answered is as it is committed at that moment. Clients take turns at the threads.
 */
export class ReadAhead {
  readonly #threads: readonly StoreThread<string>[];
  readonly #free: StoreThread<string>[];
  readonly #waiting = new ClientLines<Waiting>();
  /** Those who wait for the same read. */
  readonly #underWay = new Map<string, Waiting[]>();
  readonly #now: () => number;
  #since = 0;
  #slow = 0;
  #isOn = false;

  /** @param now milliseconds */
  constructor(path: string, now = () => performance.now()) {
    this.#now = now;
    this.#threads = Array.from({ length: threads }, () => createThread(path));
    this.#free = [...this.#threads];
  }

  /** Runs a read here, and notes how long everybody else waited for it. */
  timed<Result>(read: () => Result): Result {
    const started = this.#now();
    try {
      return read();
    } finally {
      this.#note(started, this.#now() - started);
    }
  }

  /** Whether reads were so slow lately that they should be prefetched. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /**
   * Settles when a read of these rows finds them in memory, as far as that can be helped. It never fails.
   * @param query without bytes among its values
   */
  prefetch(query: Query): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(currentClient(), { query: JSON.stringify(query), resolve });
      this.#readNext();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.close()));
  }

  #readNext(): void {
    while (this.#free.length > 0 && !this.#waiting.isEmpty) {
      const one = this.#waiting.shift()!;
      const already = this.#underWay.get(one.query);
      if (already) already.push(one);
      else void this.#readIn(this.#free.pop()!, one);
    }
  }

  async #readIn(thread: StoreThread<string>, one: Waiting): Promise<void> {
    const served = [one];
    this.#underWay.set(one.query, served);
    try {
      this.#note(this.#now(), (await thread.ask(one.query)) as number);
    } catch {
      // The read here says what is wrong with the database. A thread that cannot be started is tried again when reads were slow for a while.
      this.#isOn = false;
    }
    this.#underWay.delete(one.query);
    this.#free.push(thread);
    for (const { resolve } of served) resolve();
    this.#readNext();
  }

  #note(at: number, millis: number): void {
    if (at - this.#since >= windowMillis) {
      if (this.#slow < offMillis) this.#isOn = false;
      this.#since = at;
      this.#slow = 0;
    }
    if (millis < slowMillis) return;
    this.#slow += millis;
    if (this.#slow >= onMillis) this.#isOn = true;
  }
}

function createThread(path: string): StoreThread<string> {
  return new StoreThread({
    url: findOwnProgram('read-ahead-worker', import.meta.url),
    name: 'The read-ahead thread',
    data: { path } satisfies ReadAheadData,
    memory: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  });
}
