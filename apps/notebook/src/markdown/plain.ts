import { escapeHtml } from './escape.ts';
import { normalise } from './normalise.ts';
import type { PlainReason, Rendered } from './rendered.ts';

/** The text as it was written. The view says why. */
export function renderPlain(markdown: string, plain: PlainReason): Rendered {
  // The parser drops a line feed right after <pre>, so one is given to it.
  return { html: `<pre>\n${escapeHtml(normalise(markdown))}</pre>`, headings: [], plain };
}

/** Only the reason, where nobody waits for the text; `withText` adds it. */
export function plainWithoutText(plain: PlainReason): Rendered {
  return { html: '', headings: [], plain };
}

/** As it is shown: a plain text that was kept or made without its words gets them. */
export function withText(markdown: string, rendered: Rendered): Rendered {
  return rendered.plain && !rendered.html ? renderPlain(markdown, rendered.plain) : rendered;
}
