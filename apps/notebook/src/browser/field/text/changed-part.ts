/** The one range in which two texts differ: `from`–`to` of the older text is replaced by `insert`. */
export function changedPart(
  older: string,
  newer: string,
): { readonly from: number; readonly to: number; readonly insert: string } {
  let from = 0;
  while (from < older.length && from < newer.length && older[from] === newer[from]) from += 1;
  if (isFirstHalf(older[from - 1])) from -= 1;
  let tail = 0;
  while (tail < older.length - from && tail < newer.length - from && older.at(-1 - tail) === newer.at(-1 - tail)) tail += 1;
  if (tail > 0 && isSecondHalf(older.at(-tail))) tail -= 1;
  return { from, to: older.length - tail, insert: newer.slice(from, newer.length - tail) };
}

/** Many emoji share one of their two code units; a change must not split them. */
const isFirstHalf = (unit: string | undefined): boolean => unit !== undefined && /[\uD800-\uDBFF]/.test(unit);
const isSecondHalf = (unit: string | undefined): boolean => unit !== undefined && /[\uDC00-\uDFFF]/.test(unit);

/**
 * Puts what was typed at the same place in a text that changed elsewhere meanwhile. Between two inputs the typing is one range. Where both
 * changed the same place, the typed text comes after the other; nothing that either wrote is lost.
 */
export function carryOver(before: string, typed: string, text: string): string {
  const mine = changedPart(before, typed);
  const theirs = changedPart(before, text);
  const moved = text.length - before.length;
  const put = (from: number, to: number): string => text.slice(0, from) + mine.insert + text.slice(to);
  if (mine.to <= theirs.from) return put(mine.from, mine.to);
  if (mine.from >= theirs.to) return put(mine.from + moved, mine.to + moved);
  return put(theirs.to + moved, theirs.to + moved);
}
