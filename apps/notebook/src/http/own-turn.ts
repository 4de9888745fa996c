let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller gets. A hundred pages that become ready in the same moment are drawn with
 * everything else in between, instead of one after the other in one long silence.
 */
export function ownTurn(): Promise<void> {
  const turn = last.then(() => new Promise<void>(resolve => setImmediate(resolve)));
  last = turn;
  return turn;
}
