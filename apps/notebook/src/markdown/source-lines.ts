import type { Token, Tokens } from 'marked';
import type { Placed } from './notes-renderer.ts';

/**
 * Writes on every block token the 1-based line where it starts. Inside containers this counts their own lines.
 * @param firstLine undefined takes away what was written
 */
export function placeBlocks(tokens: readonly Token[], firstLine: number | undefined): void {
  let line = firstLine;
  for (const token of tokens) {
    // A block's leading blank lines belong to what was before it.
    const start = line === undefined ? undefined : line + countLines(/^\n*/.exec(token.raw)![0]);
    (token as Placed).line = start;
    placeInside(token, start);
    if (line !== undefined) line += countLines(token.raw);
  }
}

function placeInside(token: Token, line: number | undefined): void {
  if (token.type === 'list') placeBlocks((token as Tokens.List).items as unknown as Token[], line);
  else if (token.type === 'blockquote' || token.type === 'list_item' || token.type === 'footnoteDefinition')
    placeBlocks(token.tokens ?? [], line);
}

export function countLines(raw: string): number {
  let count = 0;
  for (let at = raw.indexOf('\n'); at !== -1; at = raw.indexOf('\n', at + 1)) count += 1;
  return count;
}
