import type { Readable } from 'node:stream';

const held = new WeakMap<object, number>();

/** Says how many bytes stand in memory for an answer that is sent as it is made. */
export function holdsUnread(answer: Readable, bytes: number): void {
  held.set(answer, bytes);
}

export function bytesHeldBy(answer: unknown): number | undefined {
  // For what is no object a WeakMap has nothing (ECMA-262 §24.3.3.3).
  return held.get(answer as object);
}
