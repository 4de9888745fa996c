import { escapeHtml } from './escape.ts';
import { normalise } from './normalise.ts';
import type { PlainReason, Rendered } from './rendered.ts';

const pieceChars = 131_072;
const lineFeed = 10;

/** No pair of surrogates and no line end of two characters is cut. */
function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const next = text.charCodeAt(at + pieceChars);
    const end = at + pieceChars + (next === lineFeed || (next >= 0xdc00 && next <= 0xdfff) ? 1 : 0);
    yield text.slice(at, end);
    at = end;
  }
}

/** A text as it was written, in pieces: a mebibyte of nothing but signs or line ends takes some 30 milliseconds together. */
export function* plainPieces(markdown: string): Generator<string> {
  // The parser drops a line feed right after <pre>, so one is given to it.
  yield '<pre>\n';
  for (const piece of piecesOf(markdown)) yield escapeHtml(normalise(piece));
  yield '</pre>';
}

/** The text as it was written. The view says why. */
export function renderPlain(markdown: string, plain: PlainReason): Rendered {
  return { html: [...plainPieces(markdown)].join(''), headings: [], plain };
}

/** Only the reason, where nobody waits for the text; whoever shows it adds the text (`plainPieces`). */
export function plainWithoutText(plain: PlainReason): Rendered {
  return { html: '', headings: [], plain };
}
