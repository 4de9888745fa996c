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

const waiting: { readonly go: () => void; readonly signal: AbortSignal | undefined; readonly stop: (reason: unknown) => void }[] =
  [];

const askForPiece = turnTaker(() => {
  const { go, signal, stop } = waiting.shift()!;
  if (waiting.length > 0) askForPiece();
  if (signal?.aborted) stop(signal.reason);
  else go();
});

/**
 * Splits long work into pieces, of which only one runs in each turn of the event loop, whatever work it belongs to. If each work ran a
 * piece in every turn, many at once would block the loop as long as work that is not split at all.
 * @throws the signal's reason
 */
export function nextTurn(signal?: AbortSignal): Promise<void> {
  return new Promise((go, stop) => {
    waiting.push({ go, signal, stop });
    askForPiece();
  });
}
