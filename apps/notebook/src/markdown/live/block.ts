import type { Links, Token } from 'marked';
import type { WrittenNote } from '../footnotes.ts';

/** A block of the text, its inline text not read yet. */
export interface Block {
  readonly token: Token;
  /** Where it begins in the text. */
  readonly start: number;
  /** Up to where it was decided, counted from its start; see `reachOf`. */
  readonly reach: number;
  /** What it defines; most blocks define nothing. */
  readonly defines?: { readonly links: Links; readonly notes: readonly WrittenNote[] };
}

/**
 * A border lies before a block that follows a blank line: how the blocks before it end is decided at the latest by the line that
 * begins there, and the reading of what follows does not know what was before.
 */
export function endsAtBorder(before: Token | undefined): boolean {
  return before?.type === 'space' && before.raw.includes('\n\n');
}
