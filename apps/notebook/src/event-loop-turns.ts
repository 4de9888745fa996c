const asking = new Set<() => void>();
let scheduled = false;

/**
 * Lets one kind of work ask for a turn of the event loop. Kinds take turns, and each turn is for one of them: when requests to begin,
 * a piece of long work and a commit come together, whatever else is ready is served between them.
 * @returns asks for the next free turn; asking again before it has come changes nothing
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
  // Before it works: what throws takes no turn from others.
  schedule();
  work!();
}

const waiting: { readonly go: () => void; readonly signal: AbortSignal | undefined; readonly stop: (reason: unknown) => void }[] =
  [];

const askForPiece = turnTaker(() => {
  const { go, signal, stop } = waiting.shift()!;
  if (waiting.length > 0) askForPiece();
  if (signal?.aborted) stop(signal.reason);
  else go();
});

/**
 * Long work is done in pieces, and only one piece of all such work together is done in one turn of the event loop: with a piece for
 * each, many at once would hold it as long as one that is not cut at all.
 * @throws the signal's reason
 */
export function nextTurn(signal?: AbortSignal): Promise<void> {
  return new Promise((go, stop) => {
    waiting.push({ go, signal, stop });
    askForPiece();
  });
}
