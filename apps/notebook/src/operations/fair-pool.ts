interface Waiting {
  readonly start: () => void;
  readonly refuse: () => void;
}

export interface PoolBounds {
  readonly atOnce: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerClient: number;
  /** The limit of concurrent places for one client. Absent: all of them. */
  readonly maxAtOncePerClient?: number;
}

/**
 * Limits concurrent work. Waiting clients take turns, however much work one of them brings; clients with fewer places come first. A full
 * queue makes room for a newcomer at the expense of the client with the most entries.
 */
export class FairPool {
  readonly #bounds: PoolBounds;
  readonly #refusal: () => Error;
  /** In the order of the clients' turns. */
  readonly #lines = new Map<string, Waiting[]>();
  /** The number of places that each client holds. */
  readonly #inside = new Map<string, number>();
  #running = 0;
  #waiting = 0;
  #closed = false;
  readonly #whenEmpty: (() => void)[] = [];

  constructor(bounds: PoolBounds, refusal: () => Error) {
    this.#bounds = bounds;
    this.#refusal = refusal;
  }

  /** @throws the refusal when there is no room to wait */
  async run<Result>(client: string, work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter(client);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * @returns a function to call once, when the work is over
   * @throws the refusal when there is no room to wait
   */
  async enter(client: string): Promise<() => void> {
    if (this.#closed) throw this.#refusal();
    if (this.#running >= this.#bounds.atOnce || !this.#mayEnter(client)) await this.#wait(client);
    else {
      this.#running += 1;
      this.#countInside(client, 1);
    }
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#countInside(client, -1);
      // The place is handed on rather than freed, so that nobody can slip in between.
      const next = this.#takeNext();
      if (next) next.start();
      else this.#running -= 1;
      if (this.#running === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
    };
  }

  #wait(client: string): Promise<void> {
    const line = this.#lines.get(client) ?? [];
    if (line.length >= this.#bounds.maxWaitingPerClient) throw this.#refusal();
    if (this.#waiting >= this.#bounds.maxWaiting && !this.#makeRoom(line.length)) throw this.#refusal();
    return new Promise((start, reject) => {
      line.push({ start, refuse: () => reject(this.#refusal()) });
      this.#lines.set(client, line);
      this.#waiting += 1;
    });
  }

  /** The number of places that a client holds. */
  insideOf(client: string): number {
    return this.#inside.get(client) ?? 0;
  }

  /** The client that gets the next free place; undefined while none can. */
  findNext(): string | undefined {
    let next: string | undefined;
    for (const client of this.#lines.keys()) {
      if (!this.#mayEnter(client)) continue;
      if (next === undefined || this.insideOf(client) < this.insideOf(next)) next = client;
    }
    return next;
  }

  /** Refuses everything that waits or arrives from now on; resolves when the work inside is done. */
  async close(): Promise<void> {
    this.#closed = true;
    const waiting = [...this.#lines.values()].flat();
    this.#lines.clear();
    this.#waiting = 0;
    for (const { refuse } of waiting) refuse();
    if (this.#running > 0) await new Promise<void>(resolve => this.#whenEmpty.push(resolve));
  }

  #mayEnter(client: string): boolean {
    const { maxAtOncePerClient = Number.POSITIVE_INFINITY } = this.#bounds;
    return this.insideOf(client) < maxAtOncePerClient;
  }

  #countInside(client: string, more: number): void {
    const count = this.insideOf(client) + more;
    if (count === 0) this.#inside.delete(client);
    else this.#inside.set(client, count);
  }

  #makeRoom(ownLength: number): boolean {
    const longest = [...this.#lines.values()].reduce((one, other) => (other.length > one.length ? other : one), [] as Waiting[]);
    if (longest.length <= ownLength + 1) return false;
    longest.pop()?.refuse();
    this.#waiting -= 1;
    return true;
  }

  #takeNext(): Waiting | undefined {
    const client = this.findNext();
    if (client === undefined) return undefined;
    const line = this.#lines.get(client)!;
    this.#lines.delete(client);
    const next = line.shift()!;
    // Moves this client to the end.
    if (line.length > 0) this.#lines.set(client, line);
    this.#waiting -= 1;
    this.#countInside(client, 1);
    return next;
  }
}
