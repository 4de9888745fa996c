import { escapeHtml } from './escape.ts';
import { normalize } from './normalize.ts';
import type { PlainReason, Rendered } from './rendered.ts';

const pieceChars = 131_072;
const lineFeed = 10;

/** Splits a text without cutting a surrogate pair or a line end of two characters. */
function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const next = text.charCodeAt(at + pieceChars);
    const end = at + pieceChars + (next === lineFeed || (next >= 0xdc00 && next <= 0xdfff) ? 1 : 0);
    yield text.slice(at, end);
    at = end;
  }
}

/** Yields a text as written, in pieces. A mebibyte of nothing but escaped characters or line ends takes about 30 milliseconds in all. */
export function* plainPieces(markdown: string): Generator<string> {
  // The parser drops a line feed directly after <pre>, so we add one.
  yield '<pre>\n';
  for (const piece of piecesOf(markdown)) yield escapeHtml(normalize(piece));
  yield '</pre>';
}

/** Shows the text as written. The view says why. */
export function renderPlain(markdown: string, plain: PlainReason): Rendered {
  return { html: [...plainPieces(markdown)].join(''), headings: [], plain };
}

/** Only the reason, when nobody waits for the text. Code that shows it adds the text (`plainPieces`). */
export function plainWithoutText(plain: PlainReason): Rendered {
  return { html: '', headings: [], plain };
}
