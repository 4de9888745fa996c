import type { Token } from 'marked';

/** A link definition whose title has begun: alone of all blocks it may go on over any number of blank lines. */
// super-linear: a "[" or "<" without a backslash ends the runs, and each beginning has one.
const openTitle =
  /^ {0,3}\[(?:\\[\s\S]|[^[\]\\\n]|\n(?![ \t]*\n))+\]: *(?:\n[ \t]*)?(?:[^<\s]\S*|<(?:\\.|[^\n<>\\])*>)(?: +(?:\n[ \t]*)?| *\n[ \t]*)(["(])/gm;
const closedTitle: Readonly<Record<string, RegExp>> = {
  '"': /(?:\\[\s\S]|[^"\\])*"[^\n]*\n/y,
  '(': /(?:\\[\s\S]|[^()\\])*\)[^\n]*\n/y,
};
/** Where the engine tries definitions. All other blocks either end where they were closed, or go on to the end of the text. */
const tried: ReadonlySet<string> = new Set(['paragraph', 'text', 'def', 'table', 'heading']);

/**
 * Up to where the engine may have looked to see that a block is what it is, counted from its beginning. Every block is decided by the
 * line that follows the next blank line (CommonMark §3: blocks are closed by lines); what looks further is told here.
 * @param text from the block's beginning on
 * @returns 0 for an ordinary block; Infinity when it hangs on all that follows
 */
export function reachOf(token: Token, text: string): number {
  if (!tried.has(token.type) || !token.raw.includes(']:')) return 0;
  let reach = 0;
  // The title's sign may be the first of the next block.
  const sign = text.slice(token.raw.length).search(/\S/);
  for (const found of text.slice(0, token.raw.length + sign + 1).matchAll(openTitle)) {
    const closed = closedTitle[found[1]!]!;
    closed.lastIndex = found.index + found[0].length;
    if (!closed.test(text)) return Number.POSITIVE_INFINITY;
    reach = Math.max(reach, closed.lastIndex);
  }
  return reach;
}
