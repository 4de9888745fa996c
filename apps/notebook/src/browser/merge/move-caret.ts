import { findHunks } from './text-hunks.ts';

/** Maps a caret from the text `before` to the text `after`, so that it stays beside the same letters. */
export function moveCaret(before: string, after: string, caret: number): number {
  const lines = before.split('\n');
  let shift = 0;
  let line = 0;
  let offset = 0;
  const advance = (to: number): number => {
    for (; line < to; line += 1) offset += lines[line]!.length + 1;
    return offset;
  };
  for (const hunk of findHunks(lines, after.split('\n'))) {
    const start = advance(hunk.from);
    if (caret < start) break;
    const end = advance(hunk.to);
    const made = hunk.insert.map(text => `${text}\n`).join('');
    if (caret < end) return Math.min(after.length, start + shift + moveInside(before.slice(start, end), made, caret - start));
    shift += made.length - (end - start);
  }
  return Math.max(0, Math.min(after.length, caret + shift));
}

/** Keeps the caret's place in the common beginning or end. Between them it moves to the start of what differs. */
function moveInside(before: string, after: string, caret: number): number {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  if (caret <= head) return caret;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return caret >= before.length - tail ? caret + after.length - before.length : head;
}
