import { ClientLines, turnTaker } from '../../event-loop-turns.ts';

/** At 12 µs for a first touch of a page of memory, 3 ms, and some copying. */
const bytesInTurn = 1_048_576;

interface Waiting {
  readonly go: () => void;
  readonly bytes: number;
}

const waiting = new ClientLines<Waiting>();
let left = bytesInTurn;

const askForTurn = turnTaker(() => {
  left = bytesInTurn;
  // Before the work, as there.
  if (!waiting.isEmpty) askForTurn();
  while (left > 0) {
    const next = waiting.shift();
    if (!next) return;
    left -= next.bytes;
    next.go();
  }
});

/**
 * Lets more of a body come: at once, until the bodies of all requests together brought so much in this turn of the event loop, and after
 * that in later turns, where clients take turns. Node reads up to 2 MiB from each connection in one turn, so sixty that send as fast as
 * they can hold everybody else up for 50 ms.
 * @returns false when it has to wait: pause it, so that nothing more is read from its connection
 */
export function readMore(client: string | undefined, bytes: number, go: () => void): boolean {
  if (left <= 0) {
    waiting.push(client, { go, bytes });
    return false;
  }
  if (left === bytesInTurn) askForTurn();
  left -= bytes;
  go();
  return true;
}
