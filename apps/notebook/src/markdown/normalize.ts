/**
 * Returns the text that every later step sees: line feeds only, no NUL (the HTML parser would drop or replace it, depending on the
 * place) and no lone surrogates (they cannot be sent as UTF-8). Later steps may use NUL as a sign that no text contains.
 */
export function normalize(markdown: string): string {
  return markdown.toWellFormed().replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD');
}
