import { AsyncLocalStorage } from 'node:async_hooks';

const asking = new Set<() => void>();
let scheduled = false;

/**
 * Lets one kind of work ask for a turn of the event loop. Kinds alternate, and each turn serves one of them: when requests to begin, a
 * piece of long work and a commit are ready together, everything else that is ready is served in between.
 * @returns a function that asks for the next free turn; asking again before it comes changes nothing
 */
export function turnTaker(work: () => void): () => void {
  return () => {
    asking.add(work);
    schedule();
  };
}

function schedule(): void {
  if (scheduled || asking.size === 0) return;
  scheduled = true;
  setImmediate(serve);
}

function serve(): void {
  scheduled = false;
  const [work] = asking;
  asking.delete(work!);
  // Scheduled before the work: an error in it costs the others no turn.
  schedule();
  work!();
}

interface Work {
  readonly go: () => void;
  readonly cost: number;
}

/**
 * Lets small work of one kind begin at once, but only as much in one turn of the event loop as `most` says; what is left goes on in later
 * turns. The clients in whose names it came take turns (`workFor`).
 * @returns a function that takes work, and what it costs (1)
 */
export function limitPerTurn(most: number): (go: () => void, cost?: number) => void {
  const waiting = new ClientLines<Work>();
  let spent = 0;
  const askForTurn = turnTaker(() => {
    spent = 0;
    // Before the work, as above.
    if (!waiting.isEmpty) askForTurn();
    while (spent < most && !waiting.isEmpty) {
      const { go, cost } = waiting.shift()!;
      spent += cost;
      go();
    }
  });
  return (go, cost = 1) => {
    if (spent === 0) askForTurn();
    if (spent < most && waiting.isEmpty) {
      spent += cost;
      go();
    } else waiting.push(currentClient(), { go, cost });
  };
}

/** Milliseconds that small work may wait for the end of a turn. */
const maxTurnEndMillis = 8;
/** Milliseconds after a longer wait in which work no longer waits. */
const longTurnsMillis = 1_000;

/**
 * Gathers small work of one kind until the end of a turn of the event loop, where many of it together cost less than each by itself. Where
 * a turn takes long because of other work, gathering would be waiting: for a second after such a wait, each begins at once.
 * @param work everything gathered so far
 * @returns a function that asks for the work; asking again before it is done changes nothing
 */
export function atTurnEnd(work: () => void, now = () => performance.now()): () => void {
  let since: number | undefined;
  let directUntil = 0;
  const end = (): void => {
    const at = now();
    if (at - since! > maxTurnEndMillis) directUntil = at + longTurnsMillis;
    since = undefined;
    work();
  };
  return () => {
    if (since !== undefined) return;
    const at = now();
    if (at < directUntil) return work();
    since = at;
    setImmediate(end);
  };
}

interface Piece {
  readonly go: () => void;
  readonly signal: AbortSignal | undefined;
  readonly stop: (reason: unknown) => void;
}

/** The client of the request that this code works for; undefined for the service's own work. */
const clients = new AsyncLocalStorage<string | undefined>();

/** Does the work, and everything that it starts, in this client's name; undefined: in nobody's, for what many wait for. */
export function workFor<Result>(client: string | undefined, work: () => Result): Result {
  return clients.run(client, work);
}

/** In whose name this code works, as `workFor` said. */
export function currentClient(): string | undefined {
  return clients.getStore();
}

/** Items that wait, in a line for each client. Clients take turns: one with a thousand waits for itself and delays others by one. */
export class ClientLines<Item> {
  /** In the order of the clients' turns. */
  readonly #lines = new Map<string | undefined, Item[]>();

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  lengthOf(client: string | undefined): number {
    return this.#lines.get(client)?.length ?? 0;
  }

  push(client: string | undefined, item: Item): void {
    const line = this.#lines.get(client);
    if (line) line.push(item);
    else this.#lines.set(client, [item]);
  }

  shift(): Item | undefined {
    for (const [client, line] of this.#lines) {
      const item = line.shift();
      this.#lines.delete(client);
      // Moves this client to the end.
      if (line.length > 0) this.#lines.set(client, line);
      return item;
    }
    return undefined;
  }
}

const pieces = new ClientLines<Piece>();

const askForPiece = turnTaker(() => {
  const { go, signal, stop } = pieces.shift()!;
  if (!pieces.isEmpty) askForPiece();
  if (signal?.aborted) stop(signal.reason);
  else go();
});

/**
 * Splits long work into pieces, of which only one runs in each turn of the event loop, whatever work it belongs to. If each work ran a
 * piece in every turn, many at once would block the loop as long as work that is not split at all. Clients take turns.
 * @throws the signal's reason
 */
export function nextTurn(signal?: AbortSignal): Promise<void> {
  return new Promise((go, stop) => {
    pieces.push(currentClient(), { go, signal, stop });
    askForPiece();
  });
}
