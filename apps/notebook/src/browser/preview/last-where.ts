/** The last place of a rising row for which something holds; -1 if for none. */
export function lastWhere(count: number, holds: (place: number) => boolean): number {
  let low = -1;
  let high = count;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
