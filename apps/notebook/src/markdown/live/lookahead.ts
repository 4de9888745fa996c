import type { Token } from 'marked';

/** A link definition with an open title. It is the only block that may continue over any number of blank lines. */
// super-linear: a "[" or "<" without a backslash ends the runs, and each beginning has one.
const openTitle =
  /^ {0,3}\[(?:\\[\s\S]|[^[\]\\\n]|\n(?![ \t]*\n))+\]: *(?:\n[ \t]*)?(?:[^<\s]\S*|<(?:\\.|[^\n<>\\])*>)(?: +(?:\n[ \t]*)?| *\n[ \t]*)(["(])/gm;
const closedTitle: Readonly<Record<string, RegExp>> = {
  '"': /(?:\\[\s\S]|[^"\\])*"[^\n]*\n/y,
  '(': /(?:\\[\s\S]|[^()\\])*\)[^\n]*\n/y,
};
/** Blocks in which the engine looks for definitions. All others end where they were closed, or go on to the end of the text. */
const mayDefine: ReadonlySet<string> = new Set(['paragraph', 'text', 'def', 'table', 'heading']);

/**
 * How far the engine may have read to decide a block, counted from its start. Ordinary blocks are decided at the latest by the
 * line after the next blank line (CommonMark §3: blocks are closed by lines). This returns how far exceptions reach.
 * @param text the text from the block's start on
 * @returns 0 for an ordinary block; Infinity if it depends on everything that follows
 */
export function lookaheadOf(token: Token, text: string): number {
  if (!mayDefine.has(token.type) || !token.raw.includes(']:')) return 0;
  let lookahead = 0;
  // The quote or bracket that opens a title may be the first character of the next block.
  const sign = text.slice(token.raw.length).search(/\S/);
  for (const found of text.slice(0, token.raw.length + sign + 1).matchAll(openTitle)) {
    const closed = closedTitle[found[1]!]!;
    closed.lastIndex = found.index + found[0].length;
    if (!closed.test(text)) return Number.POSITIVE_INFINITY;
    lookahead = Math.max(lookahead, closed.lastIndex);
  }
  return lookahead;
}
