import { findCode } from './code-spans.ts';

/**
 * Removes `%%comments%%`, also those that span lines or contain code. As in Obsidian, one without an end counts if its `%%` is alone on a
 * line; the rest of the file is then a comment.
 */
export function withoutComments(text: string): { readonly text: string; readonly count: number } {
  if (!text.includes('%%')) return { text, count: 0 };
  const code = findCode(text);
  let [result, at, count, next] = ['', 0, 0, 0];
  for (let open = text.indexOf('%%'); open !== -1; ) {
    while (next < code.length && code[next]!.to <= open) next += 1;
    const inside = code[next];
    if (inside && inside.from < open) {
      open = text.indexOf('%%', inside.to);
      continue;
    }
    const close = text.indexOf('%%', open + 2);
    const aloneOnLine =
      /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, open - 100), open)) && /^%%[ \t]*(?:\n|$)/.test(text.slice(open, open + 100));
    if (close === -1 && !aloneOnLine) break;
    const end = close === -1 ? text.length : close + 2;
    const [from, to] = wholeLines(text, open, end);
    result += text.slice(at, Math.max(at, from));
    at = to;
    count += 1;
    open = text.indexOf('%%', end);
  }
  return { text: result + text.slice(at), count };
}

const mostBlanks = 200;

/** Includes the whole line if nothing else is on it, so that no empty lines are left. */
function wholeLines(text: string, open: number, end: number): [number, number] {
  const before = text.slice(Math.max(0, open - mostBlanks), open);
  const after = text.slice(end, end + mostBlanks);
  const start = before.lastIndexOf('\n') + 1;
  const feed = after.indexOf('\n');
  const startsLine = (start > 0 || open <= mostBlanks) && before.slice(start).trim() === '';
  const endsLine =
    (feed !== -1 || end + mostBlanks >= text.length) && after.slice(0, feed === -1 ? undefined : feed).trim() === '';
  if (!startsLine || !endsLine) return [open, end];
  return [open - (before.length - start), Math.min(text.length, end + (feed === -1 ? after.length : feed + 1))];
}
