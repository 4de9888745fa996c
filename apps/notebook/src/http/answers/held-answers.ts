import type { Readable } from 'node:stream';

const held = new WeakMap<object, number>();

/** Records how many bytes are in memory for an answer that is sent while it is made. */
export function recordHeldBytes(answer: Readable, bytes: number): void {
  held.set(answer, bytes);
}

export function findHeldBytes(answer: unknown): number | undefined {
  // A WeakMap has nothing for a value that is not an object (ECMA-262 §24.3.3.3).
  return held.get(answer as object);
}
