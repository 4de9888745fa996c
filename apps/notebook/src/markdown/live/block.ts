import type { Links, Token } from 'marked';
import type { WrittenNote } from '../footnotes.ts';

/** A block of the text whose inline text is not read yet. */
export interface Block {
  readonly token: Token;
  /** The block's offset in the text. */
  readonly start: number;
  /** How far the text that decided this block extends, counted from its start; see `lookaheadOf`. */
  readonly lookahead: number;
  /** The block's definitions. Most blocks have none. */
  readonly defines?: { readonly links: Links; readonly notes: readonly WrittenNote[] };
}

/**
 * Whether a border follows `before`. A block after a blank line begins at a border: the line there is the last that can decide how the
 * blocks before it end, and reading on from there does not depend on what came before.
 */
export function endsAtBorder(before: Token | undefined): boolean {
  return before?.type === 'space' && before.raw.includes('\n\n');
}
