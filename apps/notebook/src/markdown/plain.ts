import { escapeHtml } from './escape.ts';
import { normalise } from './normalise.ts';
import type { PlainReason, Rendered } from './rendered.ts';

/** The text as it was written. The view says why. */
export function renderPlain(markdown: string, plain: PlainReason): Rendered {
  // The parser drops a line feed right after <pre>, so one is given to it.
  return { html: `<pre>\n${escapeHtml(normalise(markdown))}</pre>`, headings: [], plain };
}
