/** Binary search for the last index for which a condition holds that holds up to there and not after. -1 if it never holds. */
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
