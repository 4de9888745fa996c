import type { Token, Tokens } from 'marked';
import type { Placed } from './notes-renderer.ts';

/**
 * Sets on every block token the 1-based line where it starts. Inside containers the containers' own lines are counted.
 * @param firstLine undefined removes the lines again
 */
export function placeBlocks(tokens: readonly Token[], firstLine: number | undefined): void {
  let line = firstLine;
  for (const token of tokens) {
    // Leading blank lines of a block belong to what comes before it.
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
