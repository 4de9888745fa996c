import { diffArrays } from 'diff';

/** Replace `base[from..to)` by `insert`. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly insert: readonly string[];
}

/** After this time a comparison would block the page, so everything that differs counts as one piece. */
const compareMillis = 200;

/** Finds the hunks that turn `base` into `side`, in order. No two hunks touch. */
export function findHunks(base: readonly string[], side: readonly string[]): Hunk[] {
  let head = 0;
  while (head < base.length && head < side.length && base[head] === side[head]) head += 1;
  let tail = 0;
  const most = Math.min(base.length, side.length) - head;
  while (tail < most && base[base.length - 1 - tail] === side[side.length - 1 - tail]) tail += 1;
  const middle = base.slice(head, base.length - tail);
  const other = side.slice(head, side.length - tail);
  if (middle.length === 0 && other.length === 0) return [];
  if (middle.length === 0 || other.length === 0) return [{ from: head, to: base.length - tail, insert: other }];
  return compare(middle, other, head);
}

function compare(base: readonly string[], side: readonly string[], offset: number): Hunk[] {
  const parts = diffArrays([...base], [...side], { timeout: compareMillis });
  if (!parts) return [{ from: offset, to: offset + base.length, insert: side }];
  const hunks: { from: number; to: number; insert: string[] }[] = [];
  let at = offset;
  let open: (typeof hunks)[number] | undefined;
  for (const { value, added, removed } of parts) {
    if (!added && !removed) {
      at += value.length;
      open = undefined;
      continue;
    }
    if (!open) {
      open = { from: at, to: at, insert: [] };
      hunks.push(open);
    }
    if (added) open.insert = open.insert.concat(value);
    else {
      at += value.length;
      open.to = at;
    }
  }
  return hunks;
}

/** Applies hunks to `base[from..to)`; they must lie within it. */
export function applyHunks(base: readonly string[], hunks: readonly Hunk[], from: number, to: number): string[] {
  const made: string[] = [];
  let at = from;
  for (const hunk of hunks) {
    for (; at < hunk.from; at += 1) made.push(base[at]!);
    for (const token of hunk.insert) made.push(token);
    at = hunk.to;
  }
  for (; at < to; at += 1) made.push(base[at]!);
  return made;
}
