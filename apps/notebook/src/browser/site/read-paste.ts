import { firstHeading } from '../../markdown/heading.ts';
import { guessPastedText, pastedMarkdown } from '../../markdown/pasted-text.ts';

/** A log, a trace, a diff or code: its lines are worth keeping. */
export function looksVerbatim(text: string): boolean {
  return guessPastedText(text).kind === 'verbatim';
}

/** A notebook that opens once, of a pasted text. */
export function burningNotebook(text: string, keepAs: 'markdown' | 'code') {
  const markdown = pastedMarkdown(text, keepAs);
  // Lists show titles, so the first line of a secret is none.
  return { title: firstHeading(markdown) || 'Opens once', burnAfterRead: true, pages: [{ markdown }] } as const;
}
