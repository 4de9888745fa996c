/**
 * Finds for each new item the matching known one: equal items at the start, equal items at the end, and matches in between. No known item
 * is used twice.
 */
export function alignKnown<New, Old>(
  items: readonly New[],
  known: readonly Old[],
  same: (item: New, old: Old) => boolean,
): (Old | undefined)[] {
  const found: (Old | undefined)[] = new Array(items.length).fill(undefined);
  let from = 0;
  while (from < items.length && from < known.length && same(items[from]!, known[from]!)) found[from] = known[from++];
  let tail = 0;
  const most = Math.min(items.length, known.length) - from;
  while (tail < most && same(items.at(-1 - tail)!, known.at(-1 - tail)!)) {
    tail += 1;
    found[items.length - tail] = known[known.length - tail];
  }
  const between = known.slice(from, known.length - tail);
  // There are mostly few items between the ends. If there are many, an unlimited search would take quadratic time.
  for (let at = from; at < items.length - tail && between.length > 0; at += 1) {
    const place = between.slice(0, searched).findIndex(old => same(items[at]!, old));
    if (place !== -1) found[at] = between.splice(0, place + 1).at(-1);
  }
  return found;
}

const searched = 16;
