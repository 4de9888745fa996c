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
  /** The network of a client: of many that wait, one of the network with the fewest places comes first. Absent: each is its own. */
  readonly networkOf?: (client: string) => string;
}

/**
 * Limits concurrent work. Waiting clients take turns, however much work one of them brings; networks with fewer places come first, then
 * clients. A full queue makes room for a newcomer at the expense of the network with the most entries, and of its client with the most.
 */
export class FairPool {
  readonly #bounds: PoolBounds;
  readonly #refusal: () => Error;
  /** In the order of the clients' turns. */
  readonly #lines = new Map<string, Waiting[]>();
  /** The number of places that each client holds. */
  readonly #inside = new Map<string, number>();
  readonly #insideByNetwork = new Map<string, number>();
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
    if (this.#waiting >= this.#bounds.maxWaiting && !this.#makeRoom(client, line.length)) throw this.#refusal();
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

  /** The number of places that its network holds. */
  insideOfNetwork(client: string): number {
    return this.#insideByNetwork.get(this.#networkOf(client)) ?? 0;
  }

  #networkOf(client: string): string {
    return this.#bounds.networkOf?.(client) ?? client;
  }

  /** The client that gets the next free place; undefined while none can. */
  findNext(): string | undefined {
    let next: string | undefined;
    for (const client of this.#lines.keys()) {
      if (!this.#mayEnter(client)) continue;
      if (next === undefined || this.#comesBefore(client, next)) next = client;
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

  #comesBefore(client: string, other: string): boolean {
    const fewer = this.insideOfNetwork(client) - this.insideOfNetwork(other) || this.insideOf(client) - this.insideOf(other);
    return fewer < 0;
  }

  #mayEnter(client: string): boolean {
    const { maxAtOncePerClient = Number.POSITIVE_INFINITY } = this.#bounds;
    return this.insideOf(client) < maxAtOncePerClient;
  }

  #countInside(client: string, more: number): void {
    add(this.#inside, client, more);
    add(this.#insideByNetwork, this.#networkOf(client), more);
  }

  #makeRoom(client: string, ownLength: number): boolean {
    const waiting = new Map<string, number>();
    for (const [one, { length }] of this.#lines) add(waiting, this.#networkOf(one), length);
    const most = Math.max(0, ...waiting.values());
    const own = this.#networkOf(client);
    // Within its own network, the newcomer is one client among others.
    const isOwnMost = (waiting.get(own) ?? 0) + 1 >= most;
    let longest: [string, Waiting[]] | undefined;
    for (const entry of this.#lines) {
      const network = this.#networkOf(entry[0]);
      if (isOwnMost ? network !== own : waiting.get(network) !== most) continue;
      if (entry[1].length > (longest?.[1].length ?? 0)) longest = entry;
    }
    if (!longest || (isOwnMost && longest[1].length <= ownLength + 1)) return false;
    longest[1].pop()!.refuse();
    if (longest[1].length === 0) this.#lines.delete(longest[0]);
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

function add(counts: Map<string, number>, key: string, more: number): void {
  const count = (counts.get(key) ?? 0) + more;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
