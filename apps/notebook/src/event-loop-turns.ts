const waiting: { readonly go: () => void; readonly signal: AbortSignal | undefined; readonly stop: (reason: unknown) => void }[] =
  [];
let scheduled = false;

/**
 * Long work is done in pieces, and only one piece of all such work together is done in one turn of the event loop: with a piece for
 * each, many at once would hold it as long as one that is not cut at all.
 * @throws the signal's reason
 */
export function nextTurn(signal?: AbortSignal): Promise<void> {
  return new Promise((go, stop) => {
    waiting.push({ go, signal, stop });
    schedule();
  });
}

function schedule(): void {
  if (scheduled || waiting.length === 0) return;
  scheduled = true;
  setImmediate(() => {
    scheduled = false;
    const { go, signal, stop } = waiting.shift()!;
    if (signal?.aborted) stop(signal.reason);
    else go();
    schedule();
  });
}
