import type { Readable } from 'node:stream';
import { turnTaker } from '../../event-loop-turns.ts';

/** A page of a mebibyte arrives in four turns: its last piece takes 10 ms where fresh memory is expensive, as the driver joins them all. */
const bytesInTurn = 262_144;

const paused = new Set<Readable>();
let left = bytesInTurn;

const goOnInTurn = turnTaker(() => {
  const sources = [...paused];
  paused.clear();
  for (const source of sources) source.resume();
});

function beginTurn(): void {
  left = bytesInTurn;
  if (paused.size > 0) goOnInTurn();
}

/**
 * Bounds what all connections to the database bring in one turn of the event loop. libuv reads up to 2 MiB from each in a turn, and several
 * pages of a mebibyte, joined and decoded by the driver, held everybody else up for 70 ms. Past the bound, a connection whose data comes is
 * paused until a later turn.
 */
export function arriveInTurns(source: Readable): void {
  source.on('data', ({ length }: Buffer) => {
    if (left === bytesInTurn) setImmediate(beginTurn);
    left -= length;
    if (left > 0) return;
    source.pause();
    paused.add(source);
  });
}
