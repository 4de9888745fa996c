const stride = 4_096;

/** Counts the characters two texts share at their start, and at their end in what is left. */
export function commonEnds(one: string, other: string): { head: number; tail: number } {
  const most = Math.min(one.length, other.length);
  const same = (at: number, length: number): boolean => one.slice(at, at + length) === other.slice(at, at + length);
  let head = 0;
  // Comparing slices is much faster than comparing characters one by one.
  while (head + stride <= most && same(head, stride)) head += stride;
  while (head < most && one.charCodeAt(head) === other.charCodeAt(head)) head += 1;
  const left = most - head;
  const sameTail = (from: number): boolean =>
    one.slice(one.length - from - stride, one.length - from) === other.slice(other.length - from - stride, other.length - from);
  let tail = 0;
  while (tail + stride <= left && sameTail(tail)) tail += stride;
  while (tail < left && one.charCodeAt(one.length - 1 - tail) === other.charCodeAt(other.length - 1 - tail)) tail += 1;
  return { head, tail };
}
